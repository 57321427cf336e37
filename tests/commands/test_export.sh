#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `dtprof export`: each format has all samples of `report --json`, and the readers that are here take it. DTPROF comes from the
# Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
data=$folder/perf.data
names=("folded stacks have all samples" "a line of folded stacks has type, field and function" "CSV has all samples"
	"CSV has the fields of a type" "speedscope's weights are the period" "pprof's messages have all samples"
	"pprof's labels have types and fields" "types are frames of pprof if asked for" "pprof's first mapping is the program" "go tool pprof reads it"
	"the Firefox format has all samples" "its markers have the fields of a type"
	"OpenTelemetry's profiles have all samples" "their samples have types and fields, and mappings build ids"
	"histograms of types have all samples with a type" "they have offsets, sizes and events"
	"they tell types of one name and size apart"
	"report --import makes tables of them" "a damaged file of them is one clear line"
	"the columns of CSV are those of export.sql" "a hostile name stays a name" "control characters of names are in no format"
	"nor is what is no UTF-8" "--type-frames is refused for other formats" "an unknown format is an error"
	"a format is asked for" "a receiver gets the profile that a file has" "it is told whether another attempt may help" "data addresses are shown if asked for")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}

# A name that would be two frames, with an end of line, bytes that are not UTF-8, and an escape sequence. A function has such a name, too.
program=$folder/$(printf 'a;b\nc\377"\033[7m')
if ! ${CC:-gcc} -O2 -g -o "$program" tests/workloads/cache.c 2>"$folder/log" ||
	! LC_ALL=C sed -i "s/cache_serve/$(printf 'a\033[7m\377b_')rve/g" "$program" ||
	! "$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$data" -- "$program" 600000 >/dev/null 2>"$folder/log"; then
	for name in "${names[@]}"; do
		skip "$name" "cannot record here: $(head -1 "$folder/log")"
	done
	finish
fi

write() { # FORMAT FILE [OPTIONS...]
	local format=$1 file=$2
	shift 2
	"$DTPROF" export -q -i "$data" --format="$format" -o "$folder/$file" "$@" 2>&1
}
"$DTPROF" report -i "$data" --json -s type >"$folder/report" 2>/dev/null
samples=$(sed -n 's/^   "samples": \([0-9]*\),.*/\1/p' "$folder/report" | head -1)
period=$(sed -n 's/^     "total": \([0-9]*\).*/\1/p' "$folder/report" | head -1)

message=$(write folded folded)
sum=$(awk '{ sum += $NF } END { print sum }' "$folder/folded")
[ -n "$samples" ] && [ "$sum" = "$samples" ]
check $? "$message: $sum samples, not $samples"
grep -qE '^struct entry;key;[a-z_]+' "$folder/folded"
check $? "$(head -5 "$folder/folded")"

message=$(write csv csv)
sum=$(awk -F, '/^cpu-clock:u,/ { sum += $2 } END { print sum }' "$folder/csv")
[ "$sum" = "$samples" ]
check $? "$message: $sum samples, not $samples"
grep -qE ',struct entry,8,key,' "$folder/csv"
check $? "$(head -5 "$folder/csv")"

message=$(write speedscope speedscope)
sum=$(sed 's/.*"weights":\[\([0-9,]*\)\].*/\1/' "$folder/speedscope" | tr ',' '\n' | awk '{ sum += $1 } END { printf "%.0f", sum }')
[ -n "$period" ] && [ "$sum" = "$period" ] && grep -q "\"endValue\":$period," "$folder/speedscope"
check $? "$message: $sum, not $period"

