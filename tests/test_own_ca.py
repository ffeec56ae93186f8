"""https with an authority of one's own, by the commands of docs/closed-network.md."""

import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from nginx_server import running_nginx
from running_server import REPOSITORY, running_server
from small_shelf import ROOT_INDEX, write_small_shelf

from docshelf.serve.errors import ConfigError
from docshelf.serve.nginx.options import NginxOptions
from docshelf.serve.smoke import smoke


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ca.pem, shelf.pem and shelf.key."""
    folder = tmp_path_factory.mktemp("ca")
    text = (REPOSITORY / "docs/closed-network.md").read_text("utf-8")
    [commands] = re.findall(r"^```sh\n(openssl .*?)^```$", text, re.MULTILINE | re.DOTALL)
    subprocess.run(["sh", "-euc", commands], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def url(sample_site: Path, authority: Path) -> Iterator[str]:
    """`docshelf serve` with the certificate, by the name that stands in it."""
    with running_server(
        sample_site, tls_cert=authority / "shelf.pem", tls_key=authority / "shelf.key"
    ) as address:
        yield address.replace("127.0.0.1", "localhost")


def test_smoke_passes_with_the_authority_and_names_the_certificate_without_it(
    url: str, authority: Path
) -> None:
    assert [found for found in smoke(url, ca=authority / "ca.pem") if found[1] is not None] == []
    problems = [problem for _, problem in smoke(url)]
    assert all(problem is not None and "certificate verify failed" in problem for problem in problems)


def test_a_ca_that_is_no_certificate_is_refused(url: str, authority: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    for file in (authority / "shelf.key", tmp_path / "empty.pem", tmp_path / "missing.pem"):
        with pytest.raises(ConfigError, match=rf"{file.name}: no certificates in PEM can be read"):
            list(smoke(url, ca=file))


def test_the_bridge_of_mcp_trusts_it_by_a_variable(url: str, authority: Path) -> None:
    request = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    done = subprocess.run(
        [sys.executable, "-m", "docshelf.build.cli", "mcp", f"{url}/mcp"],
        input=request,
        env={"PYTHONPATH": str(REPOSITORY / ".dev"), "SSL_CERT_FILE": str(authority / "ca.pem")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert '"name": "fetch"' in done.stdout or '"name":"fetch"' in done.stdout, done.stderr


def test_nginx_serves_with_it(authority: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_small_shelf(site)
    options = NginxOptions(
        site, upstream=None, tls_cert=authority / "shelf.pem", tls_key=authority / "shelf.key"
    )
    with running_nginx(site, tmp_path / "nginx", options) as address:
        asked = f"{address.replace('127.0.0.1', 'localhost')}/index.md"
        trusting = ssl.create_default_context(cafile=str(authority / "ca.pem"))
        with urlopen(asked, context=trusting) as reply:
            assert reply.read() == ROOT_INDEX.encode()
        with pytest.raises(URLError, match="certificate verify failed"):
            urlopen(asked)
