import pickle
from pathlib import Path

import pytest

import pihost.session
from pihost.session import (
    SessionBusyError,
    SessionClosedError,
    SessionCwdError,
    SessionError,
    SessionFileError,
    SessionLockedError,
)


@pytest.mark.parametrize("name", pihost.session.__all__)
def test_every_public_name_is_there(name):
    assert getattr(pihost.session, name).__doc__
    assert name in dir(pihost.session)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = pihost.session.nothing_like_it


@pytest.mark.parametrize(
    "error",
    [
        SessionBusyError(),
        SessionClosedError(),
        SessionCwdError(Path("f"), Path("d")),
        SessionFileError(Path("f"), "why"),
        SessionLockedError(Path("f")),
    ],
)
def test_errors_survive_pickling(error):
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, SessionError)
    assert (str(copy), vars(copy)) == (str(error), vars(error))
