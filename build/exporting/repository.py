"""One git repository that takes exports, with a working tree or bare.

A commit is made of the bytes of a release by `git fast-import`: no filter changes them, no hook runs, and the
working tree follows by an ordinary fast-forward, in which git itself guards what lies there. Nothing is pushed.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from docshelf.build.releasing.git import git_command
from docshelf.serve.errors import BuildError
from docshelf.serve.printable import printable

_AUTHOR = re.compile(r"([^<>\n\0]*[^<>\s\0]) *<([^<>\s\0]+)>")
_COPY_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit."""

    mode: str
    """`100644` and `100755` are files; others are links and other repositories."""
    id: str
    """Of its content, as git names it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it shall be."""

    path: str
    size_bytes: int
    content: BinaryIO


class Repository:
    """A repository whose current branch is exported to."""

    def __init__(self, folder: Path, author: str | None = None) -> None:
        """Opens the repository in `folder`, or makes one where the folder is missing or empty.

        `author`, `NAME <MAIL>`, stands for who commits; None takes who git's own settings name.

        Raises: BuildError where the folder is no whole repository, or no branch is checked out.
        """
        self.folder = folder
        self._who = _identity_variables(author)
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            folder.mkdir(parents=True, exist_ok=True)
            self._run("init", "--quiet")
        self._is_bare = self._find()
        self._branch = self._ask("symbolic-ref", "--quiet", "HEAD")
        if self._branch is None:
            raise BuildError(f"{folder}: no branch is checked out; run: git -C {folder} switch BRANCH")
        self.head = self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        """The commit that the next one follows; None before the first."""

    @property
    def hash_name(self) -> str:
        """What names objects here: sha1 or sha256."""
        return self._run("rev-parse", "--show-object-format").strip()

    def changes(self) -> list[str]:
        """Lines of `git status` for what is not committed; none for a bare repository."""
        if self._is_bare:
            return []
        status = self._run("status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=none")
        return [line for line in status.split("\0") if line]

    def entries(self) -> dict[str, Entry]:
        """Every file of the last commit by path."""
        found: dict[str, Entry] = {}
        listing = self._run("ls-tree", "-r", "-z", "--full-tree", self.head) if self.head else ""
        for line in filter(None, listing.split("\0")):
            facts, path = line.split("\t", 1)
            mode, _, object_id = facts.split(" ")
            found[path] = Entry(mode, object_id)
        return found

    def read(self, entry: Entry) -> bytes:
        """The content of a file of the last commit."""
        return self._run("cat-file", "blob", entry.id).encode("utf-8", "surrogateescape")

    def commit(self, message: str, changed: Iterator[Change], removed: Sequence[str], mark: str) -> str:
        """Commits, moves branch and working tree on, and gives the commit.

        `mark` keeps two who export at the same time apart.

        Raises: BuildError with git's words; the branch is then where it was.
        """
        passing = f"refs/docshelf/{mark}"
        try:
            self._import(passing, message, changed, removed)
            made = self._run("rev-parse", "--verify", passing).strip()
            self._move_on(made)
        finally:
            self._ask("update-ref", "-d", passing)
        return made

    def _find(self) -> bool:
        """Whether the repository is bare. Raises: BuildError where the folder is not its root."""
        facts = self._ask("rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir")
        if facts is None:
            raise BuildError(
                f"{self.folder} is no git repository and not empty: {self._refusal()}; name an empty folder"
            )
        bare, inside, git_folder = facts.split("\n", 2)
        if bare == "true":
            root = git_folder
        else:
            root = self._run("rev-parse", "--show-toplevel").rstrip("\n") if inside == "true" else ""
        if Path(root).resolve() != self.folder.resolve():
            raise BuildError(f"{self.folder} lies inside the repository {root or git_folder}; name its root")
        return bare == "true"

    def _refusal(self) -> str:
        done = self._attempt("rev-parse")
        return _words(done.stderr)

    def _import(self, ref: str, message: str, changed: Iterator[Change], removed: Sequence[str]) -> None:
        author, committer = (
            self._run("var", f"GIT_{who}_IDENT", with_who=True) for who in ("AUTHOR", "COMMITTER")
        )
        text = message.encode("utf-8", "backslashreplace")
        head = [
            f"commit {ref}\nauthor {author.strip()}\ncommitter {committer.strip()}\ndata {len(text)}\n".encode(),
            text,
            f"\nfrom {self.head}\n".encode() if self.head else b"\n",
            *(f"D {path}\n".encode() for path in removed),
        ]
        with self._importing() as stream:
            stream.write(b"".join(head))
            for change in changed:
                stream.write(f"M 100644 inline {change.path}\ndata {change.size_bytes}\n".encode())
                with change.content as file:
                    while piece := file.read(_COPY_BYTES):
                        stream.write(piece)
                stream.write(b"\n")
            stream.write(b"done\n")

    @contextmanager
    def _importing(self) -> Iterator[IO[bytes]]:
        """What `git fast-import` reads. Raises: BuildError where it fails; then nothing was imported."""
        command = git_command(self.folder, "fast-import", "--quiet", "--done", "--date-format=raw")
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stderr is not None
            try:
                yield process.stdin
                process.stdin.close()
            except BrokenPipeError:
                pass
            except BaseException:
                process.kill()
                raise
            words = process.stderr.read()
            status = process.wait()
        if status:
            raise BuildError(f"{self.folder}: git fast-import failed: {_words(words)}")

    def _move_on(self, commit: str) -> None:
        if self._is_bare:
            assert self._branch is not None
            self._run("update-ref", self._branch, commit, self.head or "")
        else:
            self._run("merge", "--quiet", "--ff-only", "--no-stat", "--no-verify-signatures", commit)

    def _run(self, *arguments: str, with_who: bool = False) -> str:
        """What git prints. Raises: BuildError with its words."""
        done = self._attempt(*arguments, variables=self._who if with_who else ())
        if done.returncode:
            hint = "; or name who commits with --author" if arguments[0] == "var" else ""
            raise BuildError(f"{self.folder}: git {arguments[0]} failed: {_words(done.stderr)}{hint}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def _ask(self, *arguments: str) -> str | None:
        """What git prints, without the line end; None where it fails."""
        done = self._attempt(*arguments)
        return None if done.returncode else done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def _attempt(
        self, *arguments: str, variables: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[bytes]:
        command = git_command(self.folder, *arguments, variables=variables)
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as exc:
            raise BuildError(f"git cannot be started ({exc.strerror}); install it") from exc


def _identity_variables(author: str | None) -> tuple[str, ...]:
    if author is None:
        return ()
    match = _AUTHOR.fullmatch(author.strip())
    if match is None:
        raise BuildError(f"--author {author!r} is not of the form 'NAME <MAIL>'")
    roles = ("AUTHOR", "COMMITTER")
    return tuple(
        f"GIT_{role}_{key}={value}"
        for role in roles
        for key, value in zip(("NAME", "EMAIL"), match.groups(), strict=True)
    )


def _words(output: bytes) -> str:
    """What git said, on one line."""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return printable(" ".join(lines))[:600] or "it gave no reason"


def path_list(paths: Mapping[str, object] | Sequence[str]) -> str:
    """The first of `paths` for a message, and how many more there are."""
    shown = ", ".join(printable(path) for path in list(paths)[:5])
    return f"{shown} and {len(paths) - 5} more" if len(paths) > 5 else shown
