"""Pages that are made of the code are as the code makes them."""

from pathlib import Path

from pihost.hooks import hook_documents
from pihost.hooks.markdown import hook_reference

PAGE = Path(__file__).parents[2] / "docs" / "hooks.md"


def test_the_hook_reference_is_up_to_date():
    assert PAGE.read_text("utf-8") == hook_reference(), "run python3 dev.py docs"


def test_every_hook_has_a_chapter_with_its_fields_and_an_example():
    for document in hook_documents():
        chapter = hook_reference().partition(f"\n## {document.name}\n")[2].partition("\n## ")[0]
        assert "```python\n" in chapter, document.name
        for field in document.fields:
            assert f"- `{field.name}` (`" in chapter, document.name
