"""`docshelf export-git` with a real git: what is committed, and what is refused."""

import io
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from exported import AUTHOR, committed, export, git
from shelftest import ShelfTest
from small_shelf import ROUTER, write_small_shelf

from docshelf.build.cli import main
from docshelf.build.exporting.export import Exported
from docshelf.build.exporting.message import DocumentChanges, commit_message, tame
from docshelf.build.exporting.repository import Change, Repository
from docshelf.serve.errors import BuildError, NotOnShelf, ShelfDamaged
from docshelf.serve.manifest import Finding, read_shelf
from docshelf.serve.releases.tree import Site
from docshelf.serve.search.index import SearchIndex


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    write_small_shelf(site)
    return site


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tmp_path / "repository"


def test_a_missing_folder_becomes_a_repository_with_the_markdown_and_what_it_leads_to(
    site: Path, repository: Path
) -> None:
    exported = export(site, repository)

    assert committed(repository) == {
        ".docshelf.json",
        ".gitattributes",
        "index.md",
        "llms.txt",
        "shelf.json",
        "docs/net/index.md",
        "docs/net/llms.txt",
        "docs/net/cable.md",
        "docs/net/cable.meta.json",
        "docs/net/router.meta.json",
        "docs/net/router/subindex.md",
        "docs/net/router/001-begin.md",
        "docs/net/router/002-tunnels.md",
        "docs/net/router/003-all-commands.md",
        "docs/ru/index.md",
        "docs/ru/llms.txt",
        "docs/ru/marshrutizator.meta.json",
        "docs/ru/marshrutizator/subindex.md",
        "docs/ru/marshrutizator/001-nastroyka.md",
        "sources/net/cable.pdf",
        "sources/net/router.pdf",
        "sources/ru/marshrutizator.pdf",
        "pictures/net/cable/p001.png",
        "pictures/net/router/p008.jpg",
    }
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "rev-parse", "HEAD").strip() == exported.commit
    assert git(repository, "log", "--format=%an <%ae> %cn <%ce>").strip() == f"{AUTHOR} {AUTHOR}"
    release = Site(site).current()
    for path in committed(repository) - {".docshelf.json", ".gitattributes", "shelf.json"}:
        assert (repository / path).read_bytes() == release.read(path), path


def test_the_manifest_in_git_names_no_release(site: Path, repository: Path) -> None:
    export(site, repository)

    manifest = read_shelf((repository / "shelf.json").read_bytes())
    assert (manifest.release, manifest.source_commit) == ("", None)
    assert len(manifest.documents) == 3
    assert json.loads((repository / ".docshelf.json").read_text()) == {
        "name": "Small shelf",
        "description": "Manuals of a small network.",
        "default_language": "en",
    }


def test_an_export_of_the_same_release_makes_no_commit(site: Path, repository: Path) -> None:
    first = export(site, repository)
    assert export(site, repository) == Exported(first.commit, 0, 0)
    assert git(repository, "rev-list", "--count", "HEAD").strip() == "1"


def test_two_builds_with_one_changed_document_differ_by_it_and_the_indexes_above(
    shelf: ShelfTest, tmp_path: Path
) -> None:
    repository = tmp_path / "repository"
    shelf.config(name="Network")
    shelf.pdf("a/cable.pdf", "# Cable\nThe cable is two metres long.")
    shelf.pdf("a/plug.pdf", "# Plug\nThe plug is white.")
    shelf.pdf("b/lamp.pdf", "# Lamp\nThe lamp is green.")
    shelf.build()
    export(shelf.site, repository)
    shelf.pdf("a/cable.pdf", "# Cable\nThe cable is three metres long and blue, which the old one was not.")
    shelf.build()
    export(shelf.site, repository)

    changed = set(git(repository, "diff", "--name-only", "HEAD^", "HEAD").split())
    document = {"docs/a/cable.md", "docs/a/cable.meta.json", "sources/a/cable.pdf"}
    above = {"docs/a/index.md", "docs/a/llms.txt", "index.md", "llms.txt"}
    assert document <= changed <= document | above
    assert "Documents: 3 (added 0, changed 1, removed 0)" in git(repository, "log", "-1", "--format=%B")


def test_what_left_the_shelf_leaves_the_repository_and_what_is_not_ours_stays(
    site: Path, repository: Path
) -> None:
    export(site, repository)
    (repository / "README.md").write_text("How we use it.\n")
    (repository / ".gitignore").write_text("docs/\n*.md\n")
    git(repository, "add", "--force", "README.md", ".gitignore")
    git(repository, "commit", "-qm", "Ours")
    write_small_shelf(site, renumbered=True)
    exported = export(site, repository)

    assert (exported.written, exported.removed) == (3, 2)
    assert f"{ROUTER}/002-tunnels.md" not in committed(repository)
    assert {f"{ROUTER}/003-tunnels.md", "README.md", ".gitignore"} <= committed(repository)
    assert not (repository / ROUTER / "002-tunnels.md").exists()
    assert git(repository, "status", "--porcelain") == ""


