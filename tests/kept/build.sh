#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the programs that programs.txt lists, and fills in the versions of their compilers and the sums of their sources.
#
#   build.sh [NAME...]      from the project's root; otherwise all; RUSTC, GO, ARM64_CC and CLANG name the compilers
#
# Only code of the source itself stays, so that each has some kilobytes: of Rust the object of the source alone is linked; of
# Go, whose linker takes only whole programs, the rest is overwritten with zeros (shrink.py).
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
: "${RUSTC:=rustc}" "${GO:=go}" "${ARM64_CC:=aarch64-linux-gnu-gcc}" "${CLANG:=clang}"

# In place of the linker: takes the source's own objects, and no library.
cat >"$folder/link" <<'END'
#!/bin/bash
set -eu
objects=()
for argument; do
	case $argument in
	*-cgu.*.rcgu.o) objects+=("$argument") ;;
	esac
done
# Functions of the library that do not return are told by their code.
nm -u "${objects[@]}" | awk '/panic|_failed|handle_[a-z_]*error|_Unwind_Resume/ && !seen[$2]++ {
	printf ".globl %s\n.type %s, @function\n%s: ud2\n.size %s, 2\n", $2, $2, $2, $2
}
END { print ".section .note.GNU-stack" }' | as -o "$FOLDER/ends.o"
ld -shared -z noseparate-code --unresolved-symbols=ignore-all -o "$FOLDER/program" "${objects[@]}" "$FOLDER/ends.o"
END
chmod +x "$folder/link"

rust() { # SOURCE FLAGS
	FOLDER=$folder "$RUSTC" $2 -C linker="$folder/link" -o "$folder/unused" "$1"
	version=$("$RUSTC" --version)
}

go_program() { # SOURCE
	cp "$1" "$folder/"
	# The map's own package tells what its groups are.
	(cd "$folder" && GO111MODULE=off GOFLAGS= "$GO" build -gcflags=all=-dwarf=false -gcflags=command-line-arguments=-dwarf=true \
		-gcflags=internal/runtime/maps=-dwarf=true -o program "${1##*/}")
	objcopy --decompress-debug-sections -R .debug_frame -R .debug_gdb_scripts "$folder/program"
	tests/kept/shrink.py "$folder/program" '^main\.' .gopclntab .debug_line .noptrdata
	version=$("$GO" version)
}

rust_object() { # SOURCE FLAGS
	"$RUSTC" $2 -o "$folder/program" "$1"
	version=$("$RUSTC" --version)
}

arm64() { # SOURCE FLAGS
	"$ARM64_CC" $2 -o "$folder/program" "$1"
	version=$("$ARM64_CC" --version | head -n 1)
}

bpf() { # SOURCE FLAGS
	"$CLANG" $2 -I/usr/include/x86_64-linux-gnu -o "$folder/program" "$1"
	version=$("$CLANG" --version | head -n 1)
}

while IFS='|' read -r name source command rest; do
	name=${name% } source=${source# } source=${source% } command=${command# } command=${command% }
	if [[ $name == \#* || ( $# -gt 0 && " $* " != *" $name "* ) ]]; then
		echo "$name${source:+ | $source | $command |$rest}"
		continue
	fi
	case $command in
	rustc*--emit\ obj*) rust_object "$source" "${command#rustc }" ;;
	rustc\ *) rust "$source" "${command#rustc }" ;;
	go\ *) go_program "$source" ;;
	clang\ *) bpf "$source" "${command#clang }" ;;
	aarch64-linux-gnu-gcc\ *) arm64 "$source" "${command#aarch64-linux-gnu-gcc }" ;;
	esac >&2
	gzip -9n <"$folder/program" >"tests/kept/$name.gz"
	echo "$name | $source | $command | $version | $(sed 's, *//.*,,' "$source" | sha256sum | cut -d' ' -f1)"
done <tests/kept/programs.txt >"$folder/programs.txt"
cp "$folder/programs.txt" tests/kept/programs.txt
