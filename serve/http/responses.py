"""HTTP answers: files with ETags and ranges, Markdown, and the one shape of an error."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from docshelf.serve.answering.reading import Answer
from docshelf.serve.errors import NotOnShelf, ShelfError
from docshelf.serve.manifest import FileRow
from docshelf.serve.media import HTML, JSON, MARKDOWN, SVG
from docshelf.serve.releases.addresses import markdown_twin, relative
from docshelf.serve.releases.packed import has_twin, packed_row
from docshelf.serve.releases.tree import SMALL_BYTES, Release

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
CHECK_FIRST = "no-cache"
FOR_EVER = "public, max-age=31536000, immutable"
_CHUNK_BYTES = 256 * 1024
_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class RangeNotSatisfiable(ShelfError):
    """The range lies outside the file."""

    def __init__(self, size_bytes: int) -> None:
        super().__init__(f"The range lies outside the file; it has {size_bytes} bytes.")
        self.size_bytes = size_bytes


def error_response(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The one shape of every HTTP error: `{"error": {"code", "message"}}`."""
    content = json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False)
    common = _common() | {"Cache-Control": "no-store", "Content-Type": JSON}
    return Response(content.encode("utf-8", "replace"), status, common | dict(headers or {}))


def markdown_response(request: Request, answer: Answer) -> Response:
    """What list, fetch or inspect says, with an ETag over the text."""
    content = answer.text.encode()
    etag = _etag(hashlib.sha256(content).hexdigest())
    headers = _common() | {"ETag": etag, "Cache-Control": CHECK_FIRST, "Content-Type": MARKDOWN}
    links = [f'<{quote(answer.path)}>; rel="canonical"'] if answer.path else []
    headers["Link"] = ", ".join(
        [*links, '<llms.txt>; rel="describedby"', '<openapi.json>; rel="service-desc"']
    )
    if _is_known(request, etag):
        return _not_modified(headers)
    return _whole(request, content, headers)


def json_response(request: Request, value: Mapping[str, object]) -> Response:
    """`value` as JSON that is never kept."""
    content = json.dumps(value, ensure_ascii=False).encode()
    return _whole(request, content, _common() | {"Cache-Control": "no-store", "Content-Type": JSON})


def moved_response(path: str, asked: str) -> Response:
    """The way from the stale address `asked` to `path`; a later release may number them otherwise."""
    return Response(
        status_code=308, headers=_common() | {"Location": relative(path, asked), "Cache-Control": "no-store"}
    )


def file_response(request: Request, release: Release, path: str, *, immutable: bool) -> Response:
    """The file `path` of a release; its Markdown twin where the reader asks for Markdown.

    It is sent packed to who can unpack it, unless a part of it is asked for. `immutable` is for addresses
    that carry the release: they never change.

    Raises: NotOnShelf; ShelfDamaged; RangeNotSatisfiable.
    """
    row = release.row(path)
    if path in release.twins:
        raise NotOnShelf("Sent only in place of the file it packs; leave out its last ending.")
    headers = _file_headers(release, row, immutable)
    twin = release.files.get(markdown_twin(path)) if row.type == HTML else None
    if twin is not None and _wants_markdown(request.headers.get("accept", "")):
        row = twin
        content_location = relative(twin.path, path)
        headers |= {"Content-Type": row.type, "ETag": _etag(row.sha256), "Content-Location": content_location}
    if has_twin(release.files, row.path):
        row, headers = _packed(request, release, row, headers)
    if _is_known(request, headers["ETag"]):
        return _not_modified(headers)
    span = _range(request, row, headers["ETag"])
    if span is not None:
        return _part(request, release, row, span, headers)
    if row.bytes <= SMALL_BYTES:
        return _whole(request, release.read(row.path), headers)
    return _streamed(request, release, row, (0, row.bytes), headers, 200)


