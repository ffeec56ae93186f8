"""A release on disk and the site around it."""

import gc
import hashlib
import os
import shutil
from pathlib import Path

import pytest
from small_shelf import BEGIN, BEGIN_TEXT, CABLE, ROUTER, SOURCE_BYTES, write_small_shelf
from written_shelf import switch

from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.releases.byte_cache import ByteCache
from docshelf.serve.releases.tree import Release, Site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site folder with one release."""
    folder = tmp_path / "site"
    write_small_shelf(folder)
    return folder


def current_folder(site: Path) -> Path:
    return site / site.joinpath("current").readlink()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_release_reads_its_files(site: Path) -> None:
    release = Release(current_folder(site))

    assert release.read(BEGIN).decode() == BEGIN_TEXT
    assert release.read("sources/net/router.pdf") == SOURCE_BYTES
    assert release.meta(f"{ROUTER}.meta.json").title == "Router manual"
    assert release.manifest.name == "Small shelf"


@pytest.mark.parametrize("path", ["shelf.json", "files.tsv", "assets/release.js"])
def test_what_files_tsv_leaves_out_is_served_with_a_hash_of_its_own(site: Path, path: str) -> None:
    release = Release(current_folder(site))

    content = (current_folder(site) / path).read_bytes()
    assert release.read(path) == content
    assert release.files[path].sha256 == hashlib.sha256(content).hexdigest()
    assert release.files[path].bytes == len(content)


@pytest.mark.parametrize(
    "path", ["", ".", "..", "docs", "docs/", "/index.md", "docs//net", "../current/index.md"]
)
def test_what_is_no_key_does_not_exist(site: Path, path: str) -> None:
    with pytest.raises(NotOnShelf):
        Release(current_folder(site)).read(path)


def test_a_file_that_is_on_disk_but_not_listed_does_not_exist(site: Path) -> None:
    (current_folder(site) / "secret.md").write_text("secret")

    with pytest.raises(NotOnShelf):
        Release(current_folder(site)).read("secret.md")


@pytest.mark.parametrize("place", [CABLE, "docs/net"])
def test_a_link_in_the_tree_is_not_followed(site: Path, tmp_path: Path, place: str) -> None:
    file = current_folder(site) / place
    file.rename(tmp_path / "outside")
    file.symlink_to(tmp_path / "outside")

    with pytest.raises(ShelfDamaged, match=CABLE):
        Release(current_folder(site)).read(CABLE)


def test_a_pipe_in_the_place_of_a_file_does_not_hold_the_reader(site: Path) -> None:
    file = current_folder(site) / CABLE
    file.unlink()
    os.mkfifo(file)

    with pytest.raises(ShelfDamaged):
        Release(current_folder(site)).read(CABLE)


@pytest.mark.parametrize("path", [CABLE, "sources/net/router.pdf"])
def test_a_file_of_another_size_is_damage(site: Path, path: str) -> None:
    with (current_folder(site) / path).open("ab") as file:
        file.write(b"more")

    with pytest.raises(ShelfDamaged, match=path):
        Release(current_folder(site)).read(path)


def test_a_small_file_with_other_bytes_is_damage(site: Path) -> None:
    file = current_folder(site) / CABLE
    file.write_bytes(file.read_bytes().replace(b"two", b"six"))

    with pytest.raises(ShelfDamaged, match=CABLE):
        Release(current_folder(site)).read(CABLE)


def test_a_missing_file_is_damage(site: Path) -> None:
    (current_folder(site) / CABLE).unlink()

    with pytest.raises(ShelfDamaged, match=CABLE):
        Release(current_folder(site)).read(CABLE)


@pytest.mark.parametrize(
    "line",
    [
        "../secret.md\t1\t" + "0" * 64 + "\ttext/plain",
        "/etc/passwd\t1\t" + "0" * 64 + "\ttext/plain",
        "docs//x.md\t1\t" + "0" * 64 + "\ttext/plain",
        "docs/./x.md\t1\t" + "0" * 64 + "\ttext/plain",
        "docs/..\t1\t" + "0" * 64 + "\ttext/plain",
        "docs/\t1\t" + "0" * 64 + "\ttext/plain",
        "\t1\t" + "0" * 64 + "\ttext/plain",
        "docs/x\x1b.md\t1\t" + "0" * 64 + "\ttext/plain",
        "x.md\t1\tno-hash\ttext/plain",
        "x.md\t1\t" + "0" * 64 + "\ttext/plain\rSet-Cookie: a",
        "x.md\tmany\t" + "0" * 64 + "\ttext/plain",
        "x.md",
    ],
)
def test_a_listing_that_leads_out_or_makes_no_sense_is_refused(site: Path, line: str) -> None:
    with (current_folder(site) / "files.tsv").open("a", newline="") as file:
        file.write(line + "\n")

    with pytest.raises(ShelfDamaged, match=r"files\.tsv"):
        Release(current_folder(site))


def test_a_folder_that_is_no_shelf_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ShelfDamaged, match=r"is no shelf: .* run docshelf build"):
        Site(tmp_path).current()
    with pytest.raises(ShelfDamaged, match=r"is no shelf: .* run docshelf build"):
        Site(tmp_path / "nowhere").current()


@pytest.mark.parametrize("target", ["/", "..", "releases/../..", "releases/new"])
def test_a_current_link_that_leads_elsewhere_is_refused(site: Path, target: str) -> None:
    (site / "current").unlink()
    (site / "current").symlink_to(target)

    with pytest.raises(ShelfDamaged, match="run docshelf build"):
        Site(site).current()


def test_a_new_release_is_seen_on_the_next_call(site: Path) -> None:
    served = Site(site)
    old = served.current().id

    new = write_small_shelf(site, description="New words.")

    assert new != old
    assert served.current().id == new
    assert served.current().manifest.description == "New words."


def test_the_same_release_is_opened_once(site: Path) -> None:
    served = Site(site)

    assert served.current() is served.current()


def test_a_kept_release_is_read_by_its_name(site: Path) -> None:
    served = Site(site)
    old = served.current().id
    write_small_shelf(site, description="New words.")

    assert served.release(old).manifest.description == "Manuals of a small network."


@pytest.mark.parametrize("name", ["0" * 16, "", "..", "../releases", "current", "x" * 5000])
def test_a_release_that_is_not_kept_names_the_current_one(site: Path, name: str) -> None:
    served = Site(site)

    with pytest.raises(NotOnShelf, match=served.current().id):
        served.release(name)


def test_a_removed_release_is_gone_though_it_was_read_before(site: Path) -> None:
    served = Site(site)
    old = served.current().id
    write_small_shelf(site, description="New words.")
    served.release(old)

    shutil.rmtree(site / "releases" / old)

    with pytest.raises(NotOnShelf):
        served.release(old)


def test_a_site_that_was_built_anew_under_the_same_name_is_read_anew(site: Path) -> None:
    served = Site(site)
    served.current().read(CABLE)
    shutil.rmtree(site)

    write_small_shelf(site)

    assert served.current().read(BEGIN).decode() == BEGIN_TEXT


def test_a_release_folder_by_itself_is_a_site(site: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(current_folder(site), copy)
    served = Site(copy)

    assert served.current().read(BEGIN).decode() == BEGIN_TEXT
    assert served.release(served.current().id) is served.current()
    with pytest.raises(NotOnShelf):
        served.release("0" * 16)


def test_no_descriptor_stays_open_after_many_releases(site: Path) -> None:
    served = Site(site)
    names = [write_small_shelf(site, description=f"Number {number}") for number in range(12)]
    gc.collect()
    before = open_descriptors()

    for _ in range(3):
        for name in names:
            switch(site, name)
            served.current().read(CABLE)
            with served.current().open("sources/net/router.pdf") as file:
                file.read(1)
    gc.collect()

    assert open_descriptors() <= before + 4


def test_the_cache_drops_what_was_not_used_for_longest() -> None:
    cache = ByteCache(limit_bytes=10)
    cache.put("a", b"aaaa")
    cache.put("b", b"bbbb")
    cache.get("a")

    cache.put("c", b"cccc")

    assert cache.get("a") == b"aaaa"
    assert cache.get("b") is None
    assert cache.get("c") == b"cccc"


def test_what_is_larger_than_the_cache_is_not_kept() -> None:
    cache = ByteCache(limit_bytes=3)

    cache.put("a", b"aaaa")
    cache.put("b", b"bb")

    assert cache.get("a") is None
    assert cache.get("b") == b"bb"
