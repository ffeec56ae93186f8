"""What a publish would do, and what it did, as lines for people."""

from collections.abc import Mapping
from datetime import UTC, datetime

from docshelf.serve.manifest import FileRow
from docshelf.serve.storage.plan import GRACE_S, LAST
from docshelf.serve.storage.publishing import Outcome, Plan


def plan_lines(plan: Plan, rows: Mapping[str, FileRow]) -> list[str]:
    """One line per object in the order of the publish, then what is deleted now and later."""
    comparison = plan.comparison
    words = dict.fromkeys(comparison.new, "new") | dict.fromkeys(comparison.changed, "changed")
    words |= dict.fromkeys(comparison.doubtful, "unsure")
    ordered = [path for wave in plan.waves for path in wave] + [path for path in LAST if path in words]
    lines = [f"{words[path]:8} {rows[path].bytes:>12,}  {path}" for path in ordered]
    if plan.adds_release:
        lines.insert(len(lines) - sum(path in words for path in LAST), f"{'copy':21}  r/{plan.release}/")
    lines += [f"{'delete':21}  {path}" for path in plan.fallen.due]
    lines += [
        f"{'delete later':21}  {path} (from {_time(since_s + GRACE_S)} on)"
        for path, since_s in plan.fallen.waiting.items()
    ]
    return lines


def outcome_line(outcome: Outcome) -> str:
    """What a publish did."""
    parts = [f"{len(outcome.uploaded):,} objects put ({outcome.uploaded_bytes / 1e6:.1f} MB)"]
    parts += [f"{outcome.same:,} were there"]
    if outcome.copied:
        parts.append(f"{outcome.copied:,} put below r/{outcome.release}/")
    if outcome.deleted:
        parts.append(f"{len(outcome.deleted):,} deleted")
    if outcome.waiting:
        parts.append(f"{outcome.waiting:,} fell away, to be deleted by a publish in an hour or later")
    return ", ".join(parts)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
