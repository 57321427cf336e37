#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the seeds for print formats of tracepoints were made; run in this folder to make them again.
set -eu

root=../../..
program=$(mktemp)
trap 'rm -f "$program"' EXIT
mkdir -p trace_print
gcc -std=gnu11 -D_GNU_SOURCE -I$root make_trace.c $root/base/memory.c -o "$program"
"$program" trace_print
