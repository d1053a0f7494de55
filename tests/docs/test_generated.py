"""Pages that are made of the code are as the code makes them."""

import pytest

from generators import GENERATED, ROOT
from generators.hook_reference import hook_reference
from pihost.hooks import hook_documents


@pytest.mark.parametrize("path", GENERATED)
def test_what_is_made_of_the_code_is_up_to_date(path):
    assert (ROOT / path).read_text("utf-8") == GENERATED[path](), "run python3 dev.py docs"


def test_every_hook_has_a_chapter_with_its_fields_and_an_example():
    for document in hook_documents():
        chapter = hook_reference().partition(f"\n## {document.name}\n")[2].partition("\n## ")[0]
        assert "```python\n" in chapter, document.name
        for field in document.fields:
            assert f"- `{field.name}` (`" in chapter, document.name
