"""An object storage that speaks S3, as the few verbs that publishing and reading need.

obstore is imported here alone, where a bucket is opened. Its errors carry whole answers of the server;
what is said of them is the kind, the server's own code and what to do.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from docshelf.serve.errors import ConfigError, MissingExtra, StorageError
from docshelf.serve.storage.environment import StorageEnvironment
from docshelf.serve.storage.etags import PART_BYTES
from docshelf.serve.storage.location import KEYS_ELSEWHERE, Location

if TYPE_CHECKING:
    from obstore import Attributes, PutMode
    from obstore.store import ClientConfig, S3Store

_PARTS_AT_ONCE = 4
_RETRY = timedelta(minutes=3)
"""A request is signed once, and a signature holds for some minutes."""
_LISTED_AT_ONCE = 1000
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_STATUS = re.compile(r"status code: ([0-9]{3} [A-Za-z ]{1,40})")
_NO_KEYS = (
    "the environment holds no keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
    "AWS_SKIP_SIGNATURE=true to read what everybody may read"
)
_REACH = "see that --endpoint is right and the server can be reached"
_RIGHTS = "see that the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are right and may do this"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a request may take before it fails."""

    whole_s: float
    """With its body."""
    stalled_s: float
    """Without a byte."""
    retries: int
    """After a fault of the server or the network."""


