#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libzstd executes CPUID twice in every one-shot ZSTD_decompress(), which a virtual machine pays for each time.
#
# Guess: a library asks for the processor's features once in a process, as libc's ifuncs do, and ZSTD_decompress() of a small block
#        costs what its bytes cost.
# Seen:  libzstd 1.5.4 asks in each new context (for BMI2), and ZSTD_decompress() makes one for each call: 2 CPUIDs a block, and 2
#        for ZSTD_createDCtx(); with a context that is kept, ZSTD_decompressDCtx() executes none. Sections, blocks or messages that
#        are unpacked one by one want one context. CPUID always leaves a guest for the hypervisor (Intel SDM volume 3, "Instructions
#        That Cause VM Exits Unconditionally"), so that the same program is slower in a virtual machine by microseconds a call, which
#        a profile shows at the instruction behind it. It is the same in 1.5.7.
#
# Installs Debian 12's libzstd and gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

[ "$(uname -m)" = x86_64 ] || { echo "CPUID is an instruction of x86-64"; exit 0; }
zstd_version=1.5.4+dfsg2-5 gcc_version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "libzstd1=$zstd_version" "libzstd-dev=$zstd_version" "gcc-12=$gcc_version" "cpp-12=$gcc_version" \
	"libgcc-12-dev=$gcc_version" libisl23 libmpc3 libmpfr6 libgmp10 binutils binutils-x86-64-linux-gnu libbinutils libctf0 \
	libctf-nobfd0 libjansson4 libgprofng0 libc6-dev linux-libc-dev
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu
export PATH=$folder/root/usr/bin:$PATH

# The parent steps its child through each part between two traps, and counts the instructions that are CPUID (0f a2).
cat >count.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#define BLOCKS 5
#define MARK() __asm__ volatile("int3")

static void work(void)
{
	char text[4096] = "a block of some text", packed[8192], again[4096];
	size_t size = ZSTD_compress(packed, sizeof(packed), text, sizeof(text), 3);
	ZSTD_DCtx *context = ZSTD_createDCtx();

	ptrace(PTRACE_TRACEME, 0, 0, 0);
	MARK();
	for (int i = 0; i < BLOCKS; i++)
		ZSTD_decompress(again, sizeof(again), packed, size);
	MARK();
	for (int i = 0; i < BLOCKS; i++)
		ZSTD_decompressDCtx(context, again, sizeof(again), packed, size);
	MARK();
	for (int i = 0; i < BLOCKS; i++)
		ZSTD_freeDCtx(ZSTD_createDCtx());
	MARK();
	_exit(0);
}

int main(void)
{
	static const char *const parts[] = { "ZSTD_decompress", "ZSTD_decompressDCtx", "ZSTD_createDCtx" };
	struct user_regs_struct registers;
	pid_t child = fork();
	int status;

	if (!child)
		work();
	waitpid(child, &status, 0); /* at the first mark */
	for (int part = 0; part < 3; part++) {
		int asked = 0;

		for (;;) {
			ptrace(PTRACE_GETREGS, child, 0, &registers);
			unsigned long code = ptrace(PTRACE_PEEKTEXT, child, registers.rip, 0);

			asked += (code & 0xffff) == 0xa20f;
			if ((code & 0xff) == 0xcc)
				break; /* the next mark */
			ptrace(PTRACE_SINGLESTEP, child, 0, 0);
			if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
				return 1;
		}
		printf("%s: %d CPUIDs in %d calls\n", parts[part], asked, BLOCKS);
		ptrace(PTRACE_SINGLESTEP, child, 0, 0);
		waitpid(child, &status, 0);
	}
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	return 0;
}
C
gcc-12 --sysroot="$folder/root" -O1 -c -I root/usr/include -I root/usr/include/x86_64-linux-gnu count.c -o count.o
gcc-12 count.o root/usr/lib/x86_64-linux-gnu/libzstd.so.1 -o count
./count | tee seen
grep -qx 'ZSTD_decompress: 10 CPUIDs in 5 calls' seen && grep -qx 'ZSTD_decompressDCtx: 0 CPUIDs in 5 calls' seen &&
	grep -qx 'ZSTD_createDCtx: 10 CPUIDs in 5 calls' seen
