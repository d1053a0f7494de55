"""How exceptions are told."""

import pytest

from pihost.errors import PihostError, describe


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class HintedError(PihostError):
    hint = "Try again."


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (ValueError(), "ValueError"),
        (MuteError(), "MuteError: (its text cannot be made)"),
        (PihostError("it broke"), "it broke"),
        (PihostError(), "PihostError"),
        (HintedError("it broke"), "it broke. Try again."),
        (HintedError("It broke."), "It broke. Try again."),
    ],
)
def test_an_exception_is_told_whatever_it_is(fault, told):
    assert describe(fault) == told
