"""What questions cost and how many are answered: our route, one flat index, and docshelf-mcp.

    python benchmarks/route.py --site SITE
    python benchmarks/route.py --site SITE --peer PROGRAM --peer-sources FOLDER --peer-shelf FOLDER

A reader without a model answers the questions of benchmarks/questions.tsv, which ask for a detail, those of
benchmarks/topics.tsv, which name a topic that has a heading, and all together (route_reader.py says how). Printed
for each way: the share of questions answered, bytes and calls by percentile, then each failure with what was
followed instead. "whole texts" is no way of reading but a limit: every section ranked by all its words.

Without --site the shelf is built first, from the PDFs of ../shared/corpus/pdfs beside the repository, sorted
into folders (route_sources.py), and shelf_src; --sources keeps that source folder. docshelf-mcp is asked where
PROGRAM, its command `docshelf-mcp`, is given; it reads --peer-sources (default: the same folder).
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY)]

from benchmarks.route_ceiling import WholeText
from benchmarks.route_peer import PeerShelf
from benchmarks.route_questions import Question, read_questions
from benchmarks.route_reader import Library, Reader, Walk
from benchmarks.route_search import Searching
from benchmarks.route_shelves import FlatShelf, Shelf
from benchmarks.route_sources import gather_sources
from docshelf.serve.releases.tree import Release, Site
from docshelf.serve.route import percentile

QUESTIONS = tuple(REPOSITORY / "benchmarks" / name for name in ("questions.tsv", "topics.tsv"))
PERCENTILES = (50, 75, 95)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=Path, action="append", metavar="FILE")
    parser.add_argument("--site", type=Path, help="a built shelf (default: build one)")
    parser.add_argument("--sources", type=Path, metavar="FOLDER", help="where to gather the documents")
    parser.add_argument("--peer", type=Path, metavar="PROGRAM", help="the command docshelf-mcp")
    parser.add_argument("--peer-sources", type=Path, metavar="FOLDER", help="what docshelf-mcp reads")
    parser.add_argument("--peer-shelf", type=Path, metavar="FOLDER", help="its shelf, made where empty")
    arguments = parser.parse_args()
    asked = {file.name: read_questions(file) for file in arguments.questions or QUESTIONS}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = arguments.sources or folder / "sources"
        if arguments.site is None or (arguments.peer and arguments.peer_sources is None):
            gather(sources)
        release = Site(arguments.site or build_site(sources, folder / "site")).current()
        print("\n".join(compare(release, asked)))
        if arguments.peer:
            peer = PeerShelf(arguments.peer, arguments.peer_shelf or folder / "peer")
            try:
                for name, questions in asked.items():
                    print("\n".join([name, *ask_peer(peer, arguments.peer_sources or sources, questions)]))
            finally:
                peer.close()


def compare(release: Release, asked: Mapping[str, Sequence[Question]]) -> Iterator[str]:
    """Our routes, one flat index and the limit: figures for each set of questions and for all, then failures."""
    yield f"release {release.id}: documents {len(release.manifest.documents)}"
    ways: dict[str, Callable[[Sequence[Question]], list[Walk]]] = {
        "our indexes": lambda questions: walk_all(questions, Shelf(release)),
        "our search": Searching(release).answer_all,
        "one flat index": lambda questions: walk_all(questions, FlatShelf(release)),
        "whole texts": WholeText(release).answer_all,
    }
    walks = {way: {name: walk(questions) for name, questions in asked.items()} for way, walk in ways.items()}
    for name in asked:
        yield from (name, head())
        for way, by_set in walks.items():
            yield from figures(way, by_set[name])
    yield from ("all", head())
    for way, by_set in walks.items():
        yield from figures(way, [walk for found in by_set.values() for walk in found])
    for way in ("our indexes", "our search"):
        for found in walks[way].values():
            yield from failures(way, found)


def ask_peer(peer: PeerShelf, sources: Path, questions: Sequence[Question]) -> Iterator[str]:
    """docshelf-mcp: figures, then failures; its shelf is filled first where it has no index."""
    if not peer.is_filled:
        yield from (f"docshelf-mcp refused {line}" for line in peer.fill(sources, "Shelf"))
    walks = walk_all(questions, peer)
    yield from figures("docshelf-mcp", walks)
    yield from failures("docshelf-mcp", walks)


def walk_all(questions: Sequence[Question], library: Library) -> list[Walk]:
    """How the reader answers each question from a library, in order."""
    reader = Reader()
    return [reader.answer(question, library) for question in questions]


def head() -> str:
    """The head of the table."""
    kinds = "".join(f"{f'bytes {it} %':>12}" for it in PERCENTILES)
    calls = "".join(f"{f'calls {it} %':>12}" for it in PERCENTILES)
    return f"{'way':<16}{'questions':<10}{'answered':>9}{kinds}{calls}"


def figures(name: str, walks: Sequence[Walk]) -> Iterator[str]:
    """A row of the table for all questions and one for those of each language."""
    for language in ("", *sorted({walk.question.language for walk in walks})):
        chosen = [walk for walk in walks if language in ("", walk.question.language)]
        sizes, calls = sorted(walk.size_bytes for walk in chosen), sorted(walk.calls for walk in chosen)
        found = sum(walk.found for walk in chosen)
        yield (
            f"{name:<16}{language or 'all':<10}{f'{100 * found / len(chosen):.0f} %':>9}"
            + "".join(f"{percentile(sizes, it):>12,}" for it in PERCENTILES)
            + "".join(f"{percentile(calls, it):>12}" for it in PERCENTILES)
        )


def failures(name: str, walks: Sequence[Walk]) -> Iterator[str]:
    """Each question that was not answered, where its answer stands, and the lines that were followed."""
    for walk in walks:
        if not walk.found:
            question = walk.question
            yield f"{name} fails: {question.text} ({question.source}, p. {question.page})"
            yield from (f"    {line.path}: {line.title}: {line.note}"[:160] for line in walk.followed)


def gather(sources: Path) -> None:
    """Writes the source folder where it is not there."""
    corpus = REPOSITORY.parent / "shared" / "corpus" / "pdfs"
    if not corpus.is_dir():
        sys.exit(f"{corpus} is not there; give a built shelf with --site")
    if not sources.is_dir():
        gather_sources(corpus, REPOSITORY / "shelf_src", sources)


def build_site(sources: Path, site: Path) -> Path:
    """The folder of a shelf built from `sources`."""
    from docshelf.build.cli import main as run_command

    if run_command(["build", str(sources), "-o", str(site)]):
        sys.exit("the shelf could not be built; give a built one with --site")
    return site


if __name__ == "__main__":
    main()
