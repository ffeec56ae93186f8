"""A document's blocks as pieces of Markdown, in order, ready to be cut into sections."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from docshelf.build.converted import Block, ConvertedDocument, Page
from docshelf.build.joining import join_lines
from docshelf.build.markdown import escape_line, link, write_block
from docshelf.build.split import Piece
from docshelf.build.wording import Wording


def document_pieces(document: ConvertedDocument, picture_folder: str, words: Wording) -> list[Piece]:
    """The pieces of a document whose headings are decided.

    `picture_folder` is the relative path from its sections to its pictures. A page without text is shown
    by its picture, or named where it has none.
    """
    of_page: dict[int, list[Piece]] = {page.number: [] for page in document.pages}
    for number, block in _whole_blocks(document.pages):
        of_page[number] += _block_pieces(number, block, picture_folder)
    pieces: list[Piece] = []
    for page in document.pages:
        own, shown = of_page[page.number], _page_picture(page, picture_folder, words)
        # The picture follows the headings the page begins with: it is part of what they head.
        begins = next((at for at, piece in enumerate(own) if not piece.level), len(own))
        pieces += [*own[:begins], *([Piece(page.number, shown)] if shown else []), *own[begins:]]
    return pieces


def _block_pieces(number: int, block: Block, picture_folder: str) -> Iterator[Piece]:
    if block.kind == "heading":
        title = join_lines(block.lines).text
        if title:
            yield Piece(number, "", max(1, min(6, block.level)), title)
    elif markdown := write_block(block, picture_folder):
        yield Piece(number, markdown)


def _page_picture(page: Page, picture_folder: str, words: Wording) -> str:
    if page.grade != "C" and not page.picture:
        return ""
    name = f"{words.printed_pages(page.label)}: {words.page_without_text}"
    if page.grade != "C":
        name = words.printed_pages(page.label)
    return f"!{link(name, f'{picture_folder}/{page.picture}')}" if page.picture else escape_line(name)


def _whole_blocks(pages: Sequence[Page]) -> Iterator[tuple[int, Block]]:
    """Each block with the page it begins on; what goes on over a page end is one block."""
    waiting: tuple[int, Block] | None = None
    for page in pages:
        for block in page.blocks:
            if block.joined and waiting and waiting[1].kind == block.kind:
                number, first = waiting
                waiting = number, _joined(first, block)
                continue
            if waiting:
                yield waiting
            waiting = page.number, block
    if waiting:
        yield waiting


def _joined(first: Block, second: Block) -> Block:
    rows = second.rows
    # A table that goes on may repeat its head.
    if first.rows and rows and rows[0] == first.rows[0]:
        rows = rows[1:]
    if first.rows and rows and len(rows[0]) != len(first.rows[0]):
        width = max(len(first.rows[0]), len(rows[0]))
        padded = tuple((*row, *[""] * (width - len(row))) for row in (*first.rows, *rows))
        return replace(first, rows=padded)
    return replace(first, lines=first.lines + second.lines, rows=first.rows + rows)
