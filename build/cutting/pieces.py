"""A document's blocks as pieces of Markdown, in order, ready to be cut into sections."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from docshelf.build.converting.converted import Block, ConvertedDocument, Page
from docshelf.build.cutting.joining import join_lines
from docshelf.build.cutting.markdown import escape_line, link, write_block
from docshelf.build.cutting.page_ends import join_rows
from docshelf.build.cutting.split import Piece
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
        yield Piece(number, markdown, depth=block.level if block.kind == "list" else 0)


def _page_picture(page: Page, picture_folder: str, words: Wording) -> str:
    if page.grade != "C" and not page.picture:
        return ""
    name = f"{words.printed_pages(page.label)}: {words.page_without_text}"
    if page.grade != "C":
        name = words.printed_pages(page.label)
    return f"!{link(name, f'{picture_folder}/{page.picture}')}" if page.picture else escape_line(name)


def _whole_blocks(pages: Sequence[Page]) -> Iterator[tuple[int, Block]]:
    """Each block with the page it begins on; what goes on over a page end is one block.

    Notes and figures that stand between its parts come after it.
    """
    waiting: tuple[int, Block] | None = None
    between = list[tuple[int, Block]]()
    for page in pages:
        for block in page.blocks:
            if block.joined and waiting and _may_join(waiting[1], block):
                number, first = waiting
                waiting = number, _joined(first, block)
            elif block.kind in ("note", "figure") and waiting:
                between.append((page.number, block))
            else:
                yield from [waiting, *between] if waiting else []
                waiting, between = (page.number, block), []
    yield from [waiting, *between] if waiting else []


def _may_join(first: Block, second: Block) -> bool:
    """Whether two blocks can be one: of one kind, or an item and the rest of its text."""
    return first.kind == second.kind or (first.kind == "list" and second.kind == "paragraph")


def _joined(first: Block, second: Block) -> Block:
    if first.rows and second.rows:
        return replace(first, rows=join_rows(first.rows, second.rows))
    return replace(first, lines=first.lines + second.lines, rows=first.rows + second.rows)
