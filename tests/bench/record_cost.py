#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a recorder takes from a load that waits often: processor time for each 100,000 events, of the recorder and of what the kernel
does for it in the load.

    tests/bench/record_cost.py DTPROF PERF [ROUNDS]

Two threads hand a futex to and fro, with a fixed number of waits, so that the load's own time without a recorder is known. The
event is context-switches, which every kernel has, with the settings of `lock record` of each: where a kernel has the events of
contention, their samples differ from these by 24 bytes of raw data in both. Processor time, not time on the clock: other load on
the machine changes it little. All commands alternate; the figures are medians.
"""
import os, re, resource, statistics, subprocess, sys, tempfile

LOAD = r"""
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int turn;
static long rounds;
static void *hand(void *self)
{
	int me = (int)(long)self;
	for (long i = 0; i < rounds; i++) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 1 - me, NULL, NULL, 0);
		__atomic_store_n(&turn, 1 - me, __ATOMIC_RELEASE);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return NULL;
}
int main(int count, char **arguments)
{
	pthread_t thread;
	rounds = count > 1 ? atol(arguments[1]) : 1;
	pthread_create(&thread, NULL, hand, (void *)1);
	hand((void *)0);
	return pthread_join(thread, NULL);
}
"""
WAITS = 150000


def took(command):
    """Returns the processor time of a command and its children in seconds, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout + done.stderr


def main():
    dtprof, perf, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        load, data = folder + "/load", folder + "/perf.data"
        subprocess.run(["gcc", "-O2", "-pthread", "-xc", "-", "-o", load], input=LOAD, text=True, check=True)
        run = ["taskset", "-c", "0", load, str(WAITS)]
        recorders = {
            "dtprof": [dtprof, "lock", "record", "-q", "-N", "-m", "1024", "-e", "context-switches", "-o", data, "--"],
            "perf": [perf, "record", "-q", "-R", "-m", "1024", "-c", "1", "--synth", "task", "-e", "context-switches",
                     "--call-graph", "fp", "-o", data, "--"],
        }
        costs, alone, counts = {name: [] for name in recorders}, [], {}
        for _ in range(rounds):
            alone.append(took(run)[0])
            for name, command in recorders.items():
                fixed = took(command + ["true"])[0]  # what a recording takes that has nothing to record
                whole = took(command + run)[0]
                text = took([dtprof, "report", "--stdio", "-q", "-s", "comm", "-F", "sample", "-i", data])[1]
                events = sum(int(count) for count in re.findall(r"^ *(\d+) ", text, re.M))
                counts[name] = events
                costs[name].append((whole - fixed - alone[-1]) / events * 1e5)
        for name, values in costs.items():
            print(f"{name}: {statistics.median(values):.3f} s for 100,000 events ({', '.join('%.3f' % value for value in values)};"
                  f" {counts[name]} events)")
        print(f"load alone: {statistics.median(alone):.3f} s for {2 * WAITS} waits")
        print(f"ratio: {statistics.median(costs['dtprof']) / statistics.median(costs['perf']):.2f}")


main()
