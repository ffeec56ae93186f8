"""`docshelf bundle`: what is on the medium, what its scripts refuse, and an install with the network off."""

import hashlib
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from importlib.metadata import Distribution
from pathlib import Path

import pytest
from closed_network import run_closed
from running_server import REPOSITORY
from small_shelf import write_small_shelf

from docshelf.build.bundling.bundle import make_bundle
from docshelf.build.bundling.wheels import read_wheel, requirement, requirements
from docshelf.serve.errors import BuildError, ShelfDamaged

BUNDLING = REPOSITORY / "build/bundling"

ASK = """
set -eu
medium=$1 folder=$2
sh "$medium/install.sh" "$folder" "$3"
"$folder/venv/bin/docshelf" serve "$folder/site" --port 8765 &
trap 'kill $!' EXIT
"$folder/venv/bin/python" - <<'END'
import time, urllib.request
for _ in range(200):
    try:
        urllib.request.urlopen("http://127.0.0.1:8765/healthz")
        break
    except OSError:
        time.sleep(0.1)
found = urllib.request.urlopen("http://127.0.0.1:8765/search?query=failover").read().decode()
print(found)
END
"$folder/venv/bin/docshelf" smoke http://127.0.0.1:8765
"""


class Installed(Distribution):
    """A distribution that says where it came from."""

    def __init__(self, origin: Mapping[str, object] | None) -> None:
        self._origin = origin

    def read_text(self, filename: str) -> str | None:
        if filename == "METADATA":
            return "Metadata-Version: 2.1\nName: docshelf\nVersion: 1.2.3\n"
        return None if self._origin is None else json.dumps(dict(self._origin))

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError


def test_docshelf_of_an_index_is_asked_for_by_its_version() -> None:
    assert requirement([], None, Installed(None)) == "docshelf==1.2.3"
    assert requirement(["build", "s3"], None, Installed(None)) == "docshelf[build,s3]==1.2.3"


def test_docshelf_of_a_checkout_or_a_file_is_built_from_there(tmp_path: Path) -> None:
    checkout = tmp_path / "my checkout"
    checkout.mkdir()
    url = checkout.as_uri()
    editable = Installed({"url": url, "dir_info": {"editable": True}})
    assert requirement(["build"], None, editable) == f"docshelf[build] @ {url}"
    assert requirement([], checkout, Installed(None)) == f"docshelf @ {url}"


def test_docshelf_of_a_repository_is_built_from_the_same_commit() -> None:
    origin = {"url": "https://git.lan/docshelf.git", "vcs_info": {"vcs": "git", "commit_id": "abc123"}}
    assert requirement([], None, Installed(origin)) == "docshelf @ git+https://git.lan/docshelf.git@abc123"


def test_a_place_that_is_gone_is_named_with_what_to_do(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(BuildError, match=r"installed from .*gone, which is gone; --docshelf names"):
        requirement([], None, Installed({"url": gone.as_uri(), "dir_info": {}}))
    with pytest.raises(BuildError, match="no such file or folder; name a wheel or a checkout"):
        requirement([], gone, Installed(None))


def small_wheel(folder: Path, name: str, version: str, *extras: str) -> Path:
    """A wheel that holds nothing."""
    file = folder / f"{name}-{version}-py3-none-any.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Provides-Extra: {extra}" for extra in extras]
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}-{version}.dist-info/METADATA", "\n".join(lines) + "\n\n")
    return file


def test_requirements_name_each_wheel_with_its_hash_and_the_extras_of_docshelf(tmp_path: Path) -> None:
    own, other = (
        small_wheel(tmp_path, "docshelf", "1.2.3", "build", "s3"),
        small_wheel(tmp_path, "h11", "1.0"),
    )
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in (own, other)]
    assert requirements([read_wheel(own), read_wheel(other)], ["build", "s3"]) == (
        f"docshelf[build,s3]==1.2.3 --hash=sha256:{digests[0]}\nh11==1.0 --hash=sha256:{digests[1]}\n"
    )


def test_an_extra_that_docshelf_lacks_is_refused(tmp_path: Path) -> None:
    own = read_wheel(small_wheel(tmp_path, "docshelf", "1.2.3", "build", "high"))
    with pytest.raises(
        BuildError, match=r"--extra s4: docshelf-1\.2\.3-py3-none-any\.whl has only build, high"
    ):
        requirements([own], ["build", "s4"])


