"""The figures of a run as tables in Markdown."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.conversion_bench import Figures

LOSERS = 6
"""Documents and pages named for each figure."""


def report(figures: Figures) -> str:
    """All tables, one under the other."""
    sums = figures.quality["sums"]
    parts = [
        "## Machine\n" + ", ".join(f"{name} {value}" for name, value in figures.machine.items()),
        "## Speed\n" + "\n".join(_speed_lines(sums, figures.speed)),
        "## Headings, bookmarks hidden (macro averages)\n" + _headings(sums["headings"]),
        "## Text kept (documents that were mended are left out)\n" + _kept(sums["kept"]),
        "## Command lines published as headings\n" + "\n".join(_commands(sums["commands"])),
        "## Hand-written truth (mean share of facts over pages)\n" + _truth(sums["truth"]),
        "## Mojibake\n" + _mended(sums),
        "## What loses most\n" + "\n".join(_losers(figures.quality["documents"])),
        "## Not converted\n" + ("\n".join(figures.failures) or "none"),
    ]
    return "\n\n".join(parts) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A pipe table; numbers with three digits, None as a dash."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows])


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return (
        f"{value:.3f}"
        if isinstance(value, float) and abs(value) < 10
        else (f"{value:.1f}" if isinstance(value, float) else str(value))
    )


def _speed_lines(sums: dict[str, Any], speed: dict[str, Any]) -> Iterator[str]:
    rows = []
    for name, group in (("whole documents", sums["speed"]), ("sampled pages", sums["sample_speed"])):
        raw = group["raw"]["rate"]
        for engine, it in group.items():
            rows.append(
                [
                    name,
                    engine,
                    it["pages"],
                    it["rate"],
                    it["rate"] / raw if raw else None,
                    _times(group, engine),
                ]
            )
    sets = {f"pages {name}": group for name, group in speed.get("sets", {}).items()}
    if "whole" in speed:
        sets["documents read whole by all"] = speed["whole"]
    for name, group in sets.items():
        fast, raw = group["fast"].pages_per_cpu_s, group["raw"].pages_per_cpu_s
        for engine, it in group.items():
            rate = it.pages_per_cpu_s
            times = fast / rate if rate and engine not in ("raw", "fast") else None
            rows.append([name, engine, it.pages, rate, rate / raw if raw else None, times])
    yield table(
        ("pages", "engine", "number", "pages per CPU second", "of raw", "fast is … times as fast"), rows
    )
    if speed:
        yield f"\nCPU ms a page by size ({speed['largest']['name']}): " + ", ".join(
            f"{size} pages {cost:.2f}" for size, cost in speed["flat_ms"].items()
        )
        yield "peak MB: " + ", ".join(f"{name} {peak:.0f}" for name, peak in speed["peak_mb"].items())
        yield f"two workers against one: {speed['two_workers']:.2f} times"


def _times(group: dict[str, Any], engine: str) -> float | None:
    rate = group[engine]["rate"]
    return group["fast"]["rate"] / rate if rate and engine not in ("raw", "fast") else None


def _headings(sums: dict[str, Any]) -> str:
    rows = [
        [name, it["documents"], it.get("precision"), it.get("recall"), it.get("f1")]
        for name, it in sorted(sums.items())
    ]
    return table(("tier or engine", "documents", "precision", "recall", "F1"), rows)


def _kept(sums: dict[str, Any]) -> str:
    names = ("words", "cyrillic", "code", "code_spaces", "running", "repeated")
    rows = [[engine, *(_value(it[name]) for name in names)] for engine, it in sums.items()]
    head = (
        "words",
        "Cyrillic words",
        "code lines",
        "with their spaces",
        "running lines a page",
        "repeated lines a page",
    )
    return table(("engine", *head), rows)


def _value(share: dict[str, float]) -> float | None:
    return share["hits"] / share["cases"] if share["cases"] else None


def _commands(found: dict[str, list[str]]) -> Iterator[str]:
    for engine, titles in found.items():
        yield f"{engine}: {len(titles)}" + "".join(f"\n  {title}" for title in titles[:LOSERS])


def _truth(sums: dict[str, Any]) -> str:
    engines = ("fast", "layout", "legacy")
    rows = [
        [kind, by_engine["fast"]["pages"], *(by_engine.get(name, {}).get("share") for name in engines)]
        for kind, by_engine in sums.items()
    ]
    return table(("kind", "pages", *engines), rows)


def _mended(sums: dict[str, Any]) -> str:
    mended, alarms = (", ".join(sums[name]) or "none" for name in ("mended", "false alarms"))
    return f"mended: {mended}\nmended, but not known to be broken (look at them): {alarms}"


def _losers(told: dict[str, Any]) -> Iterator[str]:
    for name, label in (
        ("words", "words lost"),
        ("cyrillic", "Cyrillic words lost"),
        ("code", "code lines lost"),
        ("code_spaces", "code lines without their spaces"),
    ):
        yield f"{label}: " + _worst(told, name, lost=True)
    for name, label in (("running", "running lines left"), ("repeated", "repeated lines left")):
        yield f"{label}: " + _worst(told, name, lost=False)
    for tier in ("contents", "fonts"):
        scores = sorted(
            (one["tiers"][tier]["f1"], name) for name, one in told.items() if tier in one["tiers"]
        )
        yield f"headings by {tier}, lowest F1: " + ", ".join(
            f"{name} {f1:.2f}" for f1, name in scores[:LOSERS]
        )
    pages = sorted(
        (it["hits"] / it["cases"], it["kind"], f"{name} p. {it['page']}", it["missed"])
        for name, one in told.items()
        for it in one["truth"]
        if it["engine"] == "fast" and it["missed"]
    )
    for share, kind, place, missed in pages:
        yield f"{kind} {place}: {share:.2f}; missed: " + " ¦ ".join(text[:60] for text in missed[:4])


def _worst(told: dict[str, Any], name: str, *, lost: bool) -> str:
    counts = []
    for document, one in told.items():
        share = one["scores"].get("fast", {}).get("kept", {}).get(name)
        if share and not one["mended"]:
            count = share["cases"] - share["hits"] if lost else share["hits"]
            counts.append((count, document, share["cases"]))
    counts.sort(reverse=True)
    return ", ".join(
        f"{document} {count:.0f} of {cases:.0f}" for count, document, cases in counts[:LOSERS] if count
    )
