#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# GNU patch 2.7.6 finds no file behind a symbolic link that leads out of the working folder, also with --follow-symlinks.
#
# Guess: a file that open(2) finds by the name in the patch is patched; at most, a name that is itself a link is refused, which
#        --follow-symlinks allows.
# Seen:  "can't find file to patch", and exit status 1, with and without --follow-symlinks. A link that stays in the folder is
#        followed. patch opens each component with O_NOFOLLOW, and resolves links itself. So a patch for a source that the
#        compiler was given as src/file.c, as FFmpeg's configure does in a folder of its own, where src is a link to the
#        sources, has to be applied in the folder behind the link.
#
# Installs Debian 12's patch in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download patch=2.7.6-7
dpkg-deb -x ./*.deb root
PATH=$folder/root/usr/bin:$PATH

mkdir tree build
ln -s ../tree build/src
ln -s tree inside
try() { # FOLDER NAME OPTION...: what patch says of a patch for this name, and its status
	local status=0

	printf 'a\nb\n' >tree/f.c
	printf -- '--- a/%s\n+++ b/%s\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n' "$2" "$2" | patch -p1 -d "$1" "${@:3}" 2>&1 |
		grep -E "can't find|patching" || true
	cmp -s tree/f.c <(printf 'A\nb\n') || status=1
	echo "$2 ${*:3}: $([ $status = 0 ] && echo patched || echo "not patched")"
}
patch --version | head -1
{
	try build src/f.c
	try build src/f.c --follow-symlinks
	try . inside/f.c
} | tee seen
grep -q '^src/f.c : not patched' seen && grep -q '^src/f.c --follow-symlinks: not patched' seen && grep -q '^inside/f.c : patched' seen
