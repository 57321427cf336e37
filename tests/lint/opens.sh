#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each source that opens, writes, removes or starts a file is in the list of SECURITY.md with these calls, and no other.
#
# What is judged by its path (stat, lstat, access) may be another file when it is opened, so files are judged by their
# descriptors. The calls that are left are counted here: they choose between paths, or say what is missing.
set -u

calls='open|openat|creat|fopen|freopen|rename|renameat|mkdir|mkdirat|mknod|system|popen|dlopen|execve?|execvpe?|execlp?|execle|posix_spawnp?|mkstemp|mkostemp|mkdtemp|nftw|sqlite3_open_v2|unlink|unlinkat|rmdir|remove|truncate|chmod|chown|symlink|symlinkat|link|linkat|opendir|ordinary_file_open|ordinary_file_open_in|ordinary_file_begin|believed_file_open|source_file_open|source_file_read|output_file_open|temporary_file_open|symbols_file_open|in_place_open|elf_image_open|folder_believe|mmap|mount|setmntent|fts_open|ftruncate|futimens|fchmod|fchmodat|fchown|fchownat|mkfifo|chdir|fchdir|chroot|setns|unshare|memfd_create|process_vm_readv|ptrace|socket|socketpair|connect|bind|bpf_obj_get|bpf_[a-z]+_get_fd_by_id|perf_event_open|newterm|setupterm|syscall'
# "FILE: CALL, CALL ...", for calls outside of comments; a declaration has a type before the name
made=$(git ls-files '*.c' | grep -v '^tests/' | xargs grep -noE "^.*" | grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/\*|\*( |/|$)|//)' |
	grep -E "(^|[])=?:(,!{};&|]|return|else|do)[[:space:]]*($calls)\(" |
	awk -v calls="^($calls)\$" '{ file = $0; sub(/:.*/, "", file); line = $0
		while (match(line, /[A-Za-z_0-9>.]+\(/)) {
			name = substr(line, RSTART, RLENGTH - 1); before = substr(line, 1, RSTART - 1); line = substr(line, RSTART + RLENGTH)
			if (name ~ calls && before !~ /\*$/) print file ": " name
		} }' | sort -u | awk '{ if ($1 != file) { if (file) print list; file = $1; list = $0 } else list = list ", " $2 } END { print list }')
listed=$(sed -n '/^## Places/,$p' SECURITY.md | sed -nE 's/^\| `([a-z_/0-9]+\.c)` \| ([a-z_0-9, ]+) \| [^|]+ \| [^|]+ \| [^|]+ \|$/\1: \2/p')
unlike=$(diff <(printf '%s\n' "$listed") <(printf '%s\n' "$made"))
[ -z "$unlike" ] || printf 'SECURITY.md does not say who names and owns what these calls open, and what is checked (< listed, > found):\n%s\n' "$unlike"
# Each variable of the environment is in the list of SECURITY.md with the files that read it. A call without a literal name
# is in a function whose callers, or a table, give it one in the same file.
variables=$(git ls-files '*.c' | grep -v '^tests/' | xargs grep -l 'getenv(' | while read -r file; do
	{ grep -oE 'getenv\("[A-Z_]+"\)' "$file"; grep -qE 'getenv\([^"]' "$file" && grep -E '_id\("|names\[\] = ' "$file"; } |
		grep -oE '"[A-Z_]+"' | tr -d '"' | sort -u | sed "s,\$, $file,"
done | sort)
told=$(sed -n '/^## The environment/,/^## Places/p' SECURITY.md | grep '^| `' | awk -F'|' '{ n = split($2, names, ","); m = split($3, files, ",")
		for (i = 1; i <= n; i++) for (k = 1; k <= m; k++) { name = names[i]; file = files[k]; gsub(/[` ]/, "", name); gsub(/[` ]/, "", file)
			if (file ~ /\.c$/) print name " " file } }' | sort)
untold=$(comm -13 <(printf '%s\n' "$told") <(printf '%s\n' "$variables"))
[ -z "$untold" ] || printf 'SECURITY.md does not say what these variables of the environment lead to, and what is checked:\n%s\n' "$untold"
unread=$(comm -23 <(printf '%s\n' "$told" | sed 's/ .*//' | sort -u) <(printf '%s\n' "$variables" | sed 's/ .*//' | sort -u))
[ -z "$unread" ] || printf 'SECURITY.md lists variables that nothing reads:\n%s\n' "$unread"
# FILE CALLS and why a path is enough there
judged='base/cursor.c 3 file_status(): the descriptor that is opened is judged again; same_file(): refuses an output early
base/files.c 2 is_in_place(): in_place_open() judges the descriptor; the close: replaces a file, and refuses to replace an input
dwarf/elf/debug_file.c 1 exists(): passes over candidates; those that are opened are judged by build id or sum
profiler/cli/input.c 2 a better message for a folder, and for --kallsyms; whoever opens them judges
profiler/cli/keep_objects.c 1 in a folder that is open and believed: the copy is there already
profiler/cli/output.c 1 whether a pager is installed, which the shell finds itself
profiler/cli/sandbox.c 1 folders for rules; what is not there gets none
profiler/commands/agent.c 1 the size of a recording in the spool, a folder that is open and believed
profiler/commands/archive.c 2 refuse an output or an input with a message; nothing is used that was not opened
profiler/commands/diff.c 1 whether a word is a file or an option
profiler/commands/layout_patch.c 1 which folder a patch is applied in: the text alone says it
profiler/commands/mem.c 1 whether a word is a program or a subcommand
profiler/commands/report.c 1 whether a word is a file or a filter
profiler/ingest/stream.c 2 whether a folder has "data", which is judged when it is opened; an empty part of a recording
profiler/objects/companion_cache.c 3 what is in the folder of the cache, which is open and believed: sizes and ages; whether --companion names a folder, what is opened in it is judged by build id
profiler/objects/dso_open.c 12 namespaces in /proc; folders of the environment, which are refused to a library that opens them itself; choices between places, whose objects are judged by build id, or by the status of what was opened; the birth of a map, which only leads to a refusal; whether a file system has overlays
profiler/objects/kernel.c 3 which of the files of the running kernel can be read
profiler/objects/symbol_map.c 1 opens no device; O_NOFOLLOW, and the descriptor is judged
profiler/record/output.c 1 only regular files get another name; link() replaces nothing
profiler/record/rights.c 1 namespaces in /proc
profiler/record/synthesize.c 2 threads in /proc
profiler/record/sysfs.c 1 what /sys has
profiler/record/target.c 2 owners of processes in /proc; folders of the control groups of the kernel
profiler/record/writer.c 1 only a regular file becomes .old
profiler/store/file_store.c 1 the size of a file that is believed, in a folder that is'
reasonless=$(awk 'NF < 4 || $2 !~ /^[0-9]+$/' <<<"$judged")
[ -z "$reasonless" ] || printf 'no reason in %s:\n%s\n' "$0" "$reasonless"
judged=$(awk '{ print $1 ":" $2 }' <<<"$judged" | sort)
found=$(git ls-files '*.c' | grep -v '^tests/' | xargs grep -noE '(^|[^a-z_>.])(stat|lstat|statx|statfs|fstatat|access|faccessat)\(.*' | grep -vE 'rule->|stat\(2\)' |
	awk -F: '{ file = $1; line = $0; sub(/^[^:]*:[^:]*:/, "", line); n = gsub(/(^|[^a-z_>.])(stat|lstat|statx|statfs|fstatat|access|faccessat)\(/, "&", line); count[file] += n }
		END { for (file in count) print file ":" count[file] }' | sort)
wrong=$(diff <(printf '%s\n' "$judged") <(printf '%s\n' "$found"))
[ -z "$wrong" ] || printf 'files are judged by paths in more or fewer places than %s lists (< listed, > found):\n%s\n' "$0" "$wrong"
# Commands enter the sandbox. record and agent start programs, list reads /sys, and commands.c prints help.
free=$(git grep -lE '^(static )?int command_[a-z0-9_]+\(int argc' -- 'profiler/commands/*.c' | xargs grep -LE 'sandbox_(for|enter)|command_pair' |
	grep -vE '/(agent|commands|list|record)\.c$')
[ -z "$free" ] || printf 'a command enters no sandbox: %s\n' $free
# A script whose temporary folder could not be made would write into /.
unmade=$(git ls-files '*.sh' | xargs grep -LE '^set -[a-z]*e' | xargs grep -nE '^[^#]*\$\(mktemp( -d|\))' | grep -v '|| exit ')
[ -z "$unmade" ] || printf 'nothing ends the script if mktemp fails:\n%s\n' "$unmade"
[ -z "$unlike$wrong$reasonless$untold$unread$free$unmade" ]
