"""What a called template or skill says."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pihost.events import Skill
from pihost.resources import PromptTemplate, expand_prompt, expand_skill
from pihost.resources.documents import DocumentError


def template(text):
    return PromptTemplate(name="t", description="", argument_hint="", path=Path("t.md"), text=text)


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("Look at $1, then $2.", "a.py 'b c.py'", "Look at a.py, then b c.py."),
        ("Look at $1$3.", "a.py", "Look at a.py."),
        ("Do: $@!", "x  'y z'", "Do: x  'y z'!"),
        ("Do: $ARGUMENTS!", "x y", "Do: x y!"),
        ("$1 | ${@:2} | ${@:2:1}", "a b c", "a | b c | b"),
        ("$1", "$2 $@", "$2"),
        ("It's $1", "don't", "It's don't"),
        ("Costs $HOME $0 $$ ${x} $ARGUMENTSX", "", "Costs $HOME $0 $$ ${x} $ARGUMENTSX"),
        ("Review this.", "only a.py", "Review this.\n\nonly a.py"),
        ("Review this.", "", "Review this."),
    ],
)
def test_arguments_come_where_the_text_has_a_place_for_them(text, arguments, said):
    assert expand_prompt(template(text), arguments) == said


@given(st.text(st.characters(blacklist_characters="$"), min_size=1), st.text())
def test_a_text_without_places_keeps_every_character_of_both(text, arguments):
    said = expand_prompt(template(text), arguments)
    assert said == (f"{text}\n\n{arguments}" if arguments else text)


@given(st.lists(st.from_regex(r"[$@{}:0-9a-z]+", fullmatch=True), min_size=1, max_size=4))
def test_nothing_in_an_argument_is_a_place_for_another(words):
    assert expand_prompt(template("<$1>"), " ".join(words)) == f"<{words[0]}>"


def test_a_skill_says_its_text_of_now_and_where_its_paths_count_from(tmp_path):
    path = tmp_path / "SKILL.md"
    path.write_text("---\ndescription: d\n---\nRun ./check.sh\n")
    skill = Skill(name="check", description="d", path=path)
    said = expand_skill(skill, "quickly")
    assert said.startswith('<skill name="check">\n')
    assert f"relative to {tmp_path}" in said
    assert said.endswith("Run ./check.sh\n</skill>\n\nquickly")


def test_a_skill_whose_file_is_gone_is_an_error_that_names_it(tmp_path):
    skill = Skill(name="check", description="d", path=tmp_path / "SKILL.md")
    with pytest.raises(DocumentError, match=r"SKILL\.md: is gone"):
        expand_skill(skill, "")