def _common() -> dict[str, str]:
    return {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


def _file_headers(release: Release, row: FileRow, immutable: bool) -> dict[str, str]:
    headers = _common() | {
        "Content-Type": row.type,
        "ETag": _etag(row.sha256),
        "Cache-Control": FOR_EVER if immutable else CHECK_FIRST,
        "Accept-Ranges": "bytes",
    }
    if row.type in (HTML, SVG):
        headers["Content-Security-Policy"] = PAGE_POLICY
    links = []
    twin = markdown_twin(row.path)
    if twin != row.path and twin in release.files:
        headers["Vary"] = "Accept"
        links.append(f'<{relative(twin, row.path)}>; rel="alternate"; type="text/markdown"')
    if row.type in (HTML, MARKDOWN):
        covering = _covering_llms(release, row.path)
        if covering is not None:
            links.append(f'<{relative(covering, row.path)}>; rel="describedby"')
    if links:
        headers["Link"] = ", ".join(links)
    return headers


def _packed(
    request: Request, release: Release, row: FileRow, headers: dict[str, str]
) -> tuple[FileRow, dict[str, str]]:
    """What is sent of a file that has twins: one of these, as a version of its own, or the file.

    A part is always one of the file: nobody can unpack the middle of a twin (RFC 9110, 14.2).
    """
    headers = headers | {"Vary": ", ".join([*filter(None, [headers.get("Vary")]), "Accept-Encoding"])}
    if "range" in request.headers:
        return row, headers
    twin = packed_row(release.files, row.path, request.headers.get("accept-encoding", ""))
    if twin is None:
        return row, headers
    coding, row = twin
    return row, headers | {"Content-Encoding": coding, "ETag": _etag(row.sha256), "Accept-Ranges": "none"}


def _covering_llms(release: Release, path: str) -> str | None:
    """The llms.txt of the nearest folder above `path`."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        candidate = f"{folder}/llms.txt" if folder else "llms.txt"
        if candidate in release.files:
            return candidate
    return None


def _etag(sha256: str) -> str:
    return f'"{sha256[:32]}"'


def _is_known(request: Request, etag: str) -> bool:
    """If-None-Match, compared weakly (RFC 9110, 13.1.2)."""
    known = request.headers.get("if-none-match")
    if known is None:
        return False
    return known.strip() == "*" or etag in (tag.strip().removeprefix("W/") for tag in known.split(","))


def _wants_markdown(accept: str) -> bool:
    """Whether Accept names text/markdown and ranks it no lower than HTML; `*/*` alone means HTML."""
    ranks = {}
    for part in accept.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        rank = next((text[2:] for text in parameters if text.startswith("q=")), "1")
        try:
            ranks[name] = float(rank)
        except ValueError:
            ranks[name] = 0.0
    wanted = ranks.get("text/markdown", 0.0)
    return wanted > 0 and wanted >= ranks.get("text/html", 0.0)


def _range(request: Request, row: FileRow, etag: str) -> tuple[int, int] | None:
    """First byte and the one after the last; None where the whole file is to be sent (RFC 9110, 14.2)."""
    match = _RANGE.fullmatch(request.headers.get("range", "").replace(" ", ""))
    if match is None or match.group(0) == "bytes=-" or request.method != "GET":
        return None
    if request.headers.get("if-range", etag) != etag:
        return None
    first, last = match.groups()
    if not first:
        start, end = max(row.bytes - int(last), 0), row.bytes
    else:
        start, end = int(first), min(int(last) + 1 if last else row.bytes, row.bytes)
        if last and int(last) < start:
            return None
    if start >= row.bytes or start == end:
        raise RangeNotSatisfiable(row.bytes)
    return start, end


def _part(
    request: Request, release: Release, row: FileRow, span: tuple[int, int], headers: dict[str, str]
) -> Response:
    start, end = span
    headers = headers | {"Content-Range": f"bytes {start}-{end - 1}/{row.bytes}"}
    if row.bytes <= SMALL_BYTES:
        return Response(release.read(row.path)[start:end], 206, headers)
    return _streamed(request, release, row, span, headers, 206)


def _whole(request: Request, content: bytes, headers: dict[str, str]) -> Response:
    if request.method == "HEAD":
        return Response(b"", headers=headers | {"Content-Length": str(len(content))})
    return Response(content, headers=headers)


def _streamed(
    request: Request,
    release: Release,
    row: FileRow,
    span: tuple[int, int],
    headers: dict[str, str],
    status: int,
) -> Response:
    start, end = span
    headers = headers | {"Content-Length": str(end - start)}
    if request.method == "HEAD":
        return Response(b"", status, headers)
    return StreamingResponse(_chunks(release.open(row.path), start, end), status, headers)


def _chunks(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    with file:
        file.seek(start)
        left = end - start
        while left > 0:
            chunk = file.read(min(_CHUNK_BYTES, left))
            if not chunk:
                return
            left -= len(chunk)
            yield chunk


def _not_modified(headers: Mapping[str, str]) -> Response:
    kept = ("ETag", "Cache-Control", "Vary", "Content-Location", "X-Content-Type-Options", "Referrer-Policy")
    return Response(status_code=304, headers={name: headers[name] for name in kept if name in headers})
