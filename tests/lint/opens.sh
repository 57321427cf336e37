#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each source that opens, writes, removes or starts a file is in the list of SECURITY.md, and no other.
#
# What is judged by its path (stat, lstat, access) may be another file when it is opened, so files are judged by their
# descriptors. The calls that are left are counted here: they choose between paths, or say what is missing.
set -u

calls='\b(open|openat|creat|fopen|freopen|rename|renameat|mkdir|mkdirat|system|popen|dlopen|execv[pe]*|execl[pe]*|posix_spawnp?|mkstemp|mkostemp|unlink|unlinkat|symlink|symlinkat|link|linkat|opendir|ordinary_file_open|believed_file_open|source_file_open|output_file_open|temporary_file_open)\('
sources=$(git ls-files '*.c' | grep -v '^tests/' | xargs grep -lE "(=|return|if|\?|:|\(|^|,|&&|\|\|)[[:space:]!(void)]*$calls" | sort)
listed=$(sed -n '/^## Places/,$p' SECURITY.md | grep -oE '`(profiler|report|annotate|disasm|dwarf|base)/[a-z_/0-9]+\.c`' | tr -d '`' | sort -u)
missing=$(comm -23 <(printf '%s\n' "$sources") <(printf '%s\n' "$listed"))
gone=$(comm -13 <(printf '%s\n' "$sources") <(printf '%s\n' "$listed"))

[ -z "$missing" ] || printf 'SECURITY.md does not say who names the files that these open, and what is checked:\n%s\n' "$missing"
[ -z "$gone" ] || printf 'SECURITY.md lists sources that open nothing:\n%s\n' "$gone"
judged='base/cursor.c:2 base/files.c:2 dwarf/elf/debug_file.c:1 profiler/cli/input.c:2 profiler/cli/keep_objects.c:1
profiler/cli/output.c:2 profiler/cli/sandbox.c:2 profiler/commands/archive.c:1 profiler/commands/diff.c:1 profiler/commands/mem.c:1
profiler/commands/report.c:1 profiler/ingest/stream.c:2 profiler/objects/dso_open.c:10
profiler/objects/kernel.c:3 profiler/record/output.c:1 profiler/record/rights.c:1
profiler/record/synthesize.c:2 profiler/record/sysfs.c:1 profiler/record/target.c:2 profiler/record/writer.c:1'
judged=$(tr ' ' '\n' <<<"$judged" | sort)
found=$(git ls-files '*.c' | grep -v '^tests/' | xargs grep -nE '(^|[^a-z_>.])(stat|lstat|access|faccessat)\(' | grep -vE ':[[:space:]]*(/?\*|//)|rule->|stat\(2\)' | cut -d: -f1 | uniq -c | awk '{ print $2 ":" $1 }' | sort)
wrong=$(diff <(printf '%s\n' "$judged") <(printf '%s\n' "$found"))
[ -z "$wrong" ] || printf 'files are judged by paths in more or fewer places than %s lists (< listed, > found):\n%s\n' "$0" "$wrong"
[ -z "$missing$gone$wrong" ]
