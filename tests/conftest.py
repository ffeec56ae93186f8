"""What the tests share: where inputs lie, and how a shelf is built and looked at."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from s3_server import KEYS, S3Server, running_s3
from shelftest import ShelfTest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of cases and corpus beside the repository; CI has it, users do not."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip("../shared is not here: it holds cases and corpus for the developers only")
    return folder


@pytest.fixture
def shelf(tmp_path: Path) -> ShelfTest:
    """An empty source folder and what is built from it."""
    return ShelfTest(tmp_path)


@pytest.fixture(scope="session")
def sample_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample shelf, built once for all who only read it."""
    sample = ShelfTest(tmp_path_factory.mktemp("sample"))
    sample.source = REPOSITORY / "shelf_src"
    sample.build()
    return sample.site


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """An S3 server for all who name different places in it."""
    with running_s3(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture
def s3(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """The S3 server, with its keys in the environment."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    return s3_server


def pytest_configure() -> None:
    """Tests started in the background of a shell would hand on that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
