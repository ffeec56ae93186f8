"""Asks the application in process, as a browser or a model would over HTTP."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from starlette.testclient import TestClient

from docshelf.serve.http.app import create_app
from docshelf.serve.releases.tree import Site


class Answered(Protocol):
    """What the test client answers."""

    @property
    def headers(self) -> Mapping[str, str]: ...

    def json(self) -> Any: ...


def asking(site: Path) -> TestClient:
    """A client of the shelf in `site`; it follows no redirects."""
    return TestClient(create_app(Site(site)), follow_redirects=False)


def error_of(response: Answered) -> dict[str, str]:
    """The error in the one shape that every HTTP error has."""
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.headers["x-content-type-options"] == "nosniff"
    value = response.json()
    assert list(value) == ["error"]
    assert sorted(value["error"]) == ["code", "message"]
    assert all(isinstance(text, str) and text for text in value["error"].values())
    return dict(value["error"])
