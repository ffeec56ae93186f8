"""What a real nginx answers with the printed configuration, alone and in front of a real `docshelf serve`."""

import asyncio
import gzip
import json
import os
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import mcp_types
import pytest
import test_path_probes as paths
from certificates import authority_and_certificate
from mcp.client import Client
from nginx_server import running_nginx
from raw_http import RawReply, ask, connect, get
from running_server import running_server
from small_shelf import (
    BEGIN,
    BEGIN_TEXT,
    CABLE,
    CABLE_TEXT,
    LONG,
    ROUTER,
    RUSSIAN_SECTION,
    SOURCE_BYTES,
    TUNNELS,
    TUNNELS_TEXT,
    write_small_shelf,
)
from written_shelf import switch

from docshelf.build.indexing.stubs import stub_files
from docshelf.build.wording import wording
from docshelf.serve.nginx.options import NginxOptions
from docshelf.serve.releases.tree import Site
from docshelf.serve.smoke import smoke

PDF = "sources/net/router.pdf"
STALE = f"{ROUTER}/009-tunnels.md"
ORIGIN = "https://chat.lan:8443"
TOKEN = "anna-token-6f1d2c3b4a596877"
SECRET = paths.SECRET
HOSTILE_FOLDER = """a "b' c;d {e} #f \\g \\n %h шкаф"""
COMPARED = ("content-type", "cache-control", "content-security-policy", "x-content-type-options", "referrer-policy",
            "cross-origin-resource-policy", "cross-origin-opener-policy", "x-frame-options", "vary",
            "content-length", "accept-ranges")  # fmt: skip
Start = Callable[..., str]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts `docshelf serve` and nginx before it, and gives the address of nginx, its prefix included."""
    with ExitStack() as running:

        def behind_nginx(
            site: Path, options: NginxOptions | None = None, log: Path | None = None, **serve: object
        ) -> str:
            given = NginxOptions(site) if options is None else options
            if given.upstream is not None:
                url = running.enter_context(running_server(site, **serve))
                given = replace(given, upstream=urlsplit(url).netloc)
            folder = log or tmp_path_factory.mktemp("nginx") / "own"
            return running.enter_context(running_nginx(site, folder, given)) + given.prefix

        yield behind_nginx


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with two releases, in a folder whose name would end a word of nginx in many ways."""
    folder = tmp_path_factory.mktemp("shelves") / HOSTILE_FOLDER
    folder.mkdir()
    write_small_shelf(folder, description="Older words.")
    write_small_shelf(folder)
    return folder


@pytest.fixture(scope="module", params=["", "/docs/of-ours"], ids=["root", "prefix"])
def url(request: pytest.FixtureRequest, start: Start, site: Path) -> str:
    """The shelf behind nginx, at the root of the server and under a prefix."""
    return start(site, NginxOptions(site, prefix=request.param))


@pytest.fixture(scope="module")
def plain(start: Start, site: Path) -> str:
    """The same files by an nginx without docshelf serve."""
    return start(site, NginxOptions(site, upstream=None))


def read(url: str, path: str, *headers: str, host: str = "localhost", method: str = "GET") -> RawReply:
    """The answer to a request for a path of the shelf."""
    prefix = urlsplit(url).path
    return get(url, f"{prefix}/{path}", *headers, host=host, method=method)


def header(reply: RawReply, name: str) -> str:
    """All values of a header; nginx says of what it may compress that it depends on Accept-Encoding."""
    values = [value for known, value in reply.headers if known == name]
    return ", ".join(value for value in values if value != "Accept-Encoding")


def code_of(reply: RawReply) -> str:
    """The code of an error in its one shape."""
    assert reply.header("content-type") == "application/json; charset=utf-8"
    return str(json.loads(reply.body)["error"]["code"])


def test_every_file_is_answered_as_docshelf_serve_does(url: str, plain: str, site: Path) -> None:
    release = Site(site).current()
    with running_server(site) as served:
        for path in release.files:
            for method in ("GET", "HEAD"):
                expected = get(served, f"/{path}", method=method)
                for address in (url, plain):
                    reply = read(address, path, method=method)
                    assert (reply.status, reply.body) == (200, expected.body), path
                    differ = {name for name in COMPARED if header(reply, name) != header(expected, name)}
                    # Without docshelf serve there is but one answer at an address.
                    assert differ <= ({"vary"} if address == plain else set()), path
    assert len(release.files) > 30


