#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stdio's functions that read return the same at an error as at the end of a file, so that a part of a list would be taken for all
# of it. A file that uses them asks ferror(3), or closes its streams with read_file_close() of base/files.h.
set -u

found=$(git ls-files 'base/*.c' 'annotate/*.c' 'disasm/*.c' 'dwarf/*.c' 'report/*.c' 'profiler/*.c' |
	xargs grep -lE '\b(fgets|getline|getdelim|fread)\(' | xargs grep -LE '\b(ferror|read_file_close)\(')
[ -z "$found" ] || printf '%s: reads a file without asking whether that failed (read_file_close(), base/files.h)\n' $found
[ -z "$found" ]