def test_a_bare_repository_is_taken_and_its_clone_is_whole(
    site: Path, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "shelf", str(repository))
    export(site, repository)
    write_small_shelf(site, description="More manuals.")
    export(site, repository)

    git(tmp_path, "clone", "-q", str(repository), "clone")
    assert git(tmp_path / "clone", "rev-list", "--count", "HEAD").strip() == "2"
    assert Site(tmp_path / "clone").current().manifest.description == "More manuals."
    assert git(repository, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/shelf"]


def test_a_repository_of_sha256_is_taken(site: Path, repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256", str(repository))
    first = export(site, repository)
    assert len(first.commit) == 64
    assert export(site, repository).written == 0


def test_a_dirty_tree_is_refused_and_stays_as_it_is(site: Path, repository: Path) -> None:
    first = export(site, repository)
    (repository / "index.md").write_text("# Half done\n")
    write_small_shelf(site, renumbered=True)

    with pytest.raises(BuildError, match=r"not committed: .*index\.md; commit, stash or remove"):
        export(site, repository)
    assert (repository / "index.md").read_text() == "# Half done\n"
    assert git(repository, "rev-parse", "HEAD").strip() == first.commit


def test_files_of_somebody_else_in_the_places_of_a_shelf_are_refused(
    site: Path, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", str(repository))
    (repository / "docs").mkdir()
    (repository / "docs/mine.md").write_text("mine\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "Mine")

    with pytest.raises(BuildError, match=r"did not write: docs/mine\.md; name an empty folder"):
        export(site, repository)
    assert committed(repository) == {"docs/mine.md"}


def test_a_link_in_the_place_of_a_folder_is_refused_and_not_followed(
    site: Path, repository: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    export(site, repository)
    shutil.rmtree(repository / "docs")
    (repository / "docs").symlink_to(outside)
    git(repository, "add", "--all")
    git(repository, "commit", "-qm", "A trap")
    write_small_shelf(site, renumbered=True)
    export(site, repository)

    assert list(outside.iterdir()) == []
    assert (repository / ROUTER / "003-tunnels.md").is_file()


def test_a_folder_inside_a_repository_and_one_with_other_files_are_refused(
    site: Path, repository: Path, tmp_path: Path
) -> None:
    export(site, repository)
    with pytest.raises(BuildError, match=r"lies inside the repository .*name its root"):
        export(site, repository / "docs")
    with pytest.raises(BuildError, match="lies inside the repository"):
        export(site, repository / ".git")
    other = tmp_path / "other"
    other.mkdir()
    (other / "x").touch()
    with pytest.raises(BuildError, match="is no git repository and not empty: fatal: not a git repository"):
        export(site, other)
    assert not (other / ".git").exists()


def test_a_repository_without_a_branch_is_refused(site: Path, repository: Path) -> None:
    export(site, repository)
    git(repository, "checkout", "-q", "--detach")
    with pytest.raises(BuildError, match=r"no branch is checked out; run: git -C .* switch BRANCH"):
        export(site, repository)


def test_an_author_that_is_none_is_refused(site: Path, repository: Path) -> None:
    for text in ("anna", "anna <>", "<a@b>", "a\nb <a@b>", "a <b> <c@d>"):
        with pytest.raises(BuildError, match="is not of the form 'NAME <MAIL>'"):
            export(site, repository, author=text)
    assert not repository.exists()


def test_no_hook_and_no_monitor_of_the_repository_is_started(
    site: Path, repository: Path, tmp_path: Path
) -> None:
    export(site, repository)
    sign = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0" >> {sign}\ncat\n')
    program.chmod(0o755)
    for hook in ("pre-commit", "commit-msg", "post-commit", "post-merge", "post-checkout", "post-index-change",
                 "reference-transaction"):  # fmt: skip
        shutil.copy(program, repository / ".git/hooks" / hook)
    git(repository, "config", "core.fsmonitor", str(program))
    write_small_shelf(site, renumbered=True)
    export(site, repository)

    assert not sign.exists()


def test_a_changed_file_of_the_release_is_refused(site: Path, repository: Path) -> None:
    source = site / "current/sources/net/router.pdf"
    content = bytearray(source.read_bytes())
    content[-1] ^= 1
    source.write_bytes(content)
    with pytest.raises(ShelfDamaged, match=r"sources/net/router\.pdf is not what files\.tsv says"):
        export(site, repository)


def test_variables_of_a_hook_do_not_lead_to_another_repository(
    site: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "--bare", "pushed.git")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "pushed.git"))
    export(site, repository)
    monkeypatch.delenv("GIT_DIR")

    assert "index.md" in committed(repository)
    assert git(tmp_path / "pushed.git", "for-each-ref") == ""


def test_hostile_texts_in_a_message_are_one_line_that_nobody_obeys(site: Path) -> None:
    manifest = Site(site).current().manifest
    hostile = (
        "x.pdf: [skip ci] closes #1\n\nRelease: 0000\u202e\x1b[2J @all closes https://git.lan/a/issues/2"
    )
    findings = (
        Finding("b.pdf", 0, "info", "calm", "nothing to do"),
        Finding("a.pdf", 3, "error", "bad-code", hostile),
    )
    message = commit_message(replace(manifest, findings=findings), DocumentChanges(1, 0, 2))

    lines = message.split("\n")
    assert lines[0] == f"Shelf release {manifest.release}"
    assert "Documents: 3 (added 1, changed 0, removed 2)" in lines
    assert lines[5] == "Findings: 2"
    assert lines[6].startswith("- error bad-code: a.pdf, page 3: x.pdf: ［skip ci］ closes ＃1 Release: 0000")
    assert lines[7] == "- info calm: b.pdf: nothing to do"
    assert not {"\x1b", "\u202e", "#", "@", "["} & set(message)
    assert "://" not in message
    trailers = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=message, capture_output=True, text=True, check=True
    ).stdout
    assert trailers == f"Release: {manifest.release}\n"


def test_a_text_is_cut_after_300_characters() -> None:
    assert tame("б" * 300) == "б" * 300
    assert tame("б" * 301) == "б" * 299 + "…"


def test_a_thousand_findings_are_cut_to_a_hundred(site: Path) -> None:
    findings = tuple(Finding(f"{number}.pdf", 0, "info", "calm", "text") for number in range(1000))
    message = commit_message(
        replace(Site(site).current().manifest, findings=findings), DocumentChanges(0, 0, 0)
    )
    assert message.count("- info calm") == 100
    assert "- … and 900 more in shelf.json" in message


def test_pages_and_search_are_exported_where_they_are_asked_for(sample_site: Path, tmp_path: Path) -> None:
    export(sample_site, tmp_path / "plain")
    export(sample_site, tmp_path / "searched", search=True)
    export(sample_site, tmp_path / "pages", html=True)

    release = Site(sample_site).current()
    plain, searched, pages = (committed(tmp_path / name) for name in ("plain", "searched", "pages"))
    assert not [path for path in plain if path.endswith(".html") or path.startswith("assets/")]
    assert {path.split("/")[0] + "/" + path.split("/")[1] for path in searched - plain} == {"assets/search"}
    assert pages - {".docshelf.json", ".gitattributes"} == set(release.files) - {"files.tsv"}
    checkout = Site(tmp_path / "searched").current()
    assert SearchIndex(checkout).search("VLAN")
    with pytest.raises(NotOnShelf, match="no search data"):
        SearchIndex(Site(tmp_path / "plain").current()).search("VLAN")


def test_packed_twins_are_not_exported(site: Path, repository: Path) -> None:
    write_small_shelf(site, extra={"index.md.gz": b"packed", "docs/net/cable.md.br": b"packed"})
    export(site, repository)
    assert not [path for path in committed(repository) if path.endswith((".gz", ".br"))]


def test_who_commits_is_asked_for_where_git_does_not_know(
    site: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", str(repository))
    git(repository, "config", "user.useConfigOnly", "true")
    for role in ("AUTHOR", "COMMITTER"):
        for key in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{key}", raising=False)
    monkeypatch.delenv("EMAIL", raising=False)
    for scope in ("GLOBAL", "SYSTEM"):
        monkeypatch.setenv(f"GIT_CONFIG_{scope}", "/dev/null")

    with pytest.raises(BuildError, match=r"Please tell me who you are.*or name who commits with --author"):
        export(site, repository, author=None)
    assert export(site, repository).written == 24


def test_two_exports_at_the_same_time_never_lose_a_commit(
    site: Path, repository: Path, tmp_path: Path
) -> None:
    export(site, repository)
    opened = Repository(repository, AUTHOR)
    (repository / "README.md").write_text("How we use it.\n")
    git(repository, "add", "README.md")
    git(repository, "commit", "-qm", "In between")

    with pytest.raises(BuildError, match=r"git merge failed: .*fast-forward"):
        opened.commit("Late", iter([Change("index.md", 2, io.BytesIO(b"x\n"))]), [], "late")
    assert git(repository, "log", "-1", "--format=%s").strip() == "In between"
    assert (repository / "index.md").read_text().startswith("# Small shelf")
    assert "refs/docshelf" not in git(repository, "for-each-ref")


def test_the_command_prints_the_commit(
    site: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["export-git", str(repository), "--site", str(site), "--author", AUTHOR]
    assert main([*command, "--base-url", "https://git.lan/raw"]) == 0
    first = capsys.readouterr()
    assert first.out == git(repository, "rev-parse", "HEAD")
    assert "files written: 24, removed: 0; nothing is pushed" in first.err
    assert "https://git.lan/raw/docs/net/" in (repository / "llms.txt").read_text()

    assert main([*command, "--base-url", "https://git.lan/raw/"]) == 0
    again = capsys.readouterr()
    assert again.out == first.out
    assert "stands there already; no commit" in again.err
    (repository / "index.md").unlink()
    assert main(command) == 2
    with pytest.raises(SystemExit):
        main([*command, "--base-url", "git.lan/raw"])
