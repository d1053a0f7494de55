"""Three hundred decisions with known outcomes, through the whole chain."""

from pihost.context import TrustContext
from pihost.diagnostics import ExtensionError
from pihost.events import ProjectTrustResult
from pihost.trust import ProjectTrustStore, project_trust_options, resolve_project_trusted


def build_project(folder, resources):
    folder.mkdir(parents=True)
    if resources != "none":
        (folder / ".pihost").mkdir()
    if resources == "extensions":
        (folder / ".pihost" / "extensions").mkdir()
    if resources == "settings":
        (folder / ".pihost" / "settings.toml").write_text("")


class Dispatch:
    """Asks the row's handlers in order, as the host's dispatch does."""

    def __init__(self, handlers):
        self.handlers = handlers
        self.calls = []
        self.errors = []

    async def __call__(self, event, context):
        for e, handlers in enumerate(self.handlers):
            for h, handler in enumerate(handlers):
                self.calls.append([e, h])
                if handler["answer"] == "raise":
                    self.errors.append(
                        ExtensionError(extension=f"e{e}", event=event.hook_name, error="raised")
                    )
                elif handler["answer"] != "undecided":
                    remember = bool(handler.get("remember"))
                    return ProjectTrustResult(trusted=handler["answer"], remember=remember)
        return None


async def run_row(row, root, choosing):
    project, home = root / "ws" / "proj", root / "home"
    places = {"/ws/proj": project, "/ws": project.parent}
    build_project(project, row["resources"])
    store = ProjectTrustStore(home)
    if row["store"]:
        store.set_many({places[name]: decision for name, decision in row["store"].items()})
    ui, dispatch = choosing(row["ui_choice"]), Dispatch(row["handlers"])
    decision = await resolve_project_trusted(
        project,
        store=store,
        context=TrustContext(cwd=project, mode="interactive", has_ui=row["has_ui"], ui=ui),
        trust_override=row["override"],
        default_policy=row["default_policy"] or "ask",
        ask_extensions=dispatch,
        on_extension_error=dispatch.errors.append,
        home=home,
    )
    names = {path: name for name, path in places.items()}
    return {
        "trusted": decision.trusted,
        "asked_ui": len(ui.titles),
        "handler_calls": dispatch.calls,
        "errors": len(dispatch.errors),
        "store": {names[entry.path]: entry.decision for entry in store.entries()},
    }


async def test_every_known_decision_comes_out_as_expected(load_vectors, tmp_path, choosing):
    rows = load_vectors("trust")
    wrong = []
    for number, row in enumerate(rows):
        got = await run_row(row, tmp_path / str(number), choosing)
        if got != row["expect"]:
            wrong.append((number, got, row["expect"]))
    assert len(rows) == 300
    assert wrong == []


def test_the_first_five_choices_are_in_the_known_order(project):
    """Trust, trust the parent, this session only, do not trust, not this session only."""
    options = project_trust_options(project)
    assert [(option.trusted, dict(option.updates)) for option in options[:5]] == [
        (True, {project: True}),
        (True, {project.parent: True, project: None}),
        (True, {}),
        (False, {project: False}),
        (False, {}),
    ]
