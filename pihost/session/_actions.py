"""What extensions may do with a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pihost.content import ImageContent, ToolContentBlock, text_of
from pihost.entries import CustomEntry, LabelEntry
from pihost.extensions.actions import DeliverAs
from pihost.messages import CustomMessage, UserMessage
from pihost.session._runs import Runs, Said
from pihost.session._state import SessionState

__all__ = ["SessionActions"]


class SessionActions:
    """The actions of ``ExtensionAPI`` that change a session.

    Args:
        state: The session.
        runs: Its runs.
    """

    def __init__(self, state: SessionState, runs: Runs) -> None:
        self._state = state
        self._runs = runs

    def set_label(self, entry_id: str, label: str | None) -> None:
        """Label an entry; ``None`` takes the label away.

        Raises:
            ValueError: there is no such entry.
        """
        if not self._state.parts.store.has(entry_id):
            raise ValueError(f"there is no entry {entry_id!r}")
        self._state.parts.store.append(LabelEntry, target_id=entry_id, label=label)

    def append_entry(self, kind: str, data: Any = None) -> str:
        """Keep data with the session that no model ever sees.

        Args:
            kind: The writer's own name for this kind of data.
            data: JSON-compatible.

        Returns:
            The entry's id.

        Raises:
            TypeError: it has no JSON form.
        """
        return self._state.parts.store.append(CustomEntry, kind=kind, data=data).id

    def set_active_tools(self, names: Iterable[str]) -> None:
        """Offer just these tools to the model from the next request on.

        Raises:
            ValueError: there is no such tool, or it is excluded.
        """
        chosen = tuple(names)
        known = self._state.allowed_tools()
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise ValueError(f"there is no tool {', '.join(unknown)}; there are {', '.join(sorted(known))}")
        self._state.active = chosen
        self._state.parts.tools_changed()

    def send_message(
        self,
        message: CustomMessage,
        deliver_as: DeliverAs = "next_turn",
        trigger_turn: bool = False,  # noqa: FBT001, FBT002 -- the runtime calls actions by position
    ) -> None:
        """Put an extension's message into the conversation.

        Args:
            message: The message.
            deliver_as: ``"steer"`` before the next request of the run, ``"follow_up"`` when it would stop,
                ``"next_turn"`` with the next prompt; without a run all are the last.
            trigger_turn: Whether the model is asked even if nobody says anything.
        """
        if self._runs.is_idle and trigger_turn:
            _ = self._runs.trigger(message)
        elif self._runs.is_idle or (deliver_as == "next_turn" and not trigger_turn):
            self._state.queues.next_turn.append(message)
        else:
            self._runs.queue(message, "steer" if deliver_as == "steer" else "follow_up")

    def send_user_message(
        self, content: str | Sequence[ToolContentBlock], deliver_as: DeliverAs | None = None
    ) -> None:
        """Say something in the user's name; without a run it starts one.

        Args:
            content: Text, or text and pictures.
            deliver_as: As in ``send_message``; ``None`` is ``"follow_up"``.
        """
        blocks = () if isinstance(content, str) else tuple(content)
        text = content if isinstance(content, str) else text_of(blocks)
        images = [block for block in blocks if isinstance(block, ImageContent)]
        if deliver_as == "next_turn":
            self._state.queues.next_turn.append(UserMessage.from_text(text, images))
        else:
            said = Said(text=text, images=images, source="extension")
            self._runs.say_later(said, "steer" if deliver_as == "steer" else "follow_up")
