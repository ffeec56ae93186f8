"""A PDF is opened by its content, and each way to fail has its own code."""

from pathlib import Path

import pymupdf
import pytest

from docshelf.build.engines.opening import open_pdf
from docshelf.build.engines.page_tree import is_rebuilt
from docshelf.serve.errors import SourceError


def _fault(file: Path, password: str | None = None) -> SourceError:
    with pytest.raises(SourceError) as caught, open_pdf(file, password):
        pass
    return caught.value


def _saved(tmp_path: Path, **options: object) -> Path:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "Ports")
    file = tmp_path / "manual.pdf"
    document.save(file, **options)
    return file


def test_a_sound_file_gives_its_document(tmp_path: Path) -> None:
    with open_pdf(_saved(tmp_path)) as document:
        assert document.page_count == 1
    assert document.is_closed


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", "empty", "0 bytes"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 20, "not-a-pdf", "PNG"),
        (b"\n<!DOCTYPE html><title>Not Found</title>", "not-a-pdf", "HTML page"),
        (b"PK\x03\x04" + b"\0" * 30, "not-a-pdf", "zip"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "not-a-pdf", "HTTP answer"),
        (b"plain words", "not-a-pdf", "text"),
        (b"\0" * 64, "not-a-pdf", "zero bytes"),
        (b"%PDF-1.7\nnothing more", "damaged", "damaged"),
    ],
)
def test_what_is_no_pdf_is_named_by_its_content(
    tmp_path: Path, content: bytes, code: str, words: str
) -> None:
    file = tmp_path / "manual.pdf"
    file.write_bytes(content)
    fault = _fault(file)
    assert fault.code == code
    assert words in str(fault)


def test_a_few_bytes_before_the_header_do_no_harm(tmp_path: Path) -> None:
    file = _saved(tmp_path)
    file.write_bytes(b"\xef\xbb\xbfjunk\n" + file.read_bytes())
    with open_pdf(file) as document:
        assert document.load_page(0).get_text().strip() == "Ports"


def test_a_locked_file_asks_for_its_password_and_takes_only_the_right_one(tmp_path: Path) -> None:
    file = _saved(tmp_path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    assert _fault(file).code == "password-needed"
    assert _fault(file, "guess").code == "wrong-password"
    with open_pdf(file, "open") as document:
        assert document.page_count == 1


def test_a_file_locked_for_its_owner_only_opens_without_a_password(tmp_path: Path) -> None:
    file = _saved(tmp_path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="", owner_pw="own")
    with open_pdf(file) as document:
        assert document.page_count == 1


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("hostile/zero_pages.pdf", "no-pages"),
        ("hostile/page_tree_cycle.pdf", "damaged"),
        ("hostile/truncated.pdf", "damaged"),
        ("hostile/png_named_pdf.pdf", "not-a-pdf"),
    ],
)
def test_broken_files_fail_with_their_code(shared: Path, name: str, code: str) -> None:
    assert _fault(shared / "cases" / name).code == code


def test_the_reason_of_a_fault_names_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "manual.pdf"
    file.write_bytes(b"%PDF-1.7\nnothing more")
    assert str(tmp_path) not in str(_fault(file))


def _cut_short(tmp_path: Path, *, at: bytes) -> Path:
    """A file of three pages, each behind its content, that ends where the object begins that holds `at`."""
    parts = [b"%PDF-1.4\n", b"1 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>\nendobj\n"]
    for n in (1, 2, 3):
        text = f"BT /F 12 Tf 72 700 Td (Chapter {n}) Tj ET".encode()
        parts.append(b"%d 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n" % (2 * n, len(text), text))
        parts.append(
            b"%d 0 obj\n<</Type/Page/MediaBox[0 0 595 842]/Parent 8 0 R/Contents %d 0 R"
            b"/Resources<</Font<</F 1 0 R>>>>>>\nendobj\n" % (2 * n + 1, 2 * n)
        )
    parts.append(b"8 0 obj\n<</Type/Pages/Count 3/Kids[3 0 R 5 0 R 7 0 R]>>\nendobj\n")
    parts.append(b"9 0 obj\n<</Type/Catalog/Pages 8 0 R>>\nendobj\ntrailer\n<</Root 9 0 R>>\n%%EOF\n")
    kept = parts[: next(n for n, part in enumerate(parts) if at in part)]
    file = tmp_path / "cut.pdf"
    file.write_bytes(b"".join(kept))
    return file


def test_pages_of_a_file_that_ends_before_its_page_tree_are_found(tmp_path: Path) -> None:
    with open_pdf(_cut_short(tmp_path, at=b"8 0 obj")) as document:
        texts = [document.load_page(n).get_text().strip() for n in range(document.page_count)]
        assert texts == ["Chapter 1", "Chapter 2", "Chapter 3"]
        assert is_rebuilt(document)


def test_a_file_with_its_page_tree_is_not_rebuilt(tmp_path: Path) -> None:
    with open_pdf(_saved(tmp_path)) as document:
        assert not is_rebuilt(document)


def test_a_file_that_ends_before_the_first_content_stays_refused(tmp_path: Path) -> None:
    assert _fault(_cut_short(tmp_path, at=b"stream")).code == "damaged"
