from datetime import date
from pathlib import Path

from pihost.session.system_prompt import prompt_options, render_system_prompt
from pihost.tools.definition import ToolDefinition


def tool(name, **fields):
    return ToolDefinition(name=name, description="One line.\nMore.", parameters={}, execute=print, **fields)


def render(options):
    return render_system_prompt(options, cwd=Path("/srv"), today=date(2026, 1, 2))


def test_it_lists_tools_and_guidelines_date_and_directory():
    tools = [
        tool("read", prompt_snippet="read a file", prompt_guidelines=("Look first.", "Be brief.")),
        tool("bash", prompt_guidelines=("Look first.",)),
    ]
    text = render(prompt_options(tools))
    assert (
        "Tools:\n- read: read a file\n- bash: One line.\n\nGuidelines:\n- Look first.\n- Be brief.\n\n"
        in text
    )
    assert text.endswith("Date: 2026-01-02\nWorking directory: /srv")


def test_without_tools_it_names_none():
    text = render(prompt_options([]))
    assert "Tools:" not in text
    assert "Guidelines:" not in text


def test_a_custom_prompt_stands_in_place_of_all_but_what_is_appended():
    text = render(prompt_options([tool("read")], custom_prompt="You are a poet.", append=["Rhyme.", ""]))
    assert text == "You are a poet.\n\nRhyme.\n\nDate: 2026-01-02\nWorking directory: /srv"