def test_what_is_no_wheel_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.whl"
    file.write_bytes(b"no archive")
    with pytest.raises(BuildError, match=r"x\.whl: no wheel"):
        read_wheel(file)


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    with pytest.raises(BuildError, match="is there already and not empty"):
        make_bundle(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["x"]


def test_a_damaged_release_is_not_bundled_and_nothing_stays(tmp_path: Path) -> None:
    site, output = tmp_path / "site", tmp_path / "out/medium"
    write_small_shelf(site)
    (site / "current/docs/net/cable.md").write_text("changed")
    with pytest.raises(ShelfDamaged, match="build the shelf again"):
        make_bundle(output, site=site)
    assert list(output.parent.iterdir()) == []


@pytest.fixture(scope="module")
def medium(sample_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A medium of this checkout, without extras, with the sample shelf."""
    folder = tmp_path_factory.mktemp("bundle") / "medium"
    make_bundle(folder, site=sample_site, docshelf=REPOSITORY)
    return folder


def test_the_medium_says_what_is_on_it(medium: Path, sample_site: Path) -> None:
    facts = json.loads((medium / "bundle.json").read_text())
    release = (sample_site / "current").readlink().name
    assert (facts["format"], facts["extras"], facts["release"]) == (1, [], release)
    assert (facts["machine"], facts["system"]) == (platform.machine(), "Linux")
    assert facts["python"] == f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert {"docshelf", "starlette", "uvicorn"} <= facts["packages"].keys()
    assert not {name for name in facts["packages"] if "mupdf" in name.lower()}
    names = {file.relative_to(medium).as_posix() for file in medium.iterdir()}
    assert names == {
        "README.md", "README.ru.md", "SHA256SUMS", "bundle.json", "install.sh", "verify.sh",
        "requirements.txt", f"release-{release}.tar", "wheels",
    }  # fmt: skip
    for name in ("README.md", "README.ru.md"):
        text = (medium / name).read_text("utf-8")
        assert release in text and "$" not in text
    with tarfile.open(medium / f"release-{release}.tar") as archive:
        members = archive.getmembers()
    assert {member.uname for member in members} == {""}
    assert "shelf.json" in {member.name for member in members}


def test_it_installs_and_answers_with_the_network_off(medium: Path, tmp_path: Path) -> None:
    told = run_closed("sh", "-c", ASK, "sh", str(medium), str(tmp_path / "opt"), sys.executable)

    assert "docs/routing/dual-wan-failover/" in told
    assert told.rstrip().endswith("PASS")
    assert ": whole\n" in told


def test_an_install_says_that_it_is_for_another_machine(medium: Path, tmp_path: Path) -> None:
    copy = tmp_path / "medium"
    shutil.copytree(medium, copy)
    facts = (copy / "bundle.json").read_text()
    (copy / "bundle.json").write_text(facts.replace(f'"machine": "{platform.machine()}"', '"machine": "vax"'))
    sums = subprocess.run(
        "find . -type f ! -name SHA256SUMS | sed 's|^./||' | xargs sha256sum > SHA256SUMS",
        shell=True, cwd=copy, check=False,
    )  # fmt: skip
    assert sums.returncode == 0
    done = script(copy / "install.sh", str(tmp_path / "opt"), sys.executable)
    assert done.returncode == 1
    assert f"machine {platform.machine()} is here, vax is needed" in done.stderr
    assert not (tmp_path / "opt").exists()


def script(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", str(file), *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def small_medium(tmp_path: Path) -> Path:
    """Two files with their hashes, by hand."""
    folder = tmp_path / "medium"
    (folder / "wheels").mkdir(parents=True)
    shutil.copy(BUNDLING / "verify.sh", folder)
    (folder / "wheels/a.whl").write_text("a")
    digests = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in ("verify.sh", "wheels/a.whl")
    }
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))
    return folder


def test_a_whole_copy_is_called_whole_from_any_folder(small_medium: Path) -> None:
    done = script(small_medium / "verify.sh")
    sums = hashlib.sha256((small_medium / "SHA256SUMS").read_bytes()).hexdigest()
    assert done.stdout == f"every file is as it was written; SHA256SUMS itself: {sums}\n"
    assert done.returncode == 0


@pytest.mark.parametrize("harm", ["changed", "missing", "more", "link", "hidden"])
def test_a_copy_that_differs_is_refused(small_medium: Path, harm: str) -> None:
    file = small_medium / "wheels/a.whl"
    if harm == "changed":
        file.write_text("b")
    elif harm == "missing":
        file.unlink()
    elif harm == "link":
        (small_medium / "wheels/b.whl").symlink_to("a.whl")
    else:
        (small_medium / "wheels" / (".x" if harm == "hidden" else "b.whl")).write_text("b")
    done = script(small_medium / "verify.sh")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith(
        "copy the medium again, or ask for a new one" if harm in ("changed", "missing") else "remove them"
    )


def test_an_install_without_a_folder_says_how(tmp_path: Path) -> None:
    done = script(BUNDLING / "install.sh")
    assert (done.returncode, done.stderr) == (2, "usage: sh install.sh FOLDER [PYTHON]\n")
