import pytest

from docshelf.build.indexing.indexes import Index, IndexGroup, IndexLine, size_words, write_index
from docshelf.serve.llms import parse_index


def index_of(*groups: tuple[str, int], title: str = "Полка") -> Index:
    made = tuple(
        IndexGroup(
            name,
            tuple(
                IndexLine(
                    f"{name} document {number:04d}",
                    f"docs/{name}/{number:04d}.md",
                    "12 pages, 40 KB",
                    size_bytes=40_000,
                )
                for number in range(count)
            ),
        )
        for name, count in groups
    )
    return Index("index.md", title, "Summary", "Guide.", made, "en")


def test_an_index_is_written_as_strict_readers_take_it() -> None:
    text = write_index(index_of(("net", 2)))
    assert text == (
        "# Полка\n\n> Summary\n\nGuide.\n\n## net\n\n"
        "- [net document 0000](docs/net/0000.md): 12 pages, 40 KB\n"
        "- [net document 0001](docs/net/0001.md): 12 pages, 40 KB\n"
    )
    assert [link.url for link in parse_index(text).links] == ["docs/net/0000.md", "docs/net/0001.md"]


@pytest.mark.parametrize(
    "title",
    ["[x](javascript:1)", "a\\", "# h", "<b>", "`c`", "a]b[c", "*", "&amp;", "_a_", "![i](x)", "1. a"],
)
def test_one_line_is_exactly_one_link_whatever_the_title(title: str) -> None:
    line = IndexLine(title, "docs/a.md", f"note {title}\n- [b](c)")
    text = write_index(Index("index.md", title, title, title, (IndexGroup(title, (line,)),), "en"))
    assert [link.url for link in parse_index(text).links] == ["docs/a.md"]


def test_addresses_are_relative_to_the_index_or_as_asked() -> None:
    index = Index(
        "docs/a/index.md",
        "T",
        "S",
        "G",
        (IndexGroup("g", (IndexLine("x", "docs/a/b/subindex.md", "n"),)),),
        "en",
    )
    assert "](b/subindex.md)" in write_index(index)
    assert "](https://s/docs/a/b/subindex.md)" in write_index(index, lambda path: f"https://s/{path}")


def test_sizes_are_rounded_up() -> None:
    assert [size_words(size, "en") for size in (1, 1024, 1025)] == ["1 KB", "1 KB", "2 KB"]
    assert (size_words(5000, "ru"), size_words(13_000_000, "ru")) == ("5 КБ", "13 МБ")
