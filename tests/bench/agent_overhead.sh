#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Throughput of redis under load with and without dtprof agent, in pairs, and what the agent takes. It records 1 s of each 30 s: the
# share of time is that of the defaults (10 s of 5 minutes), while recordings are added ten times as often. Run it on a quiet machine.
#
#   agent_overhead.sh [PAIRS [SECONDS]]     (15, 30 for each run); REDIS is redis-server, DTPROF is dtprof; needs redis-benchmark
#
# Prints each pair and the median of the differences with its confidence interval (of the sign test, about 95 %), then the agent's
# processor time, the largest memory of it or of what it started, and the size of its spool while its server cannot be reached.
set -u

pairs=${1:-15} seconds=${2:-30}
redis=${REDIS:-redis-server} dtprof=$(realpath "${DTPROF:-build/dtprof}")
for program in "$redis" redis-benchmark python3; do
	command -v "$program" >/dev/null || { echo "agent_overhead: there is no $program" >&2; exit 77; }
done
redis=$(command -v "$redis")
folder=$(mktemp -d) || exit 1
cd "$folder" || exit 1
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
"$redis" --port 0 --unixsocket "$folder/socket" --save "" >redis.log 2>&1 &
for _ in $(seq 100); do [ -S socket ] || sleep 0.1; done
[ -S socket ] || { cat redis.log; exit 1; }
# Prints the requests in a second, of a number of requests.
load() { redis-benchmark -s "$folder/socket" -q --csv -n "$1" -r 100000 -P 8 -t set 2>/dev/null | tail -1 | cut -d, -f2 | tr -d '"'; }
requests=$(awk -v r="$(load 200000)" -v s="$seconds" 'BEGIN { printf "%d", r * s }')
[ "$requests" -gt 0 ] || { echo "agent_overhead: redis-benchmark tells no rate" >&2; exit 1; }
cat >agent.py <<'END'
import resource, signal, subprocess, sys
agent = subprocess.Popen(sys.argv[1:], stderr=open("agent.log", "a"))
signal.signal(signal.SIGTERM, lambda *_: agent.terminate())
agent.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, file=open("used", "a"))
END
for pair in $(seq "$pairs"); do
	rates=
	for run in $([ $((pair % 2)) = 1 ] && echo with without || echo without with); do
		if [ "$run" = with ]; then
			python3 agent.py "$dtprof" agent --every 30s --for 1s --store s.db --spool spool -- -a -F 99 &
			agent=$!
			with=$(load "$requests")
			kill $agent
			wait $agent
		else
			without=$(load "$requests")
		fi
	done
	awk -v w="$with" -v o="$without" 'BEGIN { printf "%.0f %.0f %+.2f %%\n", o, w, 100 * (o - w) / o }' | tee -a pairs
done
python3 - "$pairs" "$seconds" <<'END'
import math, sys
differences = sorted(float(line.split()[2]) for line in open("pairs"))
count = len(differences)
rank, tail = 0, 0.5 ** count
while tail <= 0.025 and rank < count // 2:
    rank += 1
    tail += math.comb(count, rank) * 0.5 ** count
low, high = (differences[max(rank - 1, 0)], differences[count - max(rank, 1)])
print(f"throughput lost: median {differences[count // 2]:+.2f} % ({low:+.2f} to {high:+.2f})")
used = [line.split() for line in open("used")]
print(f"agent: {100 * sum(float(u[0]) for u in used) / (count * float(sys.argv[2])):.2f} % of a processor, {max(int(u[1]) for u in used) / 1024:.0f} MB at most")
END
"$dtprof" agent -q --every 0.3s --for 0.2s --times 30 --budget 100 --spool-limit 10M --store clickhouse://127.0.0.1:1/none --spool full -- -a -F 999 2>/dev/null
echo "spool: $(du -sb full | cut -f1) bytes of 10485760"
