#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Input below 1 MB takes bounded time and memory, whatever it holds: tests/support/hostile_inputs.py makes it.
set -u

if ! command -v python3 >/dev/null; then
	echo "1..1"
	echo "# skipped: python3 is not installed"
	echo "ok 1 - hostile inputs # SKIP"
	exit
fi
exec python3 tests/support/hostile_inputs.py "$(realpath "${DTPROF:-build/dtprof}")"