def test_every_contract_of_docshelf_serve_holds_behind_it(start: Start, sample_site: Path) -> None:
    for prefix in ("", "/docs"):
        url = start(sample_site, NginxOptions(sample_site, prefix=prefix))
        assert {name: problem for name, problem in smoke(url) if problem is not None} == {}


def links(reply: RawReply, url: str, path: str) -> dict[str, str]:
    """Where the links in the head of an answer lead, by what they are for; whole addresses."""
    found = re.findall(r'<([^>]*)>; rel="([a-z-]+)"', reply.header("link") or "")
    return {kind: urljoin(f"{url}/{path}", target) for target, kind in found}


@pytest.mark.parametrize("upstream", [None, "127.0.0.1:8080"])
def test_every_file_names_the_markdown_and_the_llms_txt_that_docshelf_serve_names(
    start: Start, tmp_path: Path, upstream: str | None
) -> None:
    folders = ("docs/net", "docs/net/deep", "docs/net/deep/deeper")
    extra = {
        f"{folder}/{name}": b"# x\n" for folder in folders for name in ("llms.txt", "x.md", "y/001-z.md")
    }
    site = tmp_path / "site"
    write_small_shelf(site, extra={**extra, "docs/lonely.md": b"# x\n", "docs/lonely.html": b"<h1>x</h1>"})
    release = Site(site).current()
    url = start(site, NginxOptions(site, prefix="/shelf", upstream=upstream))
    with running_server(site) as served:
        for path in [*release.files, *(f"r/{release.id}/{it}" for it in release.files)]:
            expected = links(get(served, f"/{path}"), served, path)
            behind = {kind: it.replace(url, served) for kind, it in links(read(url, path), url, path).items()}
            assert behind == expected, path
    assert (
        links(read(url, "docs/net/deep/y/001-z.md"), url, "")["describedby"]
        == f"{url}/docs/net/deep/llms.txt"
    )


def test_an_address_that_fell_away_is_a_page_that_leads_on(start: Start, tmp_path: Path) -> None:
    """nginx has a file there: the stub. docshelf serve answers with a redirect at the same address."""
    site, gone = tmp_path / "site", {"docs/net/old.md": CABLE}
    stubs = stub_files(gone, {CABLE: "Cable"}, wording("en"))
    write_small_shelf(site, extra=stubs)
    url = start(site)
    with running_server(site) as served:
        assert get(served, "/docs/net/old.md").status == 308

    page, text = read(url, "docs/net/old.html"), read(url, "docs/net/old.md")

    assert (page.status, text.status) == (200, 200)
    for pattern, body in (
        (r'http-equiv="refresh" content="0; url=([^"]+)"', page.body),
        (r'rel="canonical" href="([^"]+)"', page.body),
        (r"\]\(([^)]+)\)", text.body),
    ):
        [target] = re.findall(pattern, body.decode())
        path = urljoin("docs/net/old.html", target)
        assert path.replace(".html", ".md") == CABLE
        assert read(url, path).status == 200