PUBLISHING = Patience(whole_s=600, stalled_s=60, retries=5)
READING = Patience(whole_s=120, stalled_s=10, retries=1)


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What a listing tells of an object."""

    size_bytes: int
    etag: str


@dataclass(frozen=True, slots=True)
class Headers:
    """What an object is served with."""

    type: str
    """Media type with charset where it is text."""
    cache: str
    """Cache-Control."""


class Bucket:
    """The objects below a location, by their path from there. Safe between threads.

    Every method raises StorageError where the storage refuses or cannot be reached.
    """

    def __init__(self, location: Location, store: "S3Store") -> None:
        self._store = store
        self.location = location

    def listing(self, *left_out: str) -> dict[str, StoredObject]:
        """Every object by path, without those below the folders `left_out` of the first level."""
        with self._said("list"):
            top = self._store.list_with_delimiter()
        found = {it["path"]: StoredObject(it["size"], it["e_tag"] or "") for it in top["objects"]}
        for folder in top["common_prefixes"]:
            if folder not in left_out:
                found |= self.below(folder)
        return found

    def below(self, folder: str) -> dict[str, StoredObject]:
        """Every object below `folder`, by path."""
        found: dict[str, StoredObject] = {}
        with self._said(f"list {folder}"):
            for chunk in self._store.list(folder, chunk_size=_LISTED_AT_ONCE):
                found |= {it["path"]: StoredObject(it["size"], it["e_tag"] or "") for it in chunk}
        return found

    def folders(self, folder: str) -> list[str]:
        """The names of the folders right below `folder`."""
        with self._said(f"list {folder}"):
            found = self._store.list_with_delimiter(folder)
        return sorted(path.rpartition("/")[2] for path in found["common_prefixes"])

    def holds(self, folder: str) -> bool:
        """Whether an object stands below `folder`; storages that know folders show empty ones for a while."""
        with self._said(f"list {folder}"):
            return any(len(chunk) > 0 for chunk in self._store.list(folder, chunk_size=1))

    def etag(self, path: str) -> str | None:
        """The ETag of the object at `path`; None where there is none."""
        with self._said(f"ask for {path}"):
            try:
                return self._store.head(path)["e_tag"]
            except FileNotFoundError:
                return None

    def headers(self, path: str) -> Headers:
        """What the object at `path` is served with; empty where it has none or is not there."""
        with self._said(f"ask for {path}"):
            try:
                attributes = self._store.get(path, options={"head": True}).attributes
            except FileNotFoundError:
                return Headers("", "")
        return Headers(attributes.get("Content-Type", ""), attributes.get("Cache-Control", ""))

    def get(self, path: str) -> tuple[bytes, str] | None:
        """Content and ETag of the object at `path`; None where there is none."""
        with self._said(f"get {path}"):
            try:
                answer = self._store.get(path)
            except FileNotFoundError:
                return None
            return bytes(answer.bytes()), answer.meta["e_tag"] or ""

    def chunks(self, path: str) -> Iterator[bytes]:
        """The content of the object at `path` in pieces; none where there is no object."""
        with self._said(f"get {path}"):
            try:
                yield from self._store.get(path).stream(min_chunk_size=1 << 20)
            except FileNotFoundError:
                return

    def put(self, path: str, content: bytes | BinaryIO, headers: Headers) -> str:
        """Puts an object in one step and gives its ETag; larger ones go in parts of `PART_BYTES`."""
        return self._put(path, content, headers, "overwrite")

    def create(self, path: str, content: bytes, headers: Headers) -> str | None:
        """Puts an object where there is none and gives its ETag; None where there is one."""
        from obstore.exceptions import AlreadyExistsError

        try:
            return self._put(path, content, headers, "create", AlreadyExistsError)
        except AlreadyExistsError:
            return None

    def replace(self, path: str, content: bytes, headers: Headers, etag: str) -> str | None:
        """Puts an object in the place of the one with `etag` and gives its ETag; None where that is gone."""
        from obstore.exceptions import PreconditionError

        try:
            return self._put(path, content, headers, {"e_tag": etag}, PreconditionError, FileNotFoundError)
        except (PreconditionError, FileNotFoundError):
            return None

    def copy(self, path: str, to: str) -> None:
        """Copies an object with its headers inside the storage."""
        with self._said(f"copy {path}"):
            self._store.copy(path, to)

    def delete(self, paths: Sequence[str]) -> None:
        """Deletes objects; one that is not there is no fault."""
        with self._said(f"delete {len(paths)} objects"):
            self._store.delete(list(paths))

    def _put(
        self,
        path: str,
        content: bytes | BinaryIO,
        headers: Headers,
        mode: "PutMode",
        *expected: type[Exception],
    ) -> str:
        attributes = cast("Attributes", {"Content-Type": headers.type, "Cache-Control": headers.cache})
        with self._said(f"put {path}", *expected):
            result = self._store.put(
                path,
                content,
                attributes=attributes,
                mode=mode,
                chunk_size=PART_BYTES,
                max_concurrency=_PARTS_AT_ONCE,
            )
        return result["e_tag"] or ""

    @contextmanager
    def _said(self, what: str, *expected: type[Exception]) -> Iterator[None]:
        """Turns what obstore raises into a StorageError, but for what the caller expects."""
        from obstore.exceptions import BaseError

        try:
            yield
        except expected:
            raise
        except (BaseError, OSError, ValueError) as exc:
            raise StorageError(f"{self.location}: cannot {what}: {_reason(exc)}") from None


def open_bucket(
    location: Location, environment: StorageEnvironment, endpoint: str | None, ca: Path | None, wait: Patience
) -> Bucket:
    """The bucket at `location`; nothing is asked of it yet.

    `endpoint` is the server's address where it is not that of the environment or Amazon's; `ca` is a file
    of certificates (PEM) that its certificate is held against beside those of the system.

    Raises: MissingExtra; ConfigError where keys are missing or `ca` cannot be used.
    """
    try:
        from obstore.exceptions import BaseError
        from obstore.store import S3Store
    except ImportError as exc:
        raise MissingExtra("s3", "obstore") from exc
    if not environment.has_credentials:
        raise ConfigError([f"{location}: {_NO_KEYS}"])
    address = _address(endpoint or environment.endpoint)
    client: ClientConfig = {
        "timeout": timedelta(seconds=wait.whole_s),
        "read_timeout": timedelta(seconds=wait.stalled_s),
        "connect_timeout": timedelta(seconds=5),
        "allow_http": address.startswith("http://"),
    }
    if ca is not None:
        client["root_certificate"] = _certificates(ca)
    given = {"endpoint": address} if address else {}
    try:
        store = S3Store(
            location.bucket,
            prefix=location.prefix or None,
            client_options=client,
            retry_config={"max_retries": wait.retries, "retry_timeout": _RETRY},
            **given,  # type: ignore[arg-type]  # a TypedDict cannot be left open
        )
    except (BaseError, OSError, ValueError) as exc:
        raise ConfigError([f"{location}: {_reason(exc)}"]) from None
    return Bucket(location, store)


def _address(endpoint: str | None) -> str:
    """The server's address; "" is Amazon's.

    Raises: ConfigError.
    """
    if not endpoint:
        return ""
    if "@" in endpoint:
        raise ConfigError([KEYS_ELSEWHERE])
    if not endpoint.startswith(("http://", "https://")):
        raise ConfigError([f"{endpoint}: is no address of a server; it begins with https:// or http://"])
    return endpoint.rstrip("/")


def _certificates(ca: Path) -> bytes:
    """Raises: ConfigError."""
    try:
        content = ca.read_bytes()
    except OSError as exc:
        raise ConfigError([f"--ca {ca}: cannot be read ({exc.strerror})"]) from exc
    if b"-----BEGIN CERTIFICATE-----" not in content:
        raise ConfigError([f"--ca {ca}: holds no certificate in PEM"])
    return content


def _reason(exc: Exception) -> str:
    """What happened and what to do; never the server's whole answer, which may repeat keys and signatures."""
    text = str(exc)
    code, status = _CODE.search(text), _STATUS.search(text)
    said = ", ".join(found[1].strip() for found in (status, code) if found)
    if code and code[1] == "NoSuchBucket":
        return f"{said}; make the bucket first"
    if said.startswith(("401", "403")):
        return f"{said}; {_RIGHTS}"
    if said:
        return f"{said}; ask the storage's keeper"
    if "certificate" in text or "UnknownIssuer" in text:
        return "the server's certificate is not trusted; name its authority with --ca FILE"
    if isinstance(exc, ValueError):
        return "the storage's client refuses this name"
    if "BadScheme" in text or "RelativeUrlWithoutBase" in text:
        return "the endpoint is no http or https address"
    return f"no answer; {_REACH}"
