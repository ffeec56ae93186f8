"""Everything DocShelf raises on purpose.

ShelfError
├── ConfigError        a wrong key, value or sidecar; carries all of them
├── SourceError        one source cannot be read; becomes a finding, the build goes on
├── WorkerFault        a job was killed: time, memory, signal; becomes a finding
├── BuildError         nothing can be published: folders, lock, disk
├── MissingExtra       a command needs packages that are not installed
├── ShelfDamaged       a tree on disk does not hold what its manifest says
├── StorageError       an object storage refused, could not be reached, or is held by another publish
└── RequestError       a reader asked for something that is not there or not allowed
    ├── NotOnShelf
    └── BadRequest
"""

from collections.abc import Sequence


class ShelfError(Exception):
    """An error whose text says where, what and what to do."""


class ConfigError(ShelfError):
    """Wrong settings; nothing is built until they are mended."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)
        """One line per wrong key, value or sidecar, all of them at once."""


class SourceError(ShelfError):
    """One source cannot be read; the rest of the shelf is built without it."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        """Short name of the fault, such as `damaged` or `password-needed`."""


class WorkerFault(SourceError):
    """A worker was stopped while it held this job: time, memory or a signal."""


class BuildError(ShelfError):
    """Nothing was published; the release that was current still is."""


class MissingExtra(ShelfError):
    """A command needs packages of an extra that is not installed."""

    def __init__(self, extra: str, missing: str) -> None:
        super().__init__(f"the package {missing!r} is not installed; run: pip install 'docshelf[{extra}]'")


class ShelfDamaged(ShelfError):
    """A tree on disk is no shelf, or not the one its manifest describes."""


class StorageError(ShelfError):
    """An object storage refused, could not be reached, or is held by another publish."""


class RequestError(ShelfError):
    """What a reader asked for cannot be answered; the text names the next step."""

    status = 400
    code = "bad-request"


class NotOnShelf(RequestError):
    """The path is no key of the release."""

    status = 404
    code = "not-on-shelf"


class BadRequest(RequestError):
    """An argument is missing, of a wrong type or out of range."""
