#!/bin/sh
# Holds this medium against SHA256SUMS: every file there as it was written, and no other.
set -eu
cd "$(dirname "$0")"
sha256sum -c SHA256SUMS >/dev/null || {
    echo "verify.sh: this copy is damaged: copy the medium again, or ask for a new one" >&2
    exit 1
}
listed=$(sed 's/^[0-9a-f]* [ *]//' SHA256SUMS | sort)
found=$(find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort)
others=$(find . ! -type f ! -type d)
[ "$listed" = "$found" ] && [ -z "$others" ] || {
    echo "verify.sh: there are files that SHA256SUMS does not list; remove them" >&2
    exit 1
}
echo "every file is as it was written; SHA256SUMS itself: $(sha256sum <SHA256SUMS | cut -d ' ' -f 1)"
