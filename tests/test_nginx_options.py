"""What `docshelf nginx` may be told, and what it prints."""

import shlex
from pathlib import Path

import pytest
from small_shelf import write_small_shelf

from docshelf.build.cli import main
from docshelf.serve.errors import ConfigError
from docshelf.serve.nginx.options import NginxOptions, checked_options, serve_command

SITE = Path("/srv/docshelf/site")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (NginxOptions(Path("/srv/$document_root")), "SITE '/srv/$document_root'"),
        (NginxOptions(Path("/srv/a\n;load_module x")), "SITE"),
        (NginxOptions(Path("/srv/a\x00b")), "SITE"),
        (NginxOptions(Path("/srv/\udcff")), "SITE"),
        (NginxOptions(SITE, log_folder=Path("/var/$log")), "--log-folder"),
        (NginxOptions(SITE, tls_cert=Path("/c$.pem")), "--tls-cert"),
        (NginxOptions(SITE, tls_cert=Path("/c.pem"), tls_key=Path("/k\r.pem")), "--tls-key"),
        (NginxOptions(SITE, tls_key=Path("/k.pem")), "--tls-key: belongs to a certificate"),
        (NginxOptions(SITE, server_names=()), "--server-name: give at least one"),
        *((NginxOptions(SITE, server_names=(name,)), f"--server-name {name!r}")
          for name in ("", "~^.*$", "a b", "a;b", "a{", "$host", "*", "*.lan", "x" * 254, "шкаф.рф", ".lan", "a\nb")),
        *((NginxOptions(SITE, listen=(address,)), f"--listen {address!r}")
          for address in ("", "0", "65536", "80 ssl", "unix:/x", "80;", "a:", ":80", "::1:80", "127.0.0.1:99999", "٨٠")),
        *((NginxOptions(SITE, upstream=address), f"--upstream {address!r}")
          for address in ("", "8080", "http://127.0.0.1:8080", "127.0.0.1:8080/x", "$host:80", "a;b:80")),
        *((NginxOptions(SITE, prefix=prefix), f"--prefix {prefix!r}")
          for prefix in ("/a/../b", "/.", "/a b", "/a;", "/$uri", "/a//b", "/a{", "/%41", "/й", "/a\n")),
        *((NginxOptions(SITE, origins=(origin,)), f"--cors {origin!r}")
          for origin in ("*", "null", "chat.lan", "https://chat.lan/x", 'https://chat"lan', "https://$host")),
        (NginxOptions(SITE, upstream=None, private=True), "--private"),
    ],
)  # fmt: skip
def test_what_nginx_would_read_otherwise_is_refused(options: NginxOptions, named: str) -> None:
    with pytest.raises(ConfigError) as caught:
        checked_options(options)

    assert [problem for problem in caught.value.problems if problem.startswith(named)] == list(
        caught.value.problems
    )


def test_every_wrong_value_is_named_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        checked_options(NginxOptions(SITE, server_names=("a b", "c d"), prefix="/$", origins=("x",)))

    assert len(caught.value.problems) == 4


def test_one_release_is_no_site(tmp_path: Path) -> None:
    release = write_small_shelf(tmp_path)
    with pytest.raises(ConfigError, match="name the folder that holds `current`"):
        checked_options(NginxOptions(tmp_path / "releases" / release))
    assert checked_options(NginxOptions(tmp_path)).site == tmp_path


def test_what_is_left_out_is_filled_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    options = checked_options(NginxOptions(Path("site"), server_names=("Shelf.LAN",), prefix="docs/x/"))

    assert (options.site, options.prefix, options.listen) == (tmp_path / "site", "/docs/x", ("80",))
    assert options.server_names == ("shelf.lan",)
    secure = checked_options(NginxOptions(SITE, tls_cert=Path("cert.pem")))
    assert (secure.listen, secure.tls_cert) == (("443",), tmp_path / "cert.pem")


def test_the_server_behind_is_started_with_what_it_needs() -> None:
    options = NginxOptions(Path("/srv/a b"), server_names=("shelf.lan", "localhost", "[fd00::1]"),
                           upstream="10.0.0.7:9000", origins=("https://chat.lan",), private=True)  # fmt: skip

    assert shlex.split(serve_command(checked_options(options))) == [
        "docshelf", "serve", "/srv/a b", "--host", "10.0.0.7", "--port", "9000", "--allow-host", "shelf.lan",
        "--allow-host", "fd00::1", "--allow-origin", "https://chat.lan", "--token-file", "FILE",
    ]  # fmt: skip


def test_the_command_prints_it_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["nginx", str(tmp_path), "--server-name", "shelf.lan", "--server-name", "10.0.0.7", "--listen", "8080",
             "--listen", "[::]:8080", "--prefix", "/docs", "--upstream", "127.0.0.1:9000", "--private", "--brotli",
             "--cors", "https://chat.lan", "--tls-cert", "/c.pem", "--tls-key", "/k.pem", "--log-folder", "/logs"]  # fmt: skip

    assert main(words) == 0
    printed = capsys.readouterr().out
    for line in ("server_name shelf.lan 10.0.0.7;", "listen 8080 ssl;", "listen [::]:8080 ssl;", "location /docs/ {",
                 "server 127.0.0.1:9000;", "brotli_static on;", 'ssl_certificate "/c.pem";', 'ssl_certificate_key "/k.pem";',
                 f'alias "{tmp_path}/current/";', "auth_request /docs/.docshelf-token;",
                 'access_log "/logs/docshelf_shelf_lan_docs.access.log" docshelf_shelf_lan_docs;'):  # fmt: skip
        assert f" {line}\n" in printed, line
    assert r'"~^https://chat\.lan$" $http_origin;' in printed


def test_files_only_names_no_other_server(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["nginx", str(tmp_path), "--files-only"]) == 0
    printed = capsys.readouterr().out
    assert "proxy_pass" not in printed and "upstream" not in printed


def test_a_wrong_value_prints_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["nginx", str(tmp_path), "--prefix", "/a b"]) == 2
    assert capsys.readouterr() == (
        "",
        "docshelf nginx: --prefix '/a b': must be like /docs, of A-Z a-z 0-9 . _ ~ -\n",
    )
