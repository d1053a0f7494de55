"""Every example of every page does what the page says. CONTRIBUTING.md says how to write one."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES)
def test_every_example_of_the_page_runs(page, desk, blocks):
    for block in blocks(page, (ROOT / page).read_text("utf-8")):
        desk.run(block)


def test_few_examples_cannot_be_run(blocks):
    """Each says why; the number is here so that it grows only on purpose."""
    skipped = [
        block.where
        for page in PAGES
        for block in blocks(page, (ROOT / page).read_text("utf-8"))
        if "skip" in block.options
    ]
    assert len(skipped) <= 12, skipped


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page):
    import re

    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert ((ROOT / page).parent / target).exists(), target


class TestHarness:
    """The harness itself finds what is wrong."""

    @pytest.mark.parametrize(
        "text",
        [
            "```console\n$ pihost --version\n9.9\n```",
            "```console\n$ pihost --nope\n```",
            "```console\n$ cat nothing\n```",
            "```console\n$ cat nothing\n$ pihost --version\n```",
            "```console exit=1\n$ cat nothing\n$ pihost --version | grep 9.9\n```",
            "```console exit=1\n$ pihost --version\n```",
            "```console\n$ cat nothing | cat\n```",
            "~~~console\n$ cat nothing\n~~~",
            "- a list\n\n  ```console\n  $ cat nothing\n  ```",
            '```toml file=~/.pihost/settings.toml\nmodle = "x"\n```',
            "```toml\n= 1\n```",
            "```python\nimport pihost\npihost.nope\n```",
            "```python\ndef setup(api):\n    api.register_comand('x')\n```",
            "```python\nasync def test_it(pihost_host):\n    assert False\n```",
            "```json\n{\n```",
            "```cobol\nSTOP RUN.\n```",
            '```console skip="no"\n$ pip install acme\n```',
        ],
    )
    def test_a_wrong_example_is_found(self, desk, blocks, text):
        (block,) = blocks("page.md", text + "\n")
        with pytest.raises(BaseException) as caught:
            desk.run(block)
        assert not isinstance(caught.value, KeyboardInterrupt)

    @pytest.mark.parametrize(
        "text", ["```python\n1 / 0\n", "````python\n1 / 0\n```\n", "> ```python\n> 1 / 0\n> ```\n"]
    )
    def test_a_block_that_would_not_be_run_is_found(self, blocks, text):
        with pytest.raises(AssertionError, match=r"page\.md:1: "):
            list(blocks("page.md", text))

    def test_a_block_is_what_stands_between_its_fences(self, blocks):
        text = "~~~python\n```\n  a\n~~~~\n  ```json skip=why\n  {\n    1\n  ```\n"
        first, second = blocks("page.md", text)
        assert (first.line, first.language, first.text) == (1, "python", "```\n  a\n")
        assert (second.line, second.options, second.text) == (5, {"skip": "why"}, "{\n  1\n")

    def test_a_right_one_runs_and_later_ones_see_its_files(self, desk, blocks):
        text = (
            "```python file=~/.pihost/extensions/shout.py\n"
            "def setup(api):\n    api.register_flag('loud', type='boolean')\n```\n"
            '```console\n$ echo hello > a.txt\n$ pihost -p "read a.txt"\nhello\n'
            "$ pihost extensions list\nshout …\n```\n"
        )
        for block in blocks("page.md", text):
            desk.run(block)
        assert (desk.cwd / "a.txt").read_text() == "hello\n"
