#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Input below 1 MB takes bounded time and memory, whatever it holds: tests/support/hostile_inputs.py makes it.
set -u

skip() {
	echo "1..1"
	echo "# skipped: $1"
	echo "ok 1 - hostile inputs # SKIP"
	exit
}

command -v python3 >/dev/null || skip "python3 is not installed"
[ -z "${EMULATOR:-}" ] || skip "an emulator takes longer than the seconds that each input has"
exec python3 tests/support/hostile_inputs.py "$(realpath "${DTPROF:-build/dtprof}")"
