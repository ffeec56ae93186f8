"""Pages of a PDF whose page tree is lost: found among its objects and hung into a new tree.

A file that was cut short mostly ends before its tree, which stands last, but holds whole pages. MuPDF 1.28
repairs the list of objects and then says that the file has no pages.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pymupdf

MAX_PAGES = 20_000
_MARK = "DocShelfRebuilt"


def rebuild_page_tree(document: "pymupdf.Document") -> int:
    """How many pages were found and put in the order of their objects; 0 changes nothing.

    A tree that is there is believed, whatever it says: pages outside of it were taken out by somebody.
    """
    if _has_tree(document):
        return 0
    pages = [xref for xref in range(1, document.xref_length()) if _is_page(document, xref)][:MAX_PAGES]
    if not any(_has_content(document, xref) for xref in pages):
        return 0
    tree, catalog = document.get_new_xref(), document.get_new_xref()
    kids = " ".join(f"{xref} 0 R" for xref in pages)
    document.update_object(tree, f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>")
    for xref in pages:
        document.xref_set_key(xref, "Parent", f"{tree} 0 R")
    document.update_object(catalog, f"<</Type/Catalog/Pages {tree} 0 R/{_MARK} true>>")
    document.xref_set_key(-1, "Root", f"{catalog} 0 R")
    return len(pages)


def is_rebuilt(document: "pymupdf.Document") -> bool:
    """Whether the document's pages stand in a tree that `rebuild_page_tree` made."""
    return bool(document.xref_get_key(document.pdf_catalog(), _MARK)[1] == "true")


def _has_tree(document: "pymupdf.Document") -> bool:
    catalog = document.pdf_catalog()
    return catalog > 0 and _key(document, catalog, "Pages/Kids") != "null"


def _is_page(document: "pymupdf.Document", xref: int) -> bool:
    return _key(document, xref, "Type") == "/Page"


def _has_content(document: "pymupdf.Document", xref: int) -> bool:
    """Whether the first stream of the page's content is in the file."""
    first = _key(document, xref, "Contents").strip("[ ").split(" ")[0]
    return first.isdecimal() and int(first) < document.xref_length() and document.xref_is_stream(int(first))


def _key(document: "pymupdf.Document", xref: int, key: str) -> str:
    """The value of a key; "" where the object cannot be read or is no dictionary."""
    import pymupdf

    try:
        return str(document.xref_get_key(xref, key)[1])
    except (RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase):
        return ""
