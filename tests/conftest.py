"""What the tests share: where inputs lie, and how a shelf is built and looked at."""

from pathlib import Path

import pytest
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
