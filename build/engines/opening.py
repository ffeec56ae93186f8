"""A PDF opened with care: content decides what a file is, and every way to fail has its own code."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.build.engines.page_tree import rebuild_page_tree
from docshelf.serve.errors import SourceError

if TYPE_CHECKING:
    import pymupdf

HEADER_WINDOW = 1024
"""Bytes at the start of a file in which readers accept `%PDF-` (ISO 32000-1, annex H, note 13)."""

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"BM", "a BMP picture"),
    (b"AT&TFORM", "a DjVu document"),
    (b"PK\x03\x04", "a zip archive (docx, xlsx, pptx or zip)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office document (doc, xls or ppt)"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript program"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"HTTP/", "a stored HTTP answer"),
    (b"version https://git-lfs", "a Git LFS pointer; fetch the file itself with git lfs pull"),
)


@contextmanager
def open_pdf(path: Path, password: str | None = None) -> "Iterator[pymupdf.Document]":
    """The PDF at `path`, unlocked and with at least one page; closed on leaving.

    Raises: SourceError with code `empty`, `not-a-pdf`, `damaged`, `password-needed`, `wrong-password`
        or `no-pages`; its text says what the file is and what to do.
    """
    _check_content(path)
    document = _opened(path)
    try:
        _unlock(document, password)
        _check_pages(document, path)
        yield document
    finally:
        document.close()


def library_faults() -> tuple[type[Exception], ...]:
    """What MuPDF raises when a file is not as it should be; to be caught round single calls."""
    import pymupdf

    return (RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase)


def _check_content(path: Path) -> None:
    """Raises: SourceError `empty` or `not-a-pdf`; MuPDF would open an HTML page or a PNG named .pdf."""
    with path.open("rb") as file:
        head = file.read(HEADER_WINDOW + len(b"%PDF-"))
    if not head:
        raise SourceError("empty", "the file is empty (0 bytes); copy it again from where it came from")
    if b"%PDF-" not in head:
        raise SourceError(
            "not-a-pdf", f"the content is {_name_content(head)}, not a PDF; rename or replace it"
        )


def _name_content(head: bytes) -> str:
    """What the first bytes of a file say it is, as a noun phrase."""
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "a WebP picture"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:256].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) or b"<html" in start:
        return "an HTML page"
    if start.startswith((b"<?xml", b"<svg")):
        return "an XML file"
    if not head.strip(b"\x00"):
        return "nothing but zero bytes"
    return "text" if _is_text(head) else "of an unknown kind"


def _is_text(head: bytes) -> bool:
    return not any(byte < 9 or 13 < byte < 32 for byte in head)


def _opened(path: Path) -> "pymupdf.Document":
    """Raises: SourceError `damaged` or `not-a-pdf`."""
    import pymupdf

    # MuPDF prints its own complaints to the standard streams; what matters becomes a remark.
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        document = pymupdf.open(path, filetype="pdf")
    except library_faults() as exc:
        raise SourceError(
            "damaged", f"the PDF is damaged beyond repair ({_reason(exc)}); get it again"
        ) from exc
    if not document.is_pdf:
        document.close()
        raise SourceError("not-a-pdf", "the content only looks like a PDF; replace the file")
    return document


def _unlock(document: "pymupdf.Document", password: str | None) -> None:
    """Raises: SourceError `password-needed` or `wrong-password`; no password is ever guessed."""
    if not document.needs_pass:
        return
    if not password:
        raise SourceError(
            "password-needed",
            "the PDF is locked with a password; name the variable that holds it in the sidecar (password_env)",
        )
    if not document.authenticate(password):
        raise SourceError(
            "wrong-password", "the password does not open the PDF; check the sidecar's password_env"
        )


def _check_pages(document: "pymupdf.Document", path: Path) -> None:
    """Raises: SourceError `no-pages` or `damaged`; a page count alone may lie, so page 1 is loaded."""
    try:
        if document.page_count > 0:
            document.load_page(0)
            return
        fault = None
    except library_faults() as exc:
        fault = exc
    if _find_pages(document):
        return
    if fault is not None:
        raise SourceError(
            "damaged", f"the PDF's page tree cannot be read ({_reason(fault)}); repair or replace it"
        ) from fault
    if not _is_whole(path):
        raise SourceError("damaged", "the PDF is cut short and its pages cannot be found; copy it again")
    raise SourceError("no-pages", "the PDF has no pages; export it again from where it was written")


def _find_pages(document: "pymupdf.Document") -> bool:
    """Whether pages could be found without the file's own page tree; they hang in a new one then."""
    try:
        if not rebuild_page_tree(document):
            return False
        document.load_page(0)
    except library_faults():
        return False
    return True


def _is_whole(path: Path) -> bool:
    """Whether the file ends as a PDF does."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - HEADER_WINDOW))
        return b"%%EOF" in file.read()


def _reason(error: Exception) -> str:
    """The library's own words on one line, without file names."""
    words = " ".join(str(error).split("\n")[0].split())
    return words[:120].split(" '/")[0] or type(error).__name__