@pytest.mark.parametrize(
    ("request_head", "status", "code"),
    [
        ("GET /../../x HTTP/1.1\r\nHost: localhost", 400, "bad-request"),
        ("GET /docs/% HTTP/1.1\r\nHost: localhost", 400, "bad-request"),
        ("GET / HTTP/1.1", 400, "bad-request"),
        ("GET / HTTP/1.1\r\nHost: a b", 400, "bad-request"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x" * 70_000, 400, "bad-request"),
        ("GET /" + "x" * 70_000 + " HTTP/1.1\r\nHost: localhost", 414, "too-long"),
        ("GET / HTTP/1.1\r\nHost: evil.example", 403, "host-not-allowed"),
        ("GET /.hidden HTTP/1.1\r\nHost: localhost", 404, "not-on-shelf"),
        ("GET /elsewhere HTTP/1.1\r\nHost: localhost", 404, "not-on-shelf"),
    ],
)
def test_what_nginx_refuses_by_itself_has_the_one_shape(
    url: str, plain: str, request_head: str, status: int, code: str
) -> None:
    for address in (url, plain):
        reply = ask(address, f"{request_head}\r\nConnection: close\r\n\r\n".encode())
        assert (reply.status, code_of(reply)) == (status, code)
        assert reply.header("x-content-type-options") == "nosniff"
        assert reply.header("cache-control") == "no-store"


def test_the_root_is_the_index_page(url: str) -> None:
    for path in ("", f"r/{'0' * 16}/../../"):
        assert read(url, path).body == read(url, "index.html").body


def test_a_prefix_without_its_slash_leads_to_it(start: Start, site: Path) -> None:
    url = start(site, NginxOptions(site, prefix="/shelf"))
    reply = get(url, "/shelf", host="localhost")

    assert (reply.status, reply.header("location")) == (301, "/shelf/")
    assert get(url, "/", host="localhost").status == 404
    assert get(url, f"/{CABLE}", host="localhost").status == 404


def test_a_kept_release_may_be_kept_for_ever(url: str, site: Path) -> None:
    for release in (site / "releases").iterdir():
        reply = read(url, f"r/{release.name}/shelf.json")
        assert json.loads(reply.body)["release"] == release.name
        assert reply.header("cache-control") == "public, max-age=31536000, immutable"
    missing = read(url, f"r/{'0' * 16}/index.md")
    assert (missing.status, code_of(missing), missing.header("cache-control")) == (
        404,
        "not-on-shelf",
        "no-store",
    )


def test_a_reader_is_told_304_until_the_file_changes_and_200_right_after(
    start: Start, tmp_path: Path
) -> None:
    first = write_small_shelf(tmp_path / "site", description="First.")
    url = start(tmp_path / "site")
    reply = read(url, "shelf.json")
    known = f"If-None-Match: {reply.header('etag')}", f"If-Modified-Since: {reply.header('last-modified')}"

    assert read(url, "shelf.json", *known).status == 304
    second = write_small_shelf(tmp_path / "site", description="Second!")
    os.utime(tmp_path / "site" / "releases" / second / "shelf.json", (2_000_000_000, 2_000_000_000))
    changed = read(url, "shelf.json", *known)
    assert (changed.status, json.loads(changed.body)["release"]) == (200, second)
    switch(tmp_path / "site", first)
    assert json.loads(read(url, "shelf.json").body)["release"] == first


@pytest.mark.parametrize(
    ("header", "status", "body"),
    [
        ("Range: bytes=0-8", 206, b"%PDF-1.7\n"),
        ("Range: bytes=-2", 206, b"\xfe\xff"),
        ("Range: bytes=9999999-", 416, None),
        ("Range: bytes=0-1,4-5", 200, SOURCE_BYTES),
    ],
)
def test_one_range_of_a_source_is_served(url: str, header: str, status: int, body: bytes | None) -> None:
    reply = read(url, PDF, header)

    assert reply.status == status
    assert body is None or reply.body == body


def test_a_text_is_compressed_on_the_way_or_from_its_twin(start: Start, tmp_path: Path) -> None:
    twin = gzip.compress(CABLE_TEXT.encode(), mtime=0)
    write_small_shelf(tmp_path / "site", extra={f"{CABLE}.gz": twin})
    url = start(tmp_path / "site")

    packed = read(url, CABLE, "Accept-Encoding: gzip")
    assert (packed.body, packed.header("content-encoding")) == (twin, "gzip")
    assert packed.header("content-type") == "text/markdown; charset=utf-8"
    assert packed.header("vary") == "Accept-Encoding"
    assert read(url, CABLE).body == CABLE_TEXT.encode()
    on_the_way = read(url, LONG, "Accept-Encoding: gzip")
    assert on_the_way.header("content-encoding") == "gzip"
    assert len(on_the_way.body) < len(read(url, LONG).body) / 4
    known = f"If-None-Match: {on_the_way.header('etag')}"
    assert read(url, LONG, known, "Accept-Encoding: gzip").status == 304
    assert read(url, PDF, "Accept-Encoding: gzip").header("content-encoding") is None


def test_a_twin_of_brotli_is_sent_where_nginx_can(start: Start, tmp_path: Path) -> None:
    twin = b"as if it were brotli"
    site = tmp_path / "site"
    write_small_shelf(site, extra={f"{CABLE}.br": twin})
    url = start(site, NginxOptions(site, upstream=None, brotli=True))

    packed = read(url, CABLE, "Accept-Encoding: gzip, br")
    assert (packed.body, packed.header("content-encoding")) == (twin, "br")
    assert read(url, CABLE).body == CABLE_TEXT.encode()


@pytest.mark.parametrize("path", ["docs/", "docs/net/router/", "assets/", "sources/net/", "r/", "releases/"])
def test_no_folder_is_listed(url: str, plain: str, path: str) -> None:
    for address in (url, plain):
        reply = read(address, path)
        assert (reply.status, code_of(reply)) == (404, "not-on-shelf")


def test_an_address_that_is_stale_leads_to_its_text(url: str, plain: str) -> None:
    reply = read(url, STALE)

    assert reply.status == 308
    prefix = urlsplit(url).path
    assert urljoin(f"{prefix}/{STALE}", reply.header("location") or "") == f"{prefix}/{TUNNELS}"
    assert read(plain, STALE).status == 404


def test_a_page_is_markdown_for_who_asks_for_it(url: str, plain: str) -> None:
    page, accept = BEGIN.replace(".md", ".html"), "Accept: text/markdown, text/html, */*"

    reply = read(url, page, accept)
    assert (reply.body, reply.header("content-type")) == (BEGIN_TEXT.encode(), "text/markdown; charset=utf-8")
    assert reply.header("vary") == read(url, page).header("vary") == "Accept"
    assert read(url, "", accept).body == read(url, "index.md").body
    assert read(plain, page, accept).body == read(plain, page).body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND"])
def test_files_are_only_read(url: str, plain: str, method: str) -> None:
    reply = read(url, CABLE, "Content-Length: 0", method=method)

    assert (reply.status, code_of(reply)) == (405, "method-not-allowed")
    assert code_of(read(plain, CABLE, "Content-Length: 0", method=method)) == "method-not-allowed"


def test_the_tools_answer_behind_it(url: str) -> None:
    assert b"docs/net/index.md" in read(url, "list").body
    assert TUNNELS_TEXT.splitlines()[0].encode() in read(url, f"fetch?path={TUNNELS}").body
    assert b"Router manual" in read(url, f"inspect?path={ROUTER}").body
    assert json.loads(read(url, "healthz").body)["status"] == "ok"
    assert "/fetch" in json.loads(read(url, "openapi.json").body)["paths"]
    assert code_of(read(url, "fetch?path=no/such.md")) == "not-on-shelf"


@pytest.mark.parametrize(
    ("mode", "path"), [("legacy", "mcp"), ("legacy", "mcp/"), ("auto", "mcp"), ("auto", "mcp/")]
)
def test_the_official_mcp_client_reads_the_shelf_behind_it(url: str, mode: str, path: str) -> None:
    async def conversation() -> None:
        async with Client(f"{url}/{path}", mode=mode, cache=None) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["list", "fetch", "search", "inspect"]
            answer = await client.call_tool("fetch", {"path": RUSSIAN_SECTION})
            [content] = answer.content
            assert isinstance(content, mcp_types.TextContent)
            assert "Подключите" in content.text
            assert (await client.call_tool("fetch", {"path": "no/such.md"})).is_error

    asyncio.run(conversation())


@pytest.mark.parametrize("path", ["mcp", CABLE, "nothing"])
def test_a_large_message_is_refused(url: str, path: str) -> None:
    body = b" " * (1024 * 1024 + 1)
    head = f"POST {urlsplit(url).path}/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    reply = ask(url, f"{head}Connection: close\r\n\r\n".encode() + body)

    assert (reply.status, code_of(reply)) == (413, "too-large")


def test_a_head_that_does_not_come_is_not_waited_for(plain: str) -> None:
    with connect(plain) as slow:
        slow.settimeout(30)
        slow.sendall(b"GET / HTTP/1.1\r\nHost: local")
        with pytest.raises(ConnectionResetError):
            slow.recv(1000)


def test_an_open_connection_outlives_many_answers(url: str) -> None:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    for path in ("healthz", CABLE, "list", STALE, PDF, "nothing") * 5:
        connection.request("GET", f"{urlsplit(url).path}/{path}", headers={"Host": "localhost"})
        reply = connection.getresponse()
        reply.read()
        assert reply.status in (200, 308, 404)
    connection.close()


def secrets_around(folder: Path) -> Path:
    """A site with secrets beside it and in it, and links that somebody put into its release."""
    site = folder / "site"
    release = site / "releases" / write_small_shelf(site)
    for name in (
        ".",
        "site",
        "site/releases",
        "site/.cache",
        "site/releases-evil",
        "site/.git",
        "site/.pins",
    ):
        (folder / name).mkdir(exist_ok=True)
        for file in ("secret.txt", "secret.md", "secret", "config"):
            (folder / name / file).write_bytes(SECRET)
    (site / ".lock").write_bytes(SECRET)
    (release / ".hidden.md").write_bytes(SECRET)
    (release / "docs" / ".git").mkdir()
    (release / "docs" / ".git" / "config").write_bytes(SECRET)
    (release / "linked.md").symlink_to(folder / "secret.txt")
    (release / "linked").symlink_to(folder)
    (release / CABLE).unlink()
    (release / CABLE).symlink_to(folder / "secret.txt")
    os.mkfifo(release / "docs" / "pipe.md")
    return site


@pytest.mark.parametrize("options", [{}, {"prefix": "/docs"}, {"upstream": None}], ids=str)
def test_no_target_of_a_request_leads_out(
    start: Start, tmp_path: Path, options: dict[str, str | None]
) -> None:
    site = secrets_around(tmp_path)
    url = start(site, NginxOptions(site, **options))  # type: ignore[arg-type]
    release = (site / "current").readlink().name
    wrong, statuses = [], set()
    probes = [*paths.make_probes(tmp_path, release), "/.hidden.md", "/docs/.git/config", "/%2ehidden.md"]
    for probe in probes:
        for prefix in {options.get("prefix") or "", ""}:
            reply = ask(
                url, f"GET {prefix}{probe} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
            )
            statuses.add(reply.status)
            if paths.holds_secret(reply.body) or reply.status == 0:
                wrong.append(f"{reply.status} {prefix}{probe[:120]}")

    assert len(probes) > 3000
    assert wrong == []
    assert statuses <= {200, 301, 308, 400, 404, 414, 503}
    assert read(url, BEGIN).body == BEGIN_TEXT.encode()


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "shelf.lan.evil", "10.0.0.1", "a-shelf.lan"]
)
def test_a_foreign_name_is_refused(start: Start, site: Path, host: str) -> None:
    url = start(site, NginxOptions(site, server_names=("shelf.lan", "docs.lan")), allow_hosts=("shelf.lan",))

    assert [read(url, path, host=host).status for path in (CABLE, "healthz", "nothing")] == [403] * 3
    for known in ("shelf.lan", "Shelf.LAN:8080", "docs.lan", "127.0.0.1", "[::1]:80"):
        assert read(url, CABLE, host=known).status == 200
    assert read(url, "healthz", host="shelf.lan").status == 200


