"""The job and the hook of docs/git.md, as they stand there, with a real git and local bare repositories."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from running_server import REPOSITORY
from shelftest import make_pdf

PAGE = REPOSITORY / "docs/git.md"


def block(language: str, begin: str) -> str:
    """The block of docs/git.md in `language` that begins with `begin`."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    [found] = [it for it in blocks if it.startswith(begin)]
    return str(found)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of a user who has `docshelf` and a name in git."""
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    command = home / "bin/docshelf"
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{REPOSITORY}/.dev" exec "{sys.executable}" -m docshelf.build.cli "$@"\n'
    )
    command.chmod(0o755)
    (home / ".gitconfig").write_text("[user]\nname = t\nemail = t@t\n[init]\ndefaultBranch = main\n")
    return home


def run(home: Path, *command: str, at: Path, **variables: str) -> str:
    """What a command prints on both streams."""
    done = subprocess.run(
        command,
        cwd=at,
        env={"PATH": f"{home}/bin:/usr/bin:/bin", "HOME": str(home), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def push_sources(home: Path, clone: Path, name: str, text: str) -> str:
    """Commits one more document and pushes; what the pusher sees."""
    (clone / "shelf_src").mkdir(exist_ok=True)
    (clone / "shelf_src" / name).write_bytes(make_pdf(text))
    run(home, "git", "add", "--all", at=clone)
    run(home, "git", "commit", "-qm", f"Add {name}", at=clone)
    return run(home, "git", "push", "--quiet", "origin", "main", at=clone)


def repositories(home: Path, folder: Path) -> tuple[Path, Path, Path]:
    """Bare repositories of the sources and of the shelf, and a clone of the sources."""
    sources, shelf, clone = folder / "manuals.git", folder / "shelf.git", folder / "clone"
    run(home, "git", "init", "-q", "--bare", str(sources), at=folder)
    run(home, "git", "init", "-q", "--bare", str(shelf), at=folder)
    run(home, "git", "clone", "-q", str(sources), str(clone), at=folder)
    return sources, shelf, clone


def shown(home: Path, shelf: Path, path: str) -> str:
    return run(home, "git", "show", f"main:{path}", at=shelf)


def test_the_hook_builds_and_exports_what_is_pushed(home: Path, tmp_path: Path) -> None:
    sources, shelf, clone = repositories(home, tmp_path)
    text = block("sh", "#!/bin/sh")
    for setting, value in (
        ("folder=/srv/docshelf", tmp_path / "work"),
        ("shelf_url=https://gitea.lan/docs/shelf.git", shelf),
    ):
        assert text.count(f"\n{setting}\n") == 1
        text = text.replace(f"\n{setting}\n", f"\n{setting.partition('=')[0]}={value}\n")
    hook = sources / "hooks/post-receive"
    hook.write_text(text)
    hook.chmod(0o755)

    told = push_sources(home, clone, "cable.pdf", "# Cable\nTwo metres long.")
    assert "new commit for release" in told
    first = shown(home, shelf, "llms.txt")
    assert "https://gitea.lan/docs/shelf/raw/branch/main/docs/cable.md" in first

    push_sources(home, clone, "lamp.pdf", "# Lamp\nIt is green.")
    assert "docs/lamp.md" in shown(home, shelf, "llms.txt")
    assert run(home, "git", "rev-list", "--count", "main", at=shelf).strip() == "2"
    message = run(home, "git", "log", "-1", "--format=%an %B", "main", at=shelf)
    pushed = run(home, "git", "rev-parse", "HEAD", at=clone).strip()
    assert message.startswith("DocShelf Shelf release ")
    assert f"Source-Commit: {pushed}" in message

    run(home, "git", "push", "--quiet", "origin", "main:elsewhere", at=clone)
    assert run(home, "git", "rev-list", "--count", "main", at=shelf).strip() == "2"


def test_a_build_that_fails_is_told_to_the_pusher_and_leaves_the_shelf(home: Path, tmp_path: Path) -> None:
    sources, shelf, clone = repositories(home, tmp_path)
    hook = sources / "hooks/post-receive"
    hook.write_text(
        block("sh", "#!/bin/sh")
        .replace("folder=/srv/docshelf", f"folder={tmp_path}/work")
        .replace("shelf_url=https://gitea.lan/docs/shelf.git", f"shelf_url={shelf}")
    )
    hook.chmod(0o755)
    push_sources(home, clone, "cable.pdf", "# Cable\nTwo metres long.")
    before = run(home, "git", "rev-parse", "main", at=shelf)
    (clone / "shelf_src/.docshelf.json").write_text('{"nmae": "Shelf"}')

    assert "nmae" in push_sources(home, clone, "lamp.pdf", "# Lamp\nIt is green.")
    assert run(home, "git", "rev-parse", "main", at=shelf) == before


def test_the_job_builds_and_exports_what_is_pushed(home: Path, tmp_path: Path) -> None:
    _, shelf, clone = repositories(home, tmp_path)
    push_sources(home, clone, "cable.pdf", "# Cable\nTwo metres long.")
    job = yaml.safe_load(block("yaml", "shelf:"))["shelf"]
    assert job["cache"]["paths"] == ["site/"]
    variables = job["variables"] | {
        "SHELF_URL": str(shelf),
        "SHELF_TOKEN": "secret",
        "CI_PROJECT_DIR": str(clone),
    }
    script = "\n".join([*job["before_script"], *job["script"]])

    run(home, "/bin/sh", "-euc", script, at=clone, **variables)
    assert "https://gitlab.lan/docs/shelf/-/raw/main/docs/cable.md" in shown(home, shelf, "llms.txt")
    run(home, "/bin/sh", "-euc", script, at=clone, **variables)
    assert run(home, "git", "rev-list", "--count", "main", at=shelf).strip() == "1"

    asked = "printf 'protocol=https\\nhost=gitlab.lan\\n\\n' | git credential fill"
    answer = run(home, "/bin/sh", "-c", asked, at=clone, SHELF_TOKEN="secret")
    assert {"username=docshelf", "password=secret"} <= set(answer.splitlines())
    assert "secret" not in (clone / "shelf/.git/config").read_text()
