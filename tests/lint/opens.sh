#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each source that opens, writes, removes or starts a file is in the list of SECURITY.md, and no other.
set -u

calls='\b(open|openat|creat|fopen|freopen|rename|renameat|mkdir|mkdirat|system|popen|dlopen|execv[pe]*|execl[pe]*|posix_spawnp?|mkstemp|mkostemp|unlink|unlinkat|symlink|symlinkat|link|linkat|opendir|ordinary_file_open|believed_file_open|source_file_open|output_file_open|temporary_file_open)\('
sources=$(git ls-files '*.c' | grep -v '^tests/' | xargs grep -lE "(=|return|if|\?|:|\(|^|,|&&|\|\|)[[:space:]!(void)]*$calls" | sort)
listed=$(sed -n '/^## Places/,$p' SECURITY.md | grep -oE '`(profiler|report|annotate|disasm|dwarf|base)/[a-z_/0-9]+\.c`' | tr -d '`' | sort -u)
missing=$(comm -23 <(printf '%s\n' "$sources") <(printf '%s\n' "$listed"))
gone=$(comm -13 <(printf '%s\n' "$sources") <(printf '%s\n' "$listed"))

[ -z "$missing" ] || printf 'SECURITY.md does not say who names the files that these open, and what is checked:\n%s\n' "$missing"
[ -z "$gone" ] || printf 'SECURITY.md lists sources that open nothing:\n%s\n' "$gone"
[ -z "$missing$gone" ]
