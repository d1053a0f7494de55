"""Random sets of extensions, broken in every way: each fault is told once, and each whole one works."""

import random

import pytest

WHOLE = """
def setup(api):
    @api.on("tool_result")
    def seen(event, ctx):
        note({name!r})

    @api.tool(name={name!r}, description="Answers with its name")
    async def tool() -> str:
        return {name!r}
"""

BROKEN = {
    "syntax": ("def setup(api:", "SyntaxError"),
    "import": ("import not_there_at_all", "not_there_at_all"),
    "exit": ("raise SystemExit(0)", "SystemExit"),
    "recursion": ("def setup(api): setup(api)", "RecursionError"),
    "nothing": ("x = 1", "defines neither setup() nor any hook"),
    "number": ("setup = 5", "setup is of type int"),
    "arguments": ("def setup(api, extra): ...", "must be callable with one argument"),
    "hook": ("def setup(api): api.on('tol_call', print)", "there is no hook 'tol_call'"),
    "argument": (
        "from pihost import hookimpl\n@hookimpl\ndef tool_call(evnt): ...",
        "the hook tool_call has no argument 'evnt'",
    ),
    "method": ("def setup(api): api.register_tol()", "has no 'register_tol'"),
    "action": ("def setup(api): api.send_user_message('x')", "send_user_message"),
    "halfway": (
        "def setup(api):\n    api.register_command('half', handler=print)\n    raise ValueError('half done')",
        "half done",
    ),
    "async": ("async def setup(api): raise KeyError('later')", "KeyError"),
    "tool": ("def setup(api): api.register_tool(5)", "needs to be a ToolDefinition"),
    "flag": ("def setup(api): api.register_flag('f', type='boolean', default='x')", "flag"),
    "python": ('# /// script\n# requires-python = ">=99"\n# ///\ndef setup(api): ...', ">=99"),
    "package": ('# /// script\n# dependencies = ["acme-zzz>=1"]\n# ///\ndef setup(api): ...', "acme-zzz"),
    "inline": ("# /// script\n# dependencies = [\n# ///\ndef setup(api): ...", "metadata"),
    "generator": (
        "from pihost import hookimpl\n@hookimpl(wrapper=True)\nasync def tool_call(event):\n    yield",
        "tool_call",
    ),
}
"""By name: the text of a one-file extension, and words of the one fault that it is."""


def write_manifest(place, name):
    place.write(
        place.home / "extensions" / name / "pyproject.toml", '[tool.pihost]\nextensions = ["./gone.py"]\n'
    )
    return "gone.py"


def write_bad_manifest(place, name):
    place.write(place.home / "extensions" / name / "pyproject.toml", "[tool.pihost\n")
    return name


def write_escaping_manifest(place, name):
    text = '[tool.pihost]\nextensions = ["../../out.py"]\n'
    place.write(place.home / "extensions" / name / "pyproject.toml", text)
    return "out.py"


def write_wrong_host(place, name):
    text = '[tool.pihost]\nextensions = ["./a.py"]\nrequires-host = ">=99"\n'
    folder = place.home / "extensions" / name
    place.write(folder / "pyproject.toml", text)
    place.write(folder / "a.py", "def setup(api): ...")
    return ">=99"


def write_clash(place, name):
    """A tool that a whole one has already: both stay, and one error names them."""
    code = "def setup(api):\n    @api.tool(name='whole0', description='d')\n    async def f() -> str: ..."
    place.extend("global", f"zz_{name}", code)
    return "whole0"


FOLDERS = {
    "manifest": write_manifest,
    "bad-manifest": write_bad_manifest,
    "escape": write_escaping_manifest,
    "host": write_wrong_host,
    "clash": write_clash,
}


def compose(place, seed):
    """Write a random set. What each broken one must be told of, and the names of the whole."""
    chance = random.Random(seed)  # the same set for the same seed
    whole = [f"whole{number}" for number in range(chance.randint(1, 4))]
    for name in whole:
        place.extend("global", name, WHOLE.format(name=name))
    expected = {}
    for kind in chance.sample(sorted(BROKEN), chance.randint(0, 8)):
        code, words = BROKEN[kind]
        name = f"broken_{kind}"
        place.extend("global", name, code) if code[0] != "#" else place.write(
            place.home / "extensions" / f"{name}.py", code
        )
        expected[name] = words
    for kind in chance.sample(sorted(FOLDERS), chance.randint(0, 3)):
        expected[f"broken_{kind}"] = FOLDERS[kind](place, f"broken_{kind}")
    return whole, expected


async def check(place, seed):
    whole, expected = compose(place, seed)
    place.settings('on_extension_error = "continue"\n')
    async with place.open() as host:
        faults = [one.message for one in host.diagnostics]
        for name, words in expected.items():
            told = [fault for fault in faults if name in fault and words in fault]
            assert len(told) == 1, "\n".join(["", f"{seed} {name} {words}", *faults])
        assert len(faults) == len(expected), "\n".join(["", str(seed), *faults])
        for name in whole:
            assert (await host.call_tool(name, {})).text == name, (seed, name)
    assert sorted(place.notes) == sorted(whole * len(whole)), seed


@pytest.mark.parametrize("seed", range(40))
async def test_every_fault_is_told_once_and_every_whole_one_works(place, seed):
    await check(place, seed)


@pytest.mark.soak
async def test_a_thousand_sets(tmp_path, place_of):
    for seed in range(1000):
        place = place_of(f"acme{seed}")
        await check(place, seed)


def test_the_sets_have_every_kind_of_fault(place):
    """What the seeds of the default run leave out would not be tested."""
    chosen = set()
    for seed in range(40):
        chance = random.Random(seed)
        chance.randint(1, 4)
        chosen |= {*chance.sample(sorted(BROKEN), chance.randint(0, 8))}
    assert chosen == set(BROKEN)
