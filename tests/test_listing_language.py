"""A listing's language is named where its text leaves no doubt, and nowhere else."""

import pytest

from docshelf.build.engines.listing_language import name_language


@pytest.mark.parametrize(
    ("listing", "language"),
    [
        ("$ git clone git://example.org/nut.git\nCloning into 'nut'...", "console"),
        ("root@gw:~# ip route", "console"),
        ("... more ...\n$ cat a.c\n#include <stdio.h>\nint a;\n$ cat b.c", "console"),
        ("#!/bin/sh\nset -e", "bash"),
        ("#! /usr/bin/env python3\nprint(1)", "python"),
        ("#include <stdio.h>\nint main(void) {\n  return 0;\n}", "c"),
        ('#include <iostream>\nint main() { std::cout << "x"; }', "cpp"),
        ("import os\n\ndef size(name):\n    return os.stat(name).st_size", "python"),
        ('{\n  "name": "gw",\n  "ports": [1, 2]\n}', "json"),
        ('<?xml version="1.0"?>\n<a/>', "xml"),
        ("<host>\n  <name>gw</name>\n</host>", "xml"),
        ("<!DOCTYPE html>\n<p>Text", "html"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "diff"),
        ("# ports\n[wan1]\naddress = 192.0.2.1\nmtu=1500", "ini"),
        ("server:\n  port: 80\n  names:\n    - a", "yaml"),
        ("SELECT id\nFROM t;", "sql"),
        ("set interface wan1 address dhcp\ncommit", ""),
        ("# aptitude update\n# aptitude upgrade", ""),
        ("[options]\n  -h  show help", ""),
        ("Package: debhello\nVersion: 0.0\nDepends:\n libc6,", ""),
        ("Name: gw\nPorts: 4\nState: up", ""),
        ("{ printf \"x\" }\n{ print }", ""),
        ("#include your own files\nhere", ""),
        ("<name>\n<address>", ""),
        ("define x\nclass of service: gold", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_language_is_named_by_unmistakable_signs_only(listing: str, language: str) -> None:
    assert name_language(listing.split("\n")) == language
