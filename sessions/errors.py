"""What a user can be told in one sentence."""


class BadInput(Exception):
    """Something given is wrong. `str()` is one sentence: what is wrong and what to do. Exit code 2."""


class SessionError(BadInput):
    """A session file cannot be read, written or opened."""


class WriteError(SessionError):
    """An event could not be added to an open session: the disk is full, or the file was changed meanwhile. What is on disk is kept.

    Exit code 1.
    """
