#!/bin/sh
# Installs DocShelf from this medium, without a network: sh install.sh FOLDER [PYTHON]
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
    echo "usage: sh install.sh FOLDER [PYTHON]" >&2
    exit 2
fi
medium=$(cd "$(dirname "$0")" && pwd)
folder=$1
python=${2:-python3}

sh "$medium/verify.sh"
"$python" - "$medium/bundle.json" <<'END'
import json, platform, sys
wanted = json.load(open(sys.argv[1], encoding="utf-8"))
found = {"python": "%d.%d" % sys.version_info[:2], "machine": platform.machine(), "system": platform.system()}
wrong = ["%s %s is here, %s is needed" % (key, found[key], wanted[key]) for key in found if found[key] != wanted[key]]
if wrong:
    sys.exit("install.sh: this medium is for another machine: " + "; ".join(wrong))
END
mkdir -p "$folder"
"$python" -m venv --clear "$folder/venv"
# No settings of this machine: nothing is fetched, and nothing is taken but what the hashes name.
PIP_CONFIG_FILE=/dev/null "$folder/venv/bin/python" -m pip --isolated --disable-pip-version-check install \
    --quiet --no-cache-dir --no-index --find-links "$medium/wheels" --require-hashes -r "$medium/requirements.txt"
"$folder/venv/bin/docshelf" --version

for archive in "$medium"/release-*.tar; do
    [ -f "$archive" ] || continue
    release=$(basename "$archive" .tar)
    release=${release#release-}
    if [ ! -d "$folder/site/releases/$release" ]; then
        mkdir -p "$folder/site/releases"
        rm -rf "$folder/site/releases/.tmp-bundle"
        mkdir "$folder/site/releases/.tmp-bundle"
        tar -xf "$archive" -C "$folder/site/releases/.tmp-bundle"
        "$folder/venv/bin/docshelf" check "$folder/site/releases/.tmp-bundle"
        mv "$folder/site/releases/.tmp-bundle" "$folder/site/releases/$release"
    fi
    # In one step: readers see the old release or the new one.
    "$python" - "releases/$release" "$folder/site/current" <<'END'
import os, sys
target, link = sys.argv[1:]
new = link + ".new"
if os.path.lexists(new):
    os.remove(new)
os.symlink(target, new)
os.replace(new, link)
END
    echo "serve it: $folder/venv/bin/docshelf serve $folder/site"
done
