#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# capstone 4 says that vucomisd, vcomiss, vptest and pcmpistri do not change the processor's flags, which is all that they do.
#
# Guess: cs_x86.eflags of the VEX form of an instruction is that of its older form: ucomisd and vucomisd set ZF, PF and CF alike
#        (Intel SDM vol. 2, UCOMISD), and the flags are the only result of a comparison.
# Seen:  ucomisd has flags; vucomisd, vcomiss, vptest and both forms of pcmpistri have none. Who looks for the comparison before a
#        branch finds an older one. For x87 instructions the same member of the details is a union with their own flags (fpu_flags),
#        so that fadd seems to change ZF to who does not ask for the group first.
#
# Installs Debian 12's libcapstone in a temporary folder; needs a C compiler. Exits 0 as long as this is so.
set -euo pipefail

version=4.0.2-5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libcapstone4=$version" "libcapstone-dev=$version"
for package in *.deb; do
	dpkg-deb -x "$package" root
done

cat >flags.c <<'C'
#include <capstone/capstone.h>
#include <stdio.h>

static const struct {
	const char *bytes;
	size_t size;
} rows[] = {
	{ "\x66\x0f\x2e\xc1", 4 },             /* ucomisd */
	{ "\xc5\xf9\x2e\xc1", 4 },             /* vucomisd */
	{ "\xc5\xf8\x2f\xc1", 4 },             /* vcomiss */
	{ "\xc4\xe2\x79\x17\xc1", 5 },         /* vptest */
	{ "\x66\x0f\x3a\x63\xc1\x1a", 6 },     /* pcmpistri */
	{ "\xc4\xe3\x79\x63\xc1\x1a", 6 },     /* vpcmpistri */
	{ "\xd8\xc1", 2 },                     /* fadd */
};

int main(void)
{
	csh handle;
	cs_insn *insn;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) || cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON))
		return 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (cs_disasm(handle, (const uint8_t *)rows[i].bytes, rows[i].size, 0, 1, &insn) != 1)
			return 1;
		printf("%-10s %s\n", insn->mnemonic, insn->detail->x86.eflags ? "flags" : "none");
		cs_free(insn, 1);
	}
	return 0;
}
C
lib=$(echo root/usr/lib/*-linux-gnu)
cc -Iroot/usr/include flags.c -o flags "$lib/libcapstone.so.4"
echo "capstone $version:"
LD_LIBRARY_PATH=$lib ./flags | tee seen
cat >expected <<'T'
ucomisd    flags
vucomisd   none
vcomiss    none
vptest     none
pcmpistri  none
vpcmpistri none
fadd       flags
T
diff expected seen