# The messages as text, read by the program that the build needs anyway.
decoded() { gzip -dc "$folder/$1" | protoc-c --decode=pprof.Profile report/export/profile.proto; }
message=$(write pprof pprof)
decoded pprof >"$folder/text" 2>"$folder/log"
sum=$(awk '/^sample \{/ { inside = 1; first = 1 } /^}/ { inside = 0 } inside && first && /^  value:/ { sum += $2; first = 0 } END { print sum }' "$folder/text")
[ "$sum" = "$samples" ]
check $? "$message: $sum samples, not $samples; $(head -3 "$folder/log")"
grep -q 'string_table: "struct entry"' "$folder/text" && grep -q 'string_table: "key"' "$folder/text"
check $?
write pprof frames --type-frames >/dev/null
functions=$(decoded pprof 2>/dev/null | grep -c '^function {')
more=$(decoded frames 2>/dev/null | grep -c '^function {')
[ "$functions" -gt 0 ] && [ "$more" -gt "$functions" ]
check $? "$functions functions, $more with types"
main=$(decoded pprof 2>/dev/null | awk '
	/^mapping \{/ { mapping++ }
	/^  filename:/ && mapping == 1 { file = $2 }
	/^string_table:/ { texts[n++] = $0 }
	END { print texts[file] }')
[[ $main == *"/a;b"* ]]
check $? "it is $main"
if command -v go >/dev/null && go tool pprof -h 2>&1 | grep -q tagroot; then
	message=$(HOME=$folder go tool pprof -symbolize=none -sample_index=samples -top -cum -tagroot=type "$folder/pprof" 2>&1)
	printf '%s\n' "$message" | grep -q "Total samples = $samples " && printf '%s\n' "$message" | grep -q 'struct entry'
	check $? "$message"
else
	skip "${names[$tap_number]}" "there is no go tool pprof here"
fi

message=$(write firefox firefox)
gzip -dc "$folder/firefox" >"$folder/firefox.json"
sum=$(grep -o '"weight":\[[0-9,]*\]' "$folder/firefox.json" | grep -oE '[0-9]+' | awk '{ sum += $1 } END { print sum }')
[ "$sum" = "$samples" ]
check $? "$message: $sum samples, not $samples"
grep -q '"type":"access","field":"key","offset":8,' "$folder/firefox.json" && grep -q '"struct entry"' "$folder/firefox.json"
check $?

message=$(write otlp otlp)
protoc-c --decode=otlp.ProfilesData report/export/otlp.proto <"$folder/otlp" >"$folder/otlp.txt" 2>"$folder/log"
# the profiles in the order of the file: periods, samples, loads ...
sums=$(awk '/^    profiles \{/ { n++ } n && /^        values:/ { sum[n] += $2 } END { printf "%.0f %.0f", sum[1], sum[2] }' "$folder/otlp.txt")
[ "$sums" = "$period $samples" ]
check $? "$message: '$sums', not '$period $samples'; $(head -3 "$folder/log")"
grep -A2 'key_strindex' "$folder/otlp.txt" | grep -q 'string_value: "struct entry"' && grep -q 'string_value: "key"' "$folder/otlp.txt" &&
	grep -q 'string_table: "dtprof.field"' "$folder/otlp.txt" &&
	{ ! grep -q 'string_table: "process.executable.build_id.gnu"' "$folder/otlp.txt" || grep -qE 'string_value: "[0-9a-f]{40}"' "$folder/otlp.txt"; }
check $? "$(head -40 "$folder/otlp.txt")"
message=$(write data-type-json histograms)
typed=$(awk -F, 'NR > 1 && $1 == "cpu-clock:u" && $7 !~ /^"?\(/ && $7 != "" { sum += $2 } END { print sum }' "$folder/csv")
sum=$(sed -n 's/^ *"total_samples": \([0-9]*\),$/\1/p' "$folder/histograms" | awk '{ sum += $1 } END { print sum }')
[ "$sum" -gt 0 ] && [ "$sum" = "$typed" ]
check $? "$message: $sum samples, not $typed"
entry=$(tr -d ' \n' <"$folder/histograms" | grep -o '"type":"structentry".*' | head -c 400)
[[ $entry =~ ^'"type":"structentry","size":'[0-9]+',"histograms":[{"event":"cpu-clock:u","total_samples":'[0-9]+',"total_period":'[0-9]+',"samples":[{"offset":'[0-9]+',"nr_samples_load":'[0-9]+',"period_load":' ]]
check $? "$entry"
cat >"$folder/a.c" <<'END'
struct node { long key; struct node *next; };
long walk_a(struct node *n) { long sum = 0; for (; n; n = n->next) sum += n->key; return sum; }
END
cat >"$folder/b.c" <<'END'
#include <stdlib.h>

struct node { struct node *next; long value; };
long walk_a(void *n);
__attribute__((noinline)) long walk_b(struct node *n) { long sum = 0; for (; n; n = n->next) sum += n->value; return sum; }
int main(void)
{
	long *a = 0, sum = 0;
	struct node *b = 0;
	for (int i = 0; i < 1000; i++) { long *n = malloc(16); n[0] = i, n[1] = (long)a, a = n; }
	for (int i = 0; i < 1000; i++) { struct node *n = malloc(16); n->value = i, n->next = b, b = n; }
	for (int i = 0; i < 40000; i++) sum += walk_a(a) + walk_b(b);
	return sum == 1;
}
END
"${CC:-gcc}" -O2 -g -o "$folder/two" "$folder/a.c" "$folder/b.c" 2>"$folder/log" &&
	"$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$folder/two.data" -- "$folder/two" >"$folder/log" 2>&1 &&
	"$DTPROF" export -q -i "$folder/two.data" --format=data-type-json -o "$folder/two.json" 2>"$folder/log"
[ "$(grep -c '"type": "struct node"' "$folder/two.json")" = 2 ]
check $? "$(cat "$folder/log"; grep '"type"' "$folder/two.json")"

# loads and stores of each type and offset
expected=$(tr -d ' \n' <"$folder/histograms" | grep -o '"nr_samples_[a-z]*":[0-9]*' | awk -F: '{ sum += $2 } END { print sum }')
sum=$("$DTPROF" report --import "$folder/histograms" --csv -s dso,type,typeoff,acc 2>"$folder/log" | awk -F, 'NR > 1 { sum += $4 } END { print sum }')
[ -n "$sum" ] && [ "$sum" = "$expected" ] && "$DTPROF" report --import "$folder/histograms" >"$folder/out" &&
	grep -q 'struct entry +8$' "$folder/out" && ! grep -q '^?' "$folder/out"
check $? "$sum samples, not $expected; $(cat "$folder/log")"
damaged() {
	head -c 2000 "$folder/histograms" >"$folder/cut"
	sed 's/"offset": /"offset": x/' "$folder/histograms" >"$folder/other"
	for file in cut other report csv; do
		! "$DTPROF" report --import "$folder/$file" >"$folder/out" 2>"$folder/log" && [ ! -s "$folder/out" ] &&
			[ "$(grep -c '' "$folder/log")" = 1 ] && grep -q "/$file: line [0-9]*: " "$folder/log" || return 1
	done
}
damaged
check $? "$(cat "$folder/log")"

columns=$(sed -n 's/^\t"\([a-z]*\)" .*/\1/p' Documentation/export.sql | tr '\n' ',')
[ "$(head -1 "$folder/csv")," = "$columns" ]
check $? "$columns"

! grep -q 'a;b' "$folder/folded" && [ "$(grep -c '' "$folder/folded")" = "$(grep -cE ' [0-9]+$' "$folder/folded")" ] &&
	grep -q 'string_table: "a;b' "$folder/text"
check $? "$(grep 'a;b' "$folder/folded" "$folder/text")"

# All formats as text, in which only ends of lines are control characters. JSON and protoc-c write others, and bytes that are no
# UTF-8, as escapes: \n, \u001b, \033, \377.
readable=("$folder/folded" "$folder/csv" "$folder/speedscope" "$folder/firefox.json" "$folder/text" "$folder/otlp.txt")
named=$(grep -lF 'a?[7m' "${readable[@]}" | grep -c '')
# The name of a profile is random bytes.
sed -i '/^ *profile_id: /d' "$folder/otlp.txt"
escapes=$(LC_ALL=C grep -nE "[^[:print:][:space:]$(printf '\200')-$(printf '\377')]|\\\\(n|u00|033)" "${readable[@]}")
[ "$named" = ${#readable[@]} ] && [ -z "$escapes" ]
check $? "$named formats have the name; $(printf '%s' "$escapes" | cut -c 1-300 | head -5 | cat -v)"
broken=$(for file in "$folder/folded" "$folder/csv" "$folder/speedscope" "$folder/firefox.json"; do
	iconv -f UTF-8 -t UTF-8 "$file" 2>&1 >/dev/null
done)
broken+=$(grep -F '\377' "$folder/text" "$folder/otlp.txt")
[ -z "$broken" ]
check $? "$broken"

message=$(write folded none --type-frames)
[ $? -eq 129 ] && printf '%s' "$message" | grep -q 'for pprof'
check $? "$message"
message=$("$DTPROF" export -i "$data" --format=ppro 2>&1)
[ $? -eq 129 ] && printf '%s' "$message" | grep -q "did you mean 'pprof'"
check $? "$message"
message=$("$DTPROF" export -i "$data" 2>&1)
[ $? -eq 129 ] && printf '%s' "$message" | grep -q -e '--format=NAME is missing'
check $? "$message"

# One that has no port for others, and takes all, a part or nothing.
mkdir "$folder/receiver"
python3 tests/support/otlp_receiver.py "$folder/receiver" 2>"$folder/log" &
receiver=$!
for _ in $(seq 100); do [ -e "$folder/receiver/port" ] || sleep 0.1; done
url=http://127.0.0.1:$(cat "$folder/receiver/port" 2>/dev/null)
send() { message=$("$DTPROF" export -q -i "$data" --format=otlp -o "$1" 2>&1); }
# nothing that is meant for this machine goes to a proxy
if http_proxy=http://127.0.0.1:1 send "$url"; [[ ! -e $folder/receiver/port || $message == *"needs libcurl"* ]]; then
	for name in "${names[@]:$tap_number:2}"; do skip "$name" "there is no libcurl or no python3"; done
else
	cmp "$folder/otlp" "$folder/receiver/body.0" >>"$folder/log" 2>&1
	check $? "$message $(cat "$folder/log")"
	statuses= messages=
	for plan in 503 400 299; do
		echo $plan >"$folder/receiver/plan"
		send "$url"
		statuses="$statuses $?" messages="$messages$message "
	done
	kill $receiver
	wait $receiver 2>/dev/null
	send "$url"
	statuses="$statuses $?"
	[ "$statuses" = " 3 1 1 3" ] && [[ $messages == *"the answer is 503: not today"*"the answer is 400: not today"*"7 profiles were refused: a part"* ]]
	check $? "$statuses: $messages"
fi
kill $receiver 2>/dev/null

if ! "$DTPROF" record -q -e cpu-clock:u -F 2000 -I -o "$folder/registers.data" -- "$program" 600000 >/dev/null 2>"$folder/log"; then
	skip "${names[$tap_number]}" "cannot record registers here: $(head -1 "$folder/log")"
	finish
fi
data=$folder/registers.data
message=$(write otlp plain; write otlp addresses --addresses)
! grep -q 'dtprof.address' "$folder/plain" && grep -q 'dtprof.address' "$folder/addresses" &&
	protoc-c --decode=otlp.ProfilesData report/export/otlp.proto <"$folder/addresses" 2>"$folder/log" | grep -qE 'string_value: "0x[0-9a-f]+"'
check $? "$message"
finish
