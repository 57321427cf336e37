// SPDX-License-Identifier: GPL-2.0-or-later
/* A BPF program with a map of each kind that the kernel looks up inline, variables, a context and a
 * function of its own. Each lookup's value has a struct of its own, so that no answer can be right
 * by chance. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct key {
	__u32 address, port;
};
struct flow {
	__u64 bytes, packets;
	__u32 state, unused;
};
struct peer {
	__u64 seen[2], last;
};
struct cell {
	__u64 hits, misses;
};
struct load {
	__u64 busy, idle;
};
struct choice {
	__u64 first, second;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct key);
	__type(value, struct flow);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 64);
	__type(key, struct key);
	__type(value, struct peer);
} peers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct cell);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct load);
} loads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct key);
	__type(value, struct choice);
} odd SEC(".maps"), even SEC(".maps");

struct setting {
	__u32 on, limit;
} settings[16];

static __attribute__((noinline)) int count_cell(struct cell *cell, __u32 by)
{
	if (!cell)
		return 0;
	cell->misses += by;
	return cell->hits != 0;
}

SEC("tc")
int count(struct __sk_buff *skb)
{
	struct key key = { .address = skb->len, .port = 80 };
	int result = 0;

	for (int round = 0; round < 16; round++) {
		__u32 index = (skb->mark + round) & 63;
		struct flow *flow = bpf_map_lookup_elem(&flows, &key);
		struct peer *peer = bpf_map_lookup_elem(&peers, &key);
		struct cell *cell = bpf_map_lookup_elem(&cells, &index);
		__u32 *number = bpf_map_lookup_elem(&counts, &index);
		struct load *load = bpf_map_lookup_elem(&loads, &index);
		struct choice *choice =
			bpf_map_lookup_elem(index & 1 ? (void *)&odd : (void *)&even, &key);

		if (!flow || !peer) {
			struct flow first_flow = { .state = 1 };
			struct peer first_peer = { .last = 1 };

			bpf_map_update_elem(&flows, &key, &first_flow, BPF_ANY);
			bpf_map_update_elem(&peers, &key, &first_peer, BPF_ANY);
			return 0;
		}
		flow->packets++;
		flow->state = 2;
		peer->seen[1] += flow->bytes;
		if (choice)
			choice->second++;
		if (number)
			*number += 1;
		if (load)
			load->idle++;
		settings[index & 15].limit++;
		result += count_cell(cell, index);
	}
	return result;
}

char _license[] SEC("license") = "GPL";
