"""What the Containerfiles and compose.yaml promise; their steps are run by .ci/containers."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from containerfile import Stage, read_containerfile
from running_server import REPOSITORY, running_server
from small_shelf import write_small_shelf

from docshelf.build.cli import root_parser

FOLDER = REPOSITORY / "docs/containers"
NAMES = ("serve", "build", "high")


def stages(name: str) -> list[Stage]:
    return read_containerfile((FOLDER / f"Containerfile.{name}").read_text("utf-8"))


def test_a_containerfile_is_read_as_its_stages() -> None:
    text = "# c\nFROM a AS one\nENV X=1 \\\n    Y='2 3'\nRUN /v/bin/pip install --quiet '/src[x]' \\\n    && true\n"
    [one, last] = read_containerfile(text + "FROM b\nUSER 1:1\nUSER 2:2\n")
    assert (one.name, one.base, one.variables) == ("one", "a", {"X": "1", "Y": "2 3"})
    assert one.packages == ["/src[x]"]
    assert (last.name, last.base, last.last("USER"), last.last("CMD")) == ("", "b", "2:2", "")


def test_hadolint_has_nothing_to_say() -> None:
    program = Path(sys.executable).with_name("hadolint")
    config = ["--config", str(FOLDER / "hadolint.yaml")]
    done = subprocess.run(
        [program, *config, *(FOLDER / f"Containerfile.{name}" for name in NAMES)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("name", "packages"), [("serve", ["/src"]), ("build", ["/src[build,s3]"]), ("high", ["/src[high,s3]"])]
)
def test_each_image_installs_what_it_is_for(name: str, packages: list[str]) -> None:
    assert [found for stage in stages(name) for found in stage.packages] == packages
    known = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = packages[0].removeprefix("/src").strip("[]")
    assert set(filter(None, asked.split(","))) <= known.keys()


def test_the_serve_image_has_no_engine_by_what_docshelf_alone_depends_on() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    names = {dependency.split(">")[0] for dependency in project["dependencies"]}
    assert names == {"starlette", "uvicorn", "httptools", "uvloop"}


@pytest.mark.parametrize("name", NAMES)
def test_each_image_runs_as_a_user_without_rights_and_without_pip(name: str) -> None:
    first, image = stages(name)
    assert image.last("USER") == "10001:10001"
    assert "pip uninstall" in " ".join(rest for instruction, rest in first.steps if instruction == "RUN")
    copied = [rest for instruction, rest in image.steps if instruction == "COPY"]
    assert copied == ["--from=install /opt/docshelf /opt/docshelf"]
    packed = [rest for instruction, rest in first.steps if instruction == "COPY"]
    sources = {source for rest in packed for source in rest.split()[:-1]}
    assert sources == {"pyproject.toml", "README.md", "LICENSE", "build", "serve", "themes"}


@pytest.mark.parametrize("name", NAMES)
def test_the_commands_of_each_image_are_ones_of_docshelf(name: str) -> None:
    image = stages(name)[-1]
    command = [*json.loads(image.last("ENTRYPOINT") or "[]"), *json.loads(image.last("CMD"))]
    assert command[0] == "docshelf"
    arguments = root_parser().parse_args(command[1:])
    assert arguments.command == ("serve" if name == "serve" else "build")


def test_high_takes_weights_from_a_folder_and_fetches_nothing() -> None:
    variables = stages("high")[-1].variables
    assert variables["HF_HUB_OFFLINE"] == "1"
    places = {key: value for key, value in variables.items() if value.startswith("/weights/")}
    assert places == {
        "FAST_LAYOUT_MODEL_CHECKPOINT": "/weights/layout",
        "FAST_ORDER_MODEL_CHECKPOINT": "/weights/order",
        "OCR_ERROR_MODEL_CHECKPOINT": "/weights/ocr-error",
        "LLAMA_CPP_BINARY": "/weights/llama-server",
        "SURYA_GGUF_LOCAL_MODEL_PATH": "/weights/surya.gguf",
        "SURYA_GGUF_LOCAL_MMPROJ_PATH": "/weights/surya-mmproj.gguf",
    }
    page = (REPOSITORY / "docs/containers.md").read_text("utf-8")
    assert [key for key in places if f"`{key}`" not in page] == []


def health_check(url: str) -> int:
    """Exit status of the health check of the serve image, asked of another port."""
    command = json.loads(stages("serve")[-1].last("HEALTHCHECK").partition(" CMD ")[2])
    assert command[:2] == ["python3", "-c"] and command[2].count("8080") == 1
    program = command[2].replace("8080", url.rpartition(":")[2])
    return subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL, check=False).returncode


def test_the_health_check_tells_a_server_that_answers_from_one_that_is_gone(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    with running_server(tmp_path) as url:
        assert health_check(url) == 0
    assert health_check(url) == 1


def test_the_health_check_needs_no_token(tmp_path: Path) -> None:
    site, tokens = tmp_path / "site", tmp_path / "tokens"
    write_small_shelf(site)
    tokens.touch(0o600)
    tokens.write_text("anna " + "t" * 32 + "\n")
    with running_server(site, token_file=tokens) as url:
        assert health_check(url) == 0


def test_the_health_check_says_that_the_shelf_is_damaged(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    with running_server(tmp_path) as url:
        (tmp_path / "current").unlink()
        assert health_check(url) == 1


@pytest.fixture
def services() -> Iterator[dict[str, Any]]:
    yield yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))["services"]


def test_every_service_is_closed_as_far_as_it_can_be(services: dict[str, Any]) -> None:
    assert services.keys() == {"serve", "nginx", "build"}
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert "ports" not in services["serve"] and "cap_add" not in services["serve"]
    assert services["build"]["network_mode"] == "none"


def test_nginx_and_serve_read_the_same_site_and_cannot_write_it(services: dict[str, Any]) -> None:
    site = "${SHELF_SITE:-/srv/docshelf/site}"
    assert services["serve"]["volumes"] == [f"{site}:/site:ro"]
    # docshelf nginx is told the path on the host, which is the one in the container, too.
    assert f"{site}:/srv/docshelf/site:ro" in services["nginx"]["volumes"]
    assert f"{site}:/work/site" in services["build"]["volumes"]
    networks = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))["networks"]
    assert networks["inner"] == {"internal": True}
    assert services["serve"]["networks"] == ["inner"]


def test_the_services_are_built_from_files_that_are_there(services: dict[str, Any]) -> None:
    for name in ("serve", "build"):
        build = services[name]["build"]
        context = (FOLDER / build["context"]).resolve()
        assert context == REPOSITORY
        assert (context / build["dockerfile"]).is_file()
    words = [word.replace("${SHELF_NAME:-shelf.lan}", "shelf.lan") for word in services["serve"]["command"]]
    entry = json.loads(stages("serve")[-1].last("ENTRYPOINT"))
    arguments = root_parser().parse_args([*entry[1:], *words])
    assert (arguments.allow_anonymous, arguments.allow_host) == (True, ["shelf.lan"])
