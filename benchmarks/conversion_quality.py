"""Every document through every engine, and what each engine kept of it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.conversion_bench import Bench, Document
from benchmarks.conversion_engines import convert, count_headings, score, take_sample
from benchmarks.conversion_scores import Share
from benchmarks.conversion_speed import Speed
from benchmarks.conversion_truth import score_truth
from benchmarks.headings import Heading

COMPARED = ("fast", "layout", "legacy")
SHARES = ("words", "cyrillic", "code", "code_spaces", "running", "repeated")
MENDED = "text-mended"
MIN_BOOKMARKS = 5

Pages = dict[int, str]


def measure_document(
    bench: Bench, document: Document, sample: Sequence[int], folder: Path
) -> dict[str, Any] | None:
    """All that is told of one document; None where `fast` or MuPDF cannot read it."""
    file = str(document.file)
    raw = bench.run("raw", convert, 120, file=file, keep=False, **{"with": "raw"})
    fast = bench.run("fast", convert, 600, file=file, keep=True, **{"with": "fast"})
    if not raw or not fast:
        return None
    told = {
        "pages": fast["count"],
        "speed": {"raw": _speed(raw), "fast": _speed(fast)},
        "tables": fast["tables"],
        "mended": any(code == MENDED for code, _ in fast["remarks"]),
        "broken": any(it.kind == "repairs" and it.facts["broken"] for it in document.truth),
        "located": fast["located"],
        "tiers": fast["tiers"],
        "bookmarks": len(fast["bookmarks"]),
        "sample": list(sample),
    }
    outputs: dict[str, Pages] = {"fast": dict(fast["pages"])}
    if sample:
        told["sample_speed"] = _convert_sample(bench, document, sample, folder, outputs)
    told["truth"] = _score_truth(document, outputs)
    chosen = {f"{name} on the sample": _only(pages, sample) for name, pages in outputs.items() if sample}
    jobs = {"fast": outputs["fast"], **chosen}
    scored = bench.run(
        "score",
        score,
        300,
        file=file,
        bookmarks=fast["bookmarks"],
        pages={name: list(pages.items()) for name, pages in jobs.items()},
    )
    told["scores"] = scored or {}
    told["hidden"] = {
        tier: count_headings(fast["bookmarks"], [Heading(*it) for it in found], set(sample))
        for tier, found in fast["hidden"].items()
    }
    return told


def _convert_sample(
    bench: Bench, document: Document, sample: Sequence[int], folder: Path, outputs: dict[str, Pages]
) -> dict[str, dict[str, float]]:
    """Converts the sampled pages with all engines in turn; adds the peers' Markdown to `outputs`."""
    file = folder / f"{document.name}.pdf"
    if not bench.run("score", take_sample, 120, file=str(document.file), pages=list(sample), out=str(file)):
        return {}
    speeds = {}
    for engine in ("raw", *COMPARED):
        told = bench.run(
            engine, convert, 60 + 20 * len(sample), file=str(file), keep=True, **{"with": engine}
        )
        if told:
            speeds[engine] = _speed(told)
            if engine in ("layout", "legacy"):
                texts = [text for _, text in told["pages"]]
                outputs[engine] = dict(zip(sample, texts, strict=False))
    file.unlink()
    return speeds


def _speed(told: dict[str, Any]) -> dict[str, float]:
    return {"pages": told["count"], "cpu_s": told["cpu_s"]}


def _only(pages: Pages, numbers: Sequence[int]) -> Pages:
    return {number: pages[number] for number in numbers if number in pages}


def _score_truth(document: Document, outputs: dict[str, Pages]) -> list[dict[str, Any]]:
    found = []
    for truth in document.truth:
        for engine, pages in outputs.items():
            share, missed = score_truth(truth, pages.get(truth.page, ""))
            found.append(
                {
                    "kind": truth.kind,
                    "page": truth.page,
                    "engine": engine,
                    "hits": share.hits,
                    "cases": share.cases,
                    "missed": missed,
                }
            )
    return found