def test_only_a_listed_page_of_another_host_may_read(start: Start, site: Path) -> None:
    url = start(site, NginxOptions(site, origins=(ORIGIN,)), allow_origins=(ORIGIN,))
    for path in (CABLE, "list"):
        reply = read(url, path, f"Origin: {ORIGIN}")
        assert reply.header("access-control-allow-origin") == ORIGIN
        assert reply.header("vary") == "Origin"
    for origin in ("https://evil.example", f"{ORIGIN}.evil", "https://chatXlan:8443", "null"):
        assert read(url, CABLE, f"Origin: {origin}").header("access-control-allow-origin") is None
    asked = read(url, "mcp", f"Origin: {ORIGIN}", "Access-Control-Request-Method: POST", method="OPTIONS")
    assert asked.status == 204
    own = f"Origin: http://localhost:{urlsplit(url).port}"
    assert read(url, "list", own, host=f"localhost:{urlsplit(url).port}").status == 200


def test_nobody_of_another_host_may_read_unless_asked_for(url: str) -> None:
    assert read(url, CABLE, f"Origin: {ORIGIN}").header("access-control-allow-origin") is None


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with one token."""
    file = tmp_path_factory.mktemp("keys") / "tokens"
    file.touch(0o600)
    file.write_text(f"anna {TOKEN}\n")
    return file


def test_private_files_need_a_token(start: Start, site: Path, tokens: Path) -> None:
    url = start(site, NginxOptions(site, private=True, prefix="/docs"), token_file=tokens)
    release = (site / "current").readlink().name
    for path in (CABLE, "", PDF, f"r/{release}/{CABLE}", STALE, "nothing", "list", "mcp", ".docshelf-token"):
        for shown in ((), ("Authorization: Bearer wrong",)):
            reply = read(url, path, *shown)
            assert reply.status == (404 if path.startswith(".") else 401), path
            assert SECRET not in reply.body
    assert read(url, CABLE).header("www-authenticate") is not None
    shown = (f"Authorization: Bearer {TOKEN}",)
    assert read(url, CABLE, *shown).body == CABLE_TEXT.encode()
    assert read(url, PDF, *shown, "Range: bytes=0-3").body == b"%PDF"
    assert read(url, STALE, *shown).status == 308
    assert str(read(url, f"r/{release}/{CABLE}", *shown).header("cache-control")).startswith("private")


def test_where_docshelf_serve_is_away_files_are_still_read(site: Path, tmp_path: Path) -> None:
    with running_server(site) as gone:
        options = NginxOptions(site, upstream=urlsplit(gone).netloc)
    with running_nginx(site, tmp_path / "nginx", options) as url:
        assert read(url, CABLE).body == CABLE_TEXT.encode()
        assert code_of(read(url, "nothing")) == "not-on-shelf"
        assert (read(url, "list").status, code_of(read(url, "mcp"))) == (503, "unavailable")


def test_no_log_holds_what_was_asked(start: Start, site: Path, tmp_path: Path) -> None:
    url = start(site, NginxOptions(site), tmp_path / "up")
    with running_server(site) as gone:
        options = NginxOptions(site, upstream=urlsplit(gone).netloc)
    with running_nginx(site, tmp_path / "down", options) as without:
        for address in (url, without):
            for path in (CABLE, "search", "nothing", STALE, "list", "docs/"):
                read(
                    address,
                    f"{path}?query=SECRET-question",
                    "Referer: http://x/?SECRET-page",
                    "Cookie: SECRET=1",
                )
            get(address, "/ x?SECRET-line")
    text = "".join(file.read_text() for file in tmp_path.glob("*/*.log"))
    assert f"GET /{CABLE} 200" in text
    assert "SECRET" not in text


def test_two_shelves_live_in_one_nginx(site: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    release = write_small_shelf(other, description="Another one.")
    options = (
        NginxOptions(site, upstream=None),
        NginxOptions(other, upstream=None, server_names=("other.lan",)),
    )
    with running_nginx(site, tmp_path / "nginx", *options) as url:
        assert json.loads(read(url, "shelf.json").body)["release"] == (site / "current").readlink().name
        assert json.loads(read(url, "shelf.json", host="other.lan").body)["release"] == release


def test_https_with_the_authority_of_a_closed_network(start: Start, site: Path, tmp_path: Path) -> None:
    authority, certificate, key = authority_and_certificate(tmp_path)
    url = start(site, NginxOptions(site, tls_cert=certificate, tls_key=key))
    context = ssl.create_default_context(cafile=str(authority))
    for path, status in ((CABLE, 200), ("healthz", 200), (STALE, 308), ("nothing", 404)):
        request = f"GET /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        assert ask(url, request, context).status == status
    with pytest.raises(ssl.SSLCertVerificationError):
        connect(url, ssl.create_default_context())
    old = ssl.create_default_context(cafile=str(authority))
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)):
        connect(url, old)
