#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Go 1.27's linker writes a GNU build id that no PT_NOTE segment covers, so the kernel does not see it.
#
# Guess: since Go programs have a .note.gnu.build-id, it lies in a PT_NOTE segment as that of GNU ld and lld does, and whoever
#        asks for the build id gets it.
# Seen:  the section is there, readelf -n and libelf find the id by it. The one PT_NOTE segment ends before it: it has Go's own
#        note alone. The kernel reads build ids by program headers, so MMAP2 records with build ids (perf record --buildid-mmap)
#        have none for such a program, BPF stacks with build ids fall back to addresses, and a program without section headers
#        (sstrip) has lost its id. `strip` changes nothing.
#
# Installs golang-1.27 and binutils of Debian sid in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

go=1.27.3-1
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p apt/lists/partial apt/cache/archives/partial
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >apt/sources.list
sid() {
	apt-get -qq -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::SourceList="$folder/apt/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root "$@"
}
sid update
sid download "golang-1.27-go=$go" "golang-1.27-src=$go"
apt-get -qq download binutils-x86-64-linux-gnu libbinutils
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
readelf=$folder/root/usr/bin/x86_64-linux-gnu-readelf
mkdir program
cat >program/main.go <<'GO'
package main

func main() { println("here") }
GO
GOROOT=$folder/root/usr/lib/go-1.27 GOCACHE=$folder/cache GOPATH=$folder/path GO111MODULE=off GOTOOLCHAIN=local \
	root/usr/lib/go-1.27/bin/go build -o program/main program/main.go
"$readelf" -SW program/main | grep -E ' \.note'
"$readelf" -lW program/main | grep -E '^ +NOTE'
"$readelf" -nW program/main | grep 'Build ID'
[ "$("$readelf" -lW program/main | grep -cE '^ +NOTE')" = 1 ]
section=$("$readelf" -SW program/main | sed -n 's/.* \.note\.gnu\.build-id *NOTE *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
read -r offset size <<<"$("$readelf" -lW program/main | awk '$1 == "NOTE" { print $2, $5 }')"
echo "the segment of notes ends at $((offset + size)), the section with the build id begins at $((16#$section))"
[ $((offset + size)) -le $((16#$section)) ]
