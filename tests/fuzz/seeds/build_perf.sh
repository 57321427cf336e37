#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the seeds for perf.data files were made; run in this folder to make them again.
set -eu

root=../../..
program=$(mktemp)
trap 'rm -f "$program"' EXIT
mkdir -p perf_data perf_samples spe
gcc -std=gnu11 -D_GNU_SOURCE -I$root make_perf.c $root/tests/support/perf_image.c $root/tests/support/perf_records.c \
	$root/tests/support/spe_image.c \
	$root/tests/support/byte_order.c $root/base/strbuf.c $root/base/text.c $root/base/error.c $root/base/memory.c -o "$program" -lzstd
"$program"
