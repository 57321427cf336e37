# SPDX-License-Identifier: GPL-2.0-or-later
#
# TAP for test_*.sh: source it, call `plan N`, then `result STATUS NAME [MESSAGE]` or `skip NAME WHY` N times, and end with
# `finish`.

tap_number=0
tap_failed=0

plan() { echo "1..$1"; }

result() {
	tap_number=$((tap_number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_number - $2"
	else
		echo "not ok $tap_number - $2"
		[ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
		tap_failed=1
	fi
}

skip() {
	tap_number=$((tap_number + 1))
	echo "# skipped: $2"
	echo "ok $tap_number # SKIP $1"
}

finish() { exit $tap_failed; }

# Returns whether what the compiler makes runs on this machine, without an emulator.
makes_native() { # COMPILER FOLDER
	echo 'int main(void) { return 0; }' | "$1" -xc - -o "$2/native" 2>/dev/null && "$2/native" 2>/dev/null
}
