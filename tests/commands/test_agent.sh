#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dtprof agent adds each of its recordings to the store once, also after it was killed.
set -u
. tests/support/tap.sh

dtprof=$(realpath "${DTPROF:-build/dtprof}")
plan 21
names=("the recordings are in the store, and the spool is empty" "the spool is the user's alone"
	"what a killed agent has left is added once" "a recording that was being made is lost, and counted"
	"recordings stay in the spool while the store cannot be used" "a spool that is too large loses the oldest recordings"
	"the processor time is limited" "options that contradict each other are refused"
	"two agents do not share a spool" "a spool in a folder that others may write is refused"
	"no round keeps a descriptor" "a server that is away for long loses no recording"
	"without memory for a function a recording is kept" "without memory for types functions are added, and it is said"
	"an agent that cannot record hands over what is in the spool" "without a choice the whole machine is recorded 99 times a second, without maps of data" "what cannot be recorded again and again is refused at once"
	"why there are no samples is said once, and that there are some again" "a receiver gets no recording without samples, and a server that is away is said once"
	"samples have their control group and its service"
	"a store and a receiver get each recording once, whichever is away")
number=0
next() { result "$1" "${names[$number]}" "${2:-}"; number=$((number + 1)); }
folder=$(mktemp -d) || exit 1
busy=
trap 'kill $busy 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
if ! "$dtprof" record -q -e cpu-clock -o probe.data -- true 2>errors; then
	for name in "${names[@]}"; do skip "$name" "no samples can be recorded here: $(head -1 errors)"; done
	finish
fi
# of this shell alone: what else runs on the machine may need more memory, or be replaced while it is read
# the address sanitizer reserves terabytes
memory=150M
! nm "$dtprof" 2>/dev/null | grep -q __asan_init || memory=1000000G
agent() { timeout 120 "$dtprof" agent --for 0.2s --every 0.3s --budget 100 --memory $memory --spool spool "$@" -- -p $$ -e cpu-clock -F 499 2>&1; }
recordings() { "$dtprof" store list -q --store s.db | wc -l; }

shown=$(agent --store s.db --times 2)
[ "$(recordings)" -eq 2 ] && [ -z "$(ls spool)" ] && grep -q '^dtprof agent: 2 recordings, 2 added to the store, 0 in the spool' <<<"$shown"
next $? "$shown"
[ "$(stat -c %a spool s.db | tr '\n' ' ')" = "700 600 " ]
next $? "$(stat -c '%a %n' spool s.db)"
# one recording is in the spool and in the store, one in the spool alone, and one was being made
"$dtprof" store add -q --store s.db probe.data
cp -p probe.data spool/000000000001.000000000.data
"$dtprof" record -q -e cpu-clock -o spool/000000000002.000000000.data -- true
head -c 1000 probe.data >spool/000000000003.000000000.part
shown=$(agent --store s.db --times 1)
[ "$(recordings)" -eq 5 ] && [ -z "$(ls spool)" ]
next $? "$shown"
grep -q '1 recordings, 3 added to the store, 0 in the spool, 0 dropped from it, 1 lost' <<<"$shown"
next $? "$shown"
echo "this is no store" >broken.db
shown=$(agent --store broken.db --times 2)
[ "$(ls spool | wc -l)" -eq 2 ] && grep -q 'broken.db' <<<"$shown" && agent --store s.db --times 1 >/dev/null && [ "$(recordings)" -eq 8 ]
next $? "$shown"
shown=$(agent --store broken.db --times 2 --spool-limit 1K)
[ -z "$(ls spool)" ] && grep -q '[2-9] dropped from it' <<<"$shown"
next $? "$shown"
shown=$(timeout 600 "$dtprof" agent --for 0.1s --every 0.1s --budget 0.001 --spool spool --store s.db -- -p $$ -e cpu-clock 2>&1 &
	sleep 5; kill -TERM $(cat /proc/$!/task/$!/children) 2>/dev/null; wait)
grep -q 'the next recording waits [0-9]* s, because of --budget=0.001%' <<<"$shown"
next $? "$shown"
shown=$(agent --store s.db --every 0.1s)
[ $? -eq 129 ] && grep -q 'is longer than --every' <<<"$shown"
next $? "$shown"
mkdir -m 700 locked
shown=$(flock locked timeout 600 "$dtprof" agent --for 0.1s --every 0.1s --times 1 --spool locked --store s.db -- -p $$ -e cpu-clock 2>&1)
[ $? -ne 0 ] && grep -q 'locked is the spool of another agent' <<<"$shown"
next $? "$shown"
mkdir -m 777 open
shown=$(timeout 600 "$dtprof" agent --for 0.1s --every 0.1s --times 1 --spool open/spool --store s.db -- -p $$ -e cpu-clock 2>&1)
[ $? -ne 0 ] && grep -q 'open/spool, or a folder around it, is writable by others' <<<"$shown"
next $? "$shown"
timeout 600 "$dtprof" agent --for 0.1s --every 0.2s --budget 100 --memory $memory --times 12 --spool spool --store s.db -- -p $$ -e cpu-clock >log 2>&1 &
agent=$!
counts=
for round in 2 10; do
	for _ in $(seq 3000); do
		grep -q "^dtprof agent: $round recordings" log && break
		sleep 0.1
	done
	counts="$counts $(ls /proc/"$(cut -d" " -f1 /proc/$agent/task/$agent/children)"/fd 2>/dev/null | wc -l)"
