import re

import pytest
from pihost_guard._commands import compile_patterns, find_destructive

PATTERNS = compile_patterns(())


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "rm -r -- x",
        "rm --recursive x",
        "/bin/rm -fr /",
        "sudo rm -rf x",
        "echo ok && rm -rf x",
        "echo ok\nrm -rf x",
        "r\\m -rf x",
        "'rm' -rf x",
        'sh -c "rm -rf x"',
        "ls | xargs rm -rf",
        "rm \\\n -rf x",
        "git reset --hard HEAD~1",
        "git -C sub clean -fdx",
        "git push origin main --force",
        "git push -f",
        "git push origin +main",
        "git checkout -- .",
        "git branch -D topic",
        "find . -name '*.pyc' -delete",
        "find . -exec rm {} +",
        "dd if=/dev/zero of=/dev/sda",
        "mkfs.ext4 /dev/sdb1",
        "chmod -R 777 .",
        "psql -c 'DROP TABLE users'",
    ],
)
def test_a_destructive_command_is_seen(command):
    assert find_destructive(command, PATTERNS) is not None


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "grep -rf patterns.txt src",
        "git status && git diff",
        "git push origin main",
        "git checkout topic",
        "rm notes.txt",
        "python -m pytest -q",
        "echo alarm -f",
        "git log --format=%h",
    ],
)
def test_a_harmless_command_is_let_through(command):
    assert find_destructive(command, PATTERNS) is None


def test_the_part_that_was_found_is_named():
    assert find_destructive("cd x && rm -rf y && ls", PATTERNS) == "rm -rf y"


def test_further_patterns_are_looked_for_too():
    assert find_destructive("terraform destroy", compile_patterns([r"terraform\s+destroy"])) is not None


def test_a_pattern_that_is_none_is_refused():
    with pytest.raises(re.error):
        compile_patterns(["("])
