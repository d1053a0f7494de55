from pathlib import Path

from pihost.trust import project_trust_options


def test_g09_no_parent_is_offered_at_the_root():
    options = project_trust_options("/")
    assert [dict(option.updates) for option in options if option.trusted] == [
        {Path("/"): True},
        {},
        {Path("/"): True},
    ]
    assert not any("parent" in option.label for option in options)


def test_the_last_choice_binds_the_approval_to_the_files(project):
    options = project_trust_options(project)
    assert [option.pin for option in options] == [False] * 5 + [True]
    assert dict(options[-1].updates) == {project: True}


def test_no_two_labels_are_the_same(project):
    labels = [option.label for option in project_trust_options(project)]
    assert len(set(labels)) == len(labels) == 6


def test_decisions_are_stored_for_the_real_directory(project):
    link = project.parent / "link"
    link.symlink_to(project)
    assert dict(project_trust_options(link)[0].updates) == {project: True}


def test_a_folders_name_cannot_steer_the_terminal(tmp_path):
    """Neither a control sequence nor a line of its own nor a mark that turns the text round."""
    folder = tmp_path / "x\x1b[2J\nDo not trust\u202e"
    folder.mkdir()
    label = project_trust_options(folder)[0].label
    assert label.isprintable()
    assert "x\\x1b[2J\\nDo not trust\\u202e" in label