done
wait $agent
read -r first last <<<"$counts"
# one that each round keeps would be eight more; a recording that begins just then has some for a moment
[ "$first" -gt 3 ] && [ "$last" -lt $((first + 4)) ]
next $? "descriptors after 2 and 10 rounds:$counts; $(tail -1 log)"
shown=$(agent --store clickhouse://127.0.0.1:1/db --times 13)
[ "$(ls spool | wc -l)" -eq 13 ] && grep -q '^dtprof agent: 13 recordings, 0 added to the store, 13 in the spool, 0 dropped from it, 0 lost' <<<"$shown"
next $? "$shown"

rm -rf spool m.db
if [ "$memory" = 150M ]; then
	for size in 8M 7M 6M 5M 4M 3M; do
		rm -rf spool m.db*
		shown=$(timeout 600 "$dtprof" agent --for 0.1s --every 0.2s --memory $size --times 1 --spool spool --store m.db -- -p $$ -e cpu-clock 2>&1)
		[ "$(ls spool | wc -l)" -eq 1 ] && grep -q -e "--memory=$size is too little" <<<"$shown" && break
	done
	[ "$(ls spool | wc -l)" -eq 1 ] && grep -q -e "--memory=$size is too little" <<<"$shown"
	next $? "$size: $shown"
	# dtprof itself has debug information
	while :; do "$dtprof" list rules >/dev/null 2>&1; done &
	busy=$!
	# There may be no limit that is too little for types and enough for functions: then nothing is lost.
	lost=0
	for size in 60M 48M 40M 32M 28M 26M 24M 22M 21M 20M 19M 18M 17M 16M 15M 14M 13M 12M 11M 10M 9M 8M; do
		rm -rf spool m.db*
		round=$(timeout 600 "$dtprof" agent --for 0.5s --every 0.6s --budget 100 --memory $size --times 1 --spool spool --store m.db -- -p $busy -e cpu-clock 2>&1)
		# on a busy machine it may have had no turn
		grep -q ' 1 without samples' <<<"$round" || shown=$round
		grep -q ' 0 lost' <<<"$shown" || lost=$((lost + 1))
		grep -q 'its types are left out' <<<"$shown" && grep -q ' 1 of them' <<<"$shown" && break
	done
	kill $busy
	if grep -q ' 1 of them' <<<"$shown"; then
		grep -q '1 added to the store, 1 of them without types, 0 in the spool' <<<"$shown" &&
			[ "$("$dtprof" store report -q -s type --csv --store m.db | grep -v '^type' | grep -vc 'types left out')" -eq 0 ]
		next $? "$size: $shown $("$dtprof" store report -q -s type --csv --store m.db 2>&1 | head -5)"
	elif [ $lost -eq 0 ] && ! grep -q 'its types are left out' <<<"$shown"; then
		# the least memory is too little for types, if there are any
		skip "${names[$number]}" "the machine is so busy that the program had no samples in its own code"
		number=$((number + 1))
	else
		[ $lost -eq 0 ]
		next $? "$lost recordings are lost: $shown"
	fi
else
	for _ in 1 2; do
		skip "${names[$number]}" "the address sanitizer reserves terabytes"
		number=$((number + 1))
	done
fi
rm -rf spool m.db*
mkdir -m 700 spool
cp -p probe.data spool/000000000001.000000000.data
shown=$(timeout 600 "$dtprof" agent --memory $memory --for 0.1s --every 0.2s --spool spool --store m.db -- -p $$ -e no-such-event 2>&1)
[ $? -eq 1 ] && [ -z "$(ls spool)" ] && grep -q '0 recordings, 1 added to the store, 0 in the spool, 0 dropped from it, 1 lost' <<<"$shown"
next $? "$shown"
# one program alone that has samples
while :; do :; done &
busy=$!
rm -rf spool
shown=$(timeout 600 "$dtprof" agent --for 0.4s --every 0.5s --budget 100 --spool spool --times 1 --store broken.db 2>&1)
if "$dtprof" record -q -a -e cpu-clock -o whole.data -- true 2>/dev/null; then
	"$dtprof" script -q -i spool/*.data -F comm 2>errors | grep -qvwE 'sleep|dtprof' &&
		! "$dtprof" report --header-only -i spool/*.data 2>>errors | grep 'mmap_data = 1' >>errors &&
		"$dtprof" report --header-only -i spool/*.data 2>>errors | grep -q 'sample_freq } = 99,'
	next $? "$shown $(head -2 errors)"
else
	skip "${names[$number]}" "the whole machine cannot be recorded here"
	number=$((number + 1))
fi
shown=
for words in "-e cpu-clock -- true" "--switch-output=1s" "--no-such-option" "-p $busy -t $busy"; do
	shown="$shown$(timeout 20 "$dtprof" agent --for 0.1s --every 0.2s --times 1 --spool spool --store t.db -- $words 2>&1) $?
"
done
[ "$(grep -c ' 129$' <<<"$shown")" -eq 4 ] && grep -q "'true' is no option of dtprof record" <<<"$shown" && [ ! -e t.db ]
next $? "$shown"
rm -rf spool t.db
mkfifo go
sleep 300 &
sleeper=$!
bash -c 'read -r _ <go; while :; do :; done' &
idle=$!
until_log() { for _ in $(seq 3000); do grep -q "$1" log && break; sleep 0.1; done; }
timeout 600 "$dtprof" agent --for 0.2s --every 0.3s --budget 100 --memory $memory --spool spool --store t.db -- -p $idle -e cpu-clock >log 2>&1 &
agent=$!
until_log ' [2-9] without samples'
echo >go
until_log 'have samples again'
kill $idle
kill $(cat /proc/$agent/task/$agent/children)
wait $agent
[ "$(grep -c 'no samples: the recorded threads were idle' log)" -eq 1 ] && [ "$(grep -c 'have samples again' log)" -eq 1 ]
next $? "$(cat log)"
rm -rf spool
shown=$(timeout 600 "$dtprof" agent --for 0.1s --every 0.2s --budget 100 --memory $memory --spool spool --otlp http://127.0.0.1:1 --times 3 -- -p $sleeper -e cpu-clock 2>&1)
kill $sleeper
left=$(ls spool | wc -l)
shown="$shown$(timeout 600 "$dtprof" agent --for 0.2s --every 0.3s --budget 100 --memory $memory --spool spool --otlp http://127.0.0.1:1 --times 3 -- -p $busy -e cpu-clock 2>&1)"
[ "$left" -eq 0 ] && [ "$(ls spool | wc -l)" -eq 3 ] && [ "$(grep -c 'onnect to' <<<"$shown")" -eq 1 ]
next $? "$shown"
rm -rf spool t.db
# the hierarchy that perf_event_open() knows
mount=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit }' /proc/mounts)
: "${mount:=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}"
service=dtprof-test-$$.service
{ [ -n "$mount" ] && mkdir "$mount/$service" && echo $busy >"$mount/$service/cgroup.procs"; } 2>/dev/null || service=
shown=$(timeout 600 "$dtprof" agent --for 0.3s --every 0.4s --budget 100 --memory $memory --spool spool --store t.db --times 1 -- -p $busy -e cpu-clock 2>&1)
shown="$shown
$("$dtprof" store report -q -s cgroup,image --csv --store t.db 2>&1)"
if [ -n "$service" ]; then # else only root makes groups
	echo $busy >"$mount/cgroup.procs"
	rmdir "$mount/$service"
fi
grep -q "^\(/.*\)\?$service,$service," <<<"$shown"
next $? "$shown"
rm -rf spool t.db
mkdir receiver
python3 "$OLDPWD/tests/support/otlp_receiver.py" receiver 2>/dev/null &
receiver=$!
for _ in $(seq 100); do [ -e receiver/port ] || sleep 0.1; done
if [ ! -e receiver/port ] || ! "$dtprof" export -q -i probe.data --format=otlp -o "http://127.0.0.1:$(cat receiver/port)" 2>errors; then
	skip "${names[$number]}" "nothing can be sent here: $(head -1 errors)"
	finish
fi
rm receiver/body.*
url=http://127.0.0.1:$(cat receiver/port)
both() { timeout 600 "$dtprof" agent --for 0.4s --every 0.5s --budget 100 --memory $memory --spool spool --otlp "$url" "$@" -- -p $busy -e cpu-clock 2>&1; }
echo 503 503 >receiver/plan
shown=$(both --store t.db --times 2)
left="$(ls spool | grep -c 'otlp.data$')"
echo "this is no store" >broken.db
shown="$shown$(both --store broken.db --times 1)" left="$left $(ls spool | grep -c 'store.data$')"
shown="$shown$(both --store t.db --times 1)"
kill $receiver
[ "$left" = "2 1" ] && [ -z "$(ls spool)" ] && [ "$("$dtprof" store list -q --store t.db | wc -l)" -eq 4 ] && [ "$(ls receiver/body.* | wc -l)" -eq 4 ]
next $? "$left; $shown"
finish
