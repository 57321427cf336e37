#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The program is built as one that root runs over files of others: its ELF file says so.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${CC:=gcc}"
if [ "$(head -c 2 "$DTPROF")" = '#!' ]; then
	plan 1
	skip "how the program is built" "a script starts it, as in an emulator"
	finish
fi
plan 6

dynamic=$(readelf -dW "$DTPROF")
segments=$(readelf -lW "$DTPROF")
imports=$(readelf --dyn-syms -W "$DTPROF")
sanitized=$(printf '%s\n' "$imports" | grep -c '__asan_init')

# Returns whether the compiler takes the option.
compiler_takes() { # OPTION
	echo 'int main(void) { return 0; }' | $CC -Werror "$1" -xc - -o /dev/null 2>/dev/null
}

printf '%s\n' "$dynamic" | grep -q 'FLAGS_1.*PIE'
result $? "it may be loaded anywhere (PIE)" "$dynamic"
printf '%s\n' "$segments" | grep -q GNU_RELRO
result $? "its relocated data are read-only (RELRO)" "$segments"
printf '%s\n' "$dynamic" | grep -q 'BIND_NOW\|FLAGS_1.*NOW'
result $? "so is its table of functions (BIND_NOW)" "$dynamic"

name="it finds overwritten stack frames (-fstack-protector-strong)"
if compiler_takes -fstack-protector-strong; then
	printf '%s\n' "$imports" | grep -q '__stack_chk_fail'
	result $? "$name" "no __stack_chk_fail among its imports"
else
	skip "$name" "$CC has no -fstack-protector-strong"
fi

name="the C library checks the sizes of its buffers (_FORTIFY_SOURCE)"
if [ "$sanitized" -gt 0 ]; then
	skip "$name" "the address sanitizer has checks of its own"
elif grep -q -- '-O[123s]' "${OUT:-build}/flags" 2>/dev/null; then
	printf '%s\n' "$imports" | grep -q '_chk@'
	result $? "$name" "no function of the kind __memcpy_chk among its imports"
else
	skip "$name" "it is built without optimization"
fi

name="indirect calls reach only the beginning of functions (-fcf-protection)"
if ! command -v objdump >/dev/null; then
	skip "$name" "no objdump here"
elif compiler_takes -fcf-protection; then
	objdump -d --no-show-raw-insn --disassemble=main "$DTPROF" | grep -A1 '<main>:' | grep -q endbr64
	result $? "$name" "main() does not begin with endbr64"
else
	skip "$name" "$CC has no -fcf-protection"
fi
finish
