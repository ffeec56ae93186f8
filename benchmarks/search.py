"""What search finds on a large shelf, how fast, in how much memory, and what its index costs.

    python benchmarks/search.py [PDFS] [--sections 13000] [--characters 750] [--questions FOLDER]

Sections are cut from the text of the PDFs in PDFS (default: ../shared/corpus/pdfs beside the repository, else
shelf_src). The question set (default ../shared/cases/search_eval: sections.tsv and queries.tsv) is put among
them. Peer in the same run: SQLite FTS5 over the same stems, titles ten times the weight of text. Each query is
asked once of a reader that has read nothing, then five times more; times are CPU times. Nothing is left behind.
"""

import argparse
import gzip
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY), str(REPOSITORY / "tests")]

from written_shelf import WrittenDocument

from benchmarks.search_shelf import (
    Question,
    in_order,
    make_documents,
    read_questions,
    read_sections,
    write_release,
)
from docshelf.build.searching.files import read_words, search_files
from docshelf.build.searching.merging import Change, changed, merged
from docshelf.build.searching.stops import STOPS
from docshelf.build.searching.words import document_words
from docshelf.serve.releases.tree import Release
from docshelf.serve.search.forms import WordForms
from docshelf.serve.search.index import SearchIndex
from docshelf.serve.search.words import fold, token_words, tokens

ROUNDS = 5
P = ParamSpec("P")
T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pdfs", nargs="?", type=Path)
    parser.add_argument("--sections", type=int, default=13_000)
    parser.add_argument("--characters", type=int, default=750)
    parser.add_argument("--questions", type=Path, default=REPOSITORY.parent / "shared/cases/search_eval")
    parser.add_argument("--reader", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    asked, questions = read_questions(arguments.questions)
    if arguments.reader:
        report_reader(arguments.reader, questions)
        return
    corpus = REPOSITORY.parent / "shared" / "corpus" / "pdfs"
    pdfs = arguments.pdfs or (corpus if corpus.is_dir() else REPOSITORY / "shelf_src")
    sections = read_sections(pdfs, arguments.sections, arguments.characters)
    documents = make_documents(sections) + asked
    print(
        f"{len(sections) + len(asked)} sections, {sum(len(text) for _, text in sections) / 1e6:.1f} M characters"
    )
    with tempfile.TemporaryDirectory() as folder:
        report_build(Path(folder), documents)
        # A process of its own: what the build holds does not count as the reader's.
        command = [sys.executable, __file__, "--questions", str(arguments.questions), "--reader", folder]
        subprocess.run(command, check=True)
    report_peer(documents, questions)


def report_build(folder: Path, documents: Sequence[WrittenDocument]) -> None:
    """Prints what the index costs to make, to change and to store."""
    begin = time.process_time()
    words = in_order([document_words(it.meta, it.texts) for it in documents])
    cut_s = time.process_time() - begin
    merge_s, files = timed(lambda: search_files(merged(words)))
    middle = len(words) // 2
    document = next(it for it in documents if it.meta.sections[0].path == words[middle].places[0].path)
    path = document.meta.sections[0].path
    texts = {**document.texts, path: f"{document.texts[path]}\nnewword\n"}
    after = document_words(document.meta, texts)
    first = sum(len(it.places) for it in words[:middle])
    change = Change(first, words[middle], after)
    change_s, new = timed(lambda: search_files(changed(read_words(files.__getitem__), [change])))
    touched = sum(new[path] != files.get(path) for path in new)
    sizes = {path: len(gzip.compress(content, 6)) for path, content in files.items()}
    write_release(folder, documents, words)
    print(
        f"index: words {cut_s:.1f} s, merged and written {merge_s:.1f} s, one section changed {change_s:.2f} s CPU"
    )
    print(
        f"files: {len(files)}, {touched} of them new after the change; {sum(sizes.values()) / 1e6:.1f} MB gzip"
    )


def report_reader(folder: Path, questions: Sequence[Question]) -> None:
    """Prints what the reader finds, how fast, and in how much memory."""
    release = Release(folder)
    begun_mb = memory_mb()
    index = SearchIndex(release)

    def ask(query: str) -> list[str]:
        return [hit.path for hit in index.search(query)]

    cold_ms = [timed(SearchIndex(release).search, it.query)[0] * 1000 for it in questions]
    print(told("docshelf", ask, questions), f"; first query of a new reader {spread(cold_ms)}", sep="")
    dice = random.Random(1)
    paths = [path for path in release.files if path.endswith("-section.md")]
    wild = []
    for _ in range(500):
        text = release.read(dice.choice(paths)).decode().split()
        at = dice.randrange(len(text))
        wild.append(timed(index.search, " ".join(text[at : at + 3]))[0] * 1000)
    print(f"500 queries of up to three words from the shelf: {spread(wild)}")
    print(f"memory: {memory_mb():.0f} MB, {begun_mb:.0f} of them before the first query")


def report_peer(documents: Sequence[WrittenDocument], questions: Sequence[Question]) -> None:
    """Prints what FTS5 finds over the same stems, and how fast."""
    stem = WordForms().stem

    def stems(text: str) -> list[str]:
        cut = (word for token in tokens(fold(text)) for word in token_words(token).words)
        return [stem(word) for word in cut if word not in STOPS]

    base = sqlite3.connect(":memory:")
    base.execute("create virtual table sections using fts5(title, text, content='')")
    paths: list[str] = []
    for it in documents:
        for section in it.meta.sections:
            paths.append(section.path)
            row = (len(paths), " ".join(stems(section.title)), " ".join(stems(it.texts[section.path])))
            base.execute("insert into sections(rowid, title, text) values (?, ?, ?)", row)

    def ask(query: str) -> list[str]:
        wanted = " OR ".join(f'"{word}"' for word in stems(query))
        sql = "select rowid from sections where sections match ? order by bm25(sections, 10, 1) limit 10"
        return [paths[row[0] - 1] for row in base.execute(sql, (wanted,))]

    print(told(f"SQLite {sqlite3.sqlite_version} FTS5", ask, questions))


def told(name: str, ask: Callable[[str], list[str]], questions: Sequence[Question]) -> str:
    """One line: what was found among the first five, and the times."""
    found: dict[str, list[bool]] = {}
    times_ms: list[float] = []
    for question in questions:
        ask(question.query)
        for _ in range(ROUNDS):
            seconds, paths = timed(ask, question.query)
            times_ms.append(seconds * 1000)
        found.setdefault(question.kind, []).append(not question.targets.isdisjoint(paths[:5]))
    kinds = ", ".join(f"{kind} {sum(them)}/{len(them)}" for kind, them in sorted(found.items()))
    hits = sum(sum(them) for them in found.values())
    return f"{name}: hit@5 {hits}/{len(questions)} ({kinds}); {spread(times_ms)}"


def spread(times_ms: Sequence[float]) -> str:
    """Median, 95 % and the longest."""
    ordered = sorted(times_ms)
    p95 = ordered[int(len(ordered) * 0.95)]
    return f"p50 {statistics.median(ordered):.1f} ms, p95 {p95:.1f} ms, longest {ordered[-1]:.1f} ms"


def timed(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[float, T]:
    """CPU seconds of a call, and what it gave."""
    begin = time.process_time()
    result = call(*args, **kwargs)
    return time.process_time() - begin, result


def memory_mb() -> float:
    """The most memory this process has held; getrusage would count its parent's before the exec."""
    status = Path("/proc/self/status").read_text("ascii", "replace")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()