def measure_all(
    bench: Bench,
    documents: Sequence[Document],
    sample: dict[str, list[int]],
    folder: Path,
    say: Callable[[str], None],
) -> dict[str, dict[str, Any]]:
    """What is told of each document, by name."""
    told = {}
    for document in documents:
        say(f"{document.name}: {document.pages} pages")
        one = measure_document(bench, document, sample.get(document.name, []), folder)
        if one:
            told[document.name] = one
    return told


def sum_up(told: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The figures of a run: sums of shares, macro averages of headings."""
    mended = {name for name, one in told.items() if one["mended"]}
    return {
        "kept": _sum_kept({name: one for name, one in told.items() if name not in mended}),
        "commands": _commands(told),
        "headings": _sum_headings(told),
        "truth": _sum_truth(told),
        "mended": sorted(mended),
        "false alarms": sorted(name for name in mended if not told[name]["broken"]),
        "speed": _sum_speed(told, "speed", ("raw", "fast")),
        "sample_speed": _sum_speed(told, "sample_speed", ("raw", *COMPARED)),
    }


def _sum_kept(told: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    sums: dict[str, dict[str, Share]] = defaultdict(lambda: dict.fromkeys(SHARES, Share()))
    for one in told.values():
        for engine, scored in one["scores"].items():
            for name in SHARES:
                sums[engine][name] += Share(**scored["kept"][name])
    return {
        engine: {name: asdict(share) for name, share in shares.items()} for engine, shares in sums.items()
    }


def _commands(told: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for name, one in told.items():
        for engine, scored in one["scores"].items():
            found[engine] += [f"{name}: {title}" for title in scored["kept"]["commands"]]
    return dict(found)


def _sum_headings(told: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Macro precision, recall and F1 by tier (whole documents) and by engine (sampled pages)."""
    rows: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for one in told.values():
        if one["bookmarks"] < MIN_BOOKMARKS:
            continue
        for tier, it in one["tiers"].items():
            rows[f"fast, {tier}"].append((it["precision"], it["recall"], it["f1"]))
        counts = {f"sample: fast, {tier} hidden": count for tier, count in one["hidden"].items()}
        for engine in ("layout", "legacy"):
            if scored := one["scores"].get(f"{engine} on the sample"):
                counts[f"sample: {engine}"] = scored["headings"]
        if len(counts) == 4 and counts["sample: layout"][2] >= 3:
            for name, (hits, found, wanted) in counts.items():
                rows[name].append(_f1(hits, found, wanted))
    located = [one["located"] for one in told.values() if one["located"] is not None]
    summed = {
        name: dict(zip(("precision", "recall", "f1"), map(fmean, zip(*row, strict=True)), strict=True))
        | {"documents": len(row)}
        for name, row in rows.items()
    }
    if located:
        summed["fast, bookmarks located"] = {"recall": fmean(located), "documents": len(located)}
    return summed


def _f1(hits: int, found: int, wanted: int) -> tuple[float, float, float]:
    precision = hits / found if found else 0.0
    recall = hits / wanted if wanted else 0.0
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total else 0.0


def _sum_truth(told: dict[str, dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """By kind and engine: the mean share of facts over pages."""
    shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in told.values():
        for it in one["truth"]:
            shares[it["kind"]][it["engine"]].append(it["hits"] / it["cases"])
    return {
        kind: {name: {"share": fmean(values), "pages": len(values)} for name, values in by_engine.items()}
        for kind, by_engine in shares.items()
    }


def _sum_speed(told: dict[str, dict[str, Any]], what: str, engines: Sequence[str]) -> dict[str, Any]:
    sums = {engine: Speed() for engine in engines}
    for one in told.values():
        measured = one.get(what, {})
        if all(engine in measured for engine in engines):
            for engine in engines:
                it = measured[engine]
                sums[engine] = Speed(sums[engine].pages + it["pages"], sums[engine].cpu_s + it["cpu_s"])
    return {engine: asdict(speed) | {"rate": speed.pages_per_cpu_s} for engine, speed in sums.items()}
