"""A built shelf on its way through an object storage: changed, published, grown old, served."""

import re
from pathlib import Path

from s3_server import S3Server
from shelftest import ShelfTest
from starlette.testclient import TestClient

from docshelf.serve.check import check_release
from docshelf.serve.http.app import create_app
from docshelf.serve.releases.tree import Site
from docshelf.serve.storage.bucket import Bucket
from docshelf.serve.storage.disk_cache import DiskCache
from docshelf.serve.storage.plan import RESERVED
from docshelf.serve.storage.publishing import Order, Outcome, publish
from docshelf.serve.storage.stored import StoredSite

ABOVE = re.compile(r"(docs/net/)?(index\.(md|html)|llms\.txt)|assets/search/.+|assets/release\.js")


def put(bucket: Bucket, shelf: ShelfTest, now_s: float) -> Outcome:
    """Builds and publishes."""
    shelf.build()
    return publish(bucket, Order(Site(shelf.site).current()), lambda: now_s)


def test_one_document_changes_and_another_leaves(s3: S3Server, shelf: ShelfTest, tmp_path: Path) -> None:
    bucket = s3.bucket(s3.place())
    for name in ("net/a.pdf", "net/b.pdf", "home/c.pdf"):
        shelf.pdf(name, f"# Chapter\nThe kettle of {name} boils.")
    put(bucket, shelf, 0)

    shelf.pdf("net/a.pdf", "# Chapter\nThe kettle of a whistles.")
    uploaded = put(bucket, shelf, 10).uploaded

    own = [path for path in uploaded if path.startswith(("docs/net/a.", "sources/net/a."))]
    above = [path for path in uploaded if ABOVE.fullmatch(path)]
    assert {"docs/net/a.md", "docs/net/a.html", "docs/net/a.meta.json", "sources/net/a.pdf"} == set(own)
    assert set(uploaded) - set(own) - set(above) == {"files.tsv", "shelf.json"}

    (shelf.source / "net/b.pdf").unlink()
    put(bucket, shelf, 20)
    outcome = put(bucket, shelf, 3700)

    assert "sources/net/b.pdf" in outcome.deleted
    copy = tmp_path / "copy"
    for path in bucket.listing(*RESERVED):
        file = copy / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((bucket.get(path) or (b"", ""))[0])
    assert list(check_release(copy)) == []
    assert "(index.md)" in (copy / "docs/net/b.md").read_text("utf-8")

    client = TestClient(create_app(StoredSite(bucket, DiskCache(tmp_path / "cache"))), follow_redirects=False)
    answer = client.get("/docs/net/b.md")
    assert (answer.status_code, answer.headers["location"]) == (308, "index.md")
    assert "docs/net/a.md" in client.get("/search?query=whistle").text
