"""Three hundred decisions with known outcomes, end to end: extension files answer, a store is kept."""

import json

from pihost import Host, HostConfig
from pihost.config import HostOptions, NoSession

LOCAL = "from pathlib import Path\nPath({marker!r}).touch()\ndef setup(api): ...\n"


class Chooser:
    """A user who picks the option of a number, or dismisses the question."""

    def __init__(self, choice):
        self.choice = choice
        self.asked = 0

    async def select(self, title, options):
        self.asked += 1
        return None if self.choice is None else options[self.choice]

    async def confirm(self, title, message):
        return False

    async def input(self, title, placeholder=""):
        return None

    def notify(self, message, level="info"):
        pass

    def set_status(self, key, text):
        pass


def extension(number, handlers, log):
    """The text of an extension whose handlers answer as a row says and note that they were called."""
    lines = ["from pihost.events import ProjectTrustResult", "def setup(api):"]
    for place, handler in enumerate(handlers):
        lines += [
            "    @api.on('project_trust')",
            f"    def answer_{place}(event, ctx):",
            f"        with open({str(log)!r}, 'a') as file: file.write('[{number}, {place}]\\n')",
        ]
        if handler["answer"] == "raise":
            lines.append(f"        raise ValueError('raised {number} {place}')")
        else:
            remember = bool(handler.get("remember"))
            lines.append(
                f"        return ProjectTrustResult(trusted={handler['answer']!r}, remember={remember})"
            )
    return "\n".join([*lines, "    pass"])


def arrange(row, root):
    """The files of a row: the project with what it holds, the home with extensions, settings and store."""
    project, home = root / "ws" / "proj", root / "home"
    project.mkdir(parents=True)
    (home / "extensions").mkdir(parents=True)
    config_dir = project / ".acme"
    if row["resources"] != "none":
        config_dir.mkdir()
    if row["resources"] == "extensions":
        (config_dir / "extensions").mkdir()
        (config_dir / "extensions" / "mine.py").write_text(LOCAL.format(marker=str(root / "ran")))
    if row["resources"] == "settings":
        (config_dir / "settings.toml").write_text("retries = 7\n")
    for number, handlers in enumerate(row["handlers"]):
        (home / "extensions" / f"e{number}.py").write_text(extension(number, handlers, root / "calls"))
    if row["default_policy"]:
        (home / "settings.toml").write_text(f'default_project_trust = "{row["default_policy"]}"\n')
    if row["store"]:
        places = {"/ws/proj": str(project), "/ws": str(project.parent)}
        stored = {places[name]: decision for name, decision in row["store"].items()}
        (home / "trust.json").write_text(json.dumps(stored))
    return project, home


async def run_row(row, root):
    project, home = arrange(row, root)
    ui = Chooser(row["ui_choice"])
    config = HostConfig(
        app_name="acme", config_dir=".acme", env_prefix="ACME", entry_point_group="acme.x", home=home
    )
    options = HostOptions(
        mode="interactive" if row["has_ui"] else "print",
        trust_override=row["override"],
        session=NoSession(),
    )
    async with Host.open(project, config=config, options=options, ui=ui if row["has_ui"] else None) as host:
        trusted = host.trust.trusted
        failed = sum("raised" in one.message for one in host.diagnostics)
        took_part = (root / "ran").exists() or host.settings.retries == 7
    names = {str(project): "/ws/proj", str(project.parent): "/ws"}
    store = json.loads((home / "trust.json").read_text()) if (home / "trust.json").exists() else {}
    calls = (root / "calls").read_text().splitlines() if (root / "calls").exists() else []
    found = {
        "trusted": trusted,
        "asked_ui": ui.asked,
        "handler_calls": [json.loads(line) for line in calls],
        "errors": failed,
        "store": {names[path]: decision for path, decision in store.items()},
    }
    return found, took_part


async def test_every_decision_is_the_known_one_and_only_trusted_projects_take_part(load_vectors, tmp_path):
    rows = load_vectors("trust")
    wrong = []
    for number, row in enumerate(rows):
        found, took_part = await run_row(row, tmp_path / str(number))
        guarded = row["resources"] in {"extensions", "settings"}
        if found != row["expect"] or (guarded and took_part is not row["expect"]["trusted"]):
            wrong.append((number, row, found, took_part))
    assert wrong == []
    assert len(rows) == 300
