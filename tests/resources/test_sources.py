"""What is found where, and what becomes of what cannot be used."""

import os
import re

import pytest

from pihost.resources import ResourcePlaces, read_resources


class Tree:
    """A home, a repository with a project in it, and what is read from them."""

    def __init__(self, root):
        self.root = root
        self.home = root / "home"
        self.cwd = root / "repository" / "project"
        self.project = self.cwd / ".acme"
        self.write("repository/.git/HEAD", "")
        self.home.mkdir()
        self.project.mkdir(parents=True)

    def write(self, path, text="text"):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def skill(self, path, description="what it is for", **fields):
        front = "".join(f"{key}: {value}\n" for key, value in {"description": description, **fields}.items())
        return self.write(path, f"---\n{front}---\nHow to do it.\n")

    def read(self, *, trusted=True, **more):
        project = self.project if trusted else None
        return read_resources(ResourcePlaces(cwd=self.cwd, home=self.home, project=project, **more))

    def faults(self, **options):
        found = self.read(**options).diagnostics
        assert {(one.level, one.kind) for one in found} <= {("warning", "resource")}
        return [one.message for one in found]


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


class TestContextFiles:
    def test_the_users_own_comes_first_then_from_the_repository_inwards(self, tree):
        for path in ("home", "repository", "repository/project"):
            tree.write(f"{path}/AGENTS.md", f"in {path}\n")
        texts = [file.text for file in tree.read(trusted=False).context_files]
        assert texts == ["in home", "in repository", "in repository/project"]

    def test_what_lies_above_the_repository_is_not_read(self, tree):
        tree.write("AGENTS.md")
        assert tree.read().context_files == ()

    def test_outside_a_repository_only_the_directory_itself_counts(self, tree):
        tree.write("repository/AGENTS.md", "above")
        tree.write("repository/project/AGENTS.md", "here")
        (tree.root / "repository/.git/HEAD").unlink()
        (tree.root / "repository/.git").rmdir()
        assert [file.text for file in tree.read().context_files] == ["here"]

    def test_a_link_out_of_the_repository_is_not_followed(self, tree):
        secret = tree.write("secret", "the key")
        (tree.cwd / "AGENTS.md").symlink_to(secret)
        assert tree.read().context_files == ()
        assert "AGENTS.md: leads out of" in tree.faults()[0]

    def test_a_link_within_the_repository_is(self, tree):
        tree.write("repository/GUIDE.md", "guide")
        (tree.cwd / "AGENTS.md").symlink_to("../GUIDE.md")
        assert [file.text for file in tree.read().context_files] == ["guide"]

    def test_a_long_one_is_cut_and_says_so(self, tree):
        tree.write("repository/project/AGENTS.md", "line\n" * 3000)
        (file,) = tree.read().context_files
        assert file.text.endswith("[Cut: 2000 of 3000 lines are shown; the file has 14.6KB]")

    def test_a_pipe_is_no_file_and_stops_nothing(self, tree):
        os.mkfifo(tree.cwd / "AGENTS.md")
        assert tree.read().context_files == ()
        assert "is not a regular file" in tree.faults()[0]


class TestSkills:
    def test_a_file_or_a_directory_with_one_is_a_skill(self, tree):
        tree.skill("home/skills/review.md")
        tree.skill("home/skills/release/SKILL.md", name="ship-it")
        tree.write("home/skills/release/notes.md")
        tree.write("home/skills/.hidden.md")
        assert sorted(tree.read().skills) == ["review", "ship-it"]

    def test_the_projects_own_count_before_the_users_and_need_trust(self, tree):
        mine = tree.skill("home/skills/review.md", "mine")
        tree.skill("repository/project/.acme/skills/review.md", "theirs")
        assert tree.read().skills["review"].description == "theirs"
        assert f"{mine}: left out" in tree.faults()[0]
        assert tree.read(trusted=False).skills["review"].description == "mine"
        assert tree.faults(trusted=False) == []

    @pytest.mark.parametrize(
        ("fields", "fault"),
        [
            ({"description": "''"}, "needs a description"),
            ({"description": "[1]"}, "description must be text, not list"),
            ({"name": "Not A Name"}, "its name is 'Not A Name'"),
            ({"name": "3"}, "name must be text, not int"),
            ({"description": "x" * 1025}, "1025 characters; at most 1024"),
            ({"disable-model-invocation": "perhaps"}, "must be true or false"),
        ],
    )
    def test_one_that_a_model_could_not_use_is_left_out_and_named(self, tree, fields, fault):
        tree.skill("home/skills/good.md")
        tree.skill("home/skills/odd/SKILL.md", **fields)
        assert list(tree.read().skills) == ["good"]
        (found,) = tree.faults()
        assert re.search(rf"odd/SKILL\.md: .*{re.escape(fault)}", found)

    def test_one_may_be_for_the_user_alone(self, tree):
        tree.skill("home/skills/review.md", **{"disable-model-invocation": "true"})
        assert tree.read().skills["review"].for_model is False

    def test_extensions_may_name_files_and_directories(self, tree):
        more = (tree.skill("pack/one.md"), tree.skill("pack/deep/two/SKILL.md").parent, tree.root / "gone.md")
        assert list(tree.read(skills=more).skills) == ["one", "two"]
        assert tree.faults(skills=more) == [f"{tree.root}/gone.md: there is no such file"]


class TestPrompts:
    def test_the_first_line_describes_one_that_does_not_describe_itself(self, tree):
        tree.write("home/prompts/fix.md", "# Fix what $1 says\n\nCarefully.")
        tree.write("home/prompts/say.md", "---\ndescription: Say it\nargument-hint: [what]\n---\nSay $1")
        found = tree.read().prompts
        assert (found["fix"].description, found["fix"].argument_hint) == ("Fix what $1 says", "")
        assert (found["say"].description, found["say"].argument_hint) == ("Say it", "[what]")

    def test_the_projects_own_need_trust(self, tree):
        tree.write("repository/project/.acme/prompts/fix.md")
        assert list(tree.read().prompts) == ["fix"]
        assert list(tree.read(trusted=False).prompts) == []

    def test_one_that_cannot_be_called_is_left_out_and_named(self, tree):
        tree.write("home/prompts/two words.md")
        tree.write("home/prompts/empty.md", "---\ndescription: x\n---\n")
        assert tree.read().prompts == {}
        assert [one.partition(": ")[2] for one in tree.faults()] == [
            "has no text",
            "its name cannot follow a slash; use letters, digits, hyphens and dots",
        ]


def test_a_system_prompt_of_the_project_counts_before_the_users_and_additions_add_up(tree):
    for where in ("home", "repository/project/.acme"):
        tree.write(f"{where}/SYSTEM.md", f"be {where}\n")
        tree.write(f"{where}/APPEND_SYSTEM.md", f"add {where}\n")
    trusted, untrusted = tree.read(), tree.read(trusted=False)
    assert trusted.system_prompt == "be repository/project/.acme"
    assert trusted.append_system_prompt == ("add home", "add repository/project/.acme")
    assert (untrusted.system_prompt, untrusted.append_system_prompt) == ("be home", ("add home",))


def test_where_there_is_nothing_nothing_is_found_and_nothing_is_wrong(tree):
    found = tree.read()
    assert (found.context_files, found.skills, found.prompts, found.system_prompt) == ((), {}, {}, None)
    assert found.diagnostics == ()
