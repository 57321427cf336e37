// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel module that gives a virtual machine the PMUs of a real one:
 *
 *     insmod pmus.ko machine=skylake
 *
 * Its PMUs have the names, formats, events and capabilities of machines.h, and refuse the
 * attributes that the drivers of these machines refuse (Linux 7.2: x86_pmu_hw_config(),
 * intel_pmu_hw_config() and x86_pmu_event_init() in arch/x86/events, amd_pmu_hw_config() and
 * perf_ibs_init() in arch/x86/events/amd, arm_spe_pmu_event_init() in drivers/perf). Samples come
 * from a timer, through perf's core: the instruction that is about to execute is the sampled one,
 * so its registers and the address of its data are exact; where the data came from, and how long
 * that took, follows from its address (machines.h), so two tools see the same machine.
 *
 * An emulator takes interrupts only where a block of instructions begins. So a timer that
 * interrupts a program lets it go on in single steps, a random number of them and then as many as
 * it takes to come to an instruction that the event counts.
 *
 * For Linux 6.1 and later; only in a virtual machine that no one else uses: it looks up functions
 * that modules may not call.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#include <asm/debugreg.h>
#include <asm/insn.h>
#include <asm/irq_regs.h>
#include <asm/perf_event.h>

#include "machines.h"
#include "access.h"

static char *machine = "skylake";
module_param(machine, charp, 0444);
MODULE_PARM_DESC(machine, "the machine to be: a name in machines.h");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("PMUs of real machines, for tests of profilers");

/* A timer that finds no suitable instruction in the kernel looks again after this time. */
#define RETRY_NS 53571

struct registered {
	struct pmu pmu;
	const struct unit *unit;
	struct cpumask cpus;
	struct attribute_group *groups[5];
};

static struct registered registered[UNITS_MAX];

/* ---- functions that modules cannot link to ---- */

static int (*overflow)(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs);
static int (*decode)(struct insn *insn, const void *bytes, int length, enum insn_mode mode);

static void *find_function(const char *name)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	static unsigned long (*lookup)(const char *name);

	if (!lookup && register_kprobe(&probe) == 0) {
		lookup = (void *)probe.addr;
		unregister_kprobe(&probe);
	}
	return lookup ? (void *)lookup(name) : NULL;
}

/* ---- which events a PMU takes ---- */

#define EVENT_MASK     0xffff /* INTEL_ARCH_EVENT_MASK */
#define LOADS_CORE     0x01cd
#define STORES_CORE    0x02cd
#define STORES_HASWELL 0x82d0
#define LOADS_ATOM     0x05d0
#define STORES_ATOM    0x06d0
#define LOADS_AUX      0x8203

static struct registered *of_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct registered, pmu);
}

static const struct unit *unit_of(const struct perf_event *event)
{
	return of_pmu(event->pmu)->unit;
}

static bool has_type(const struct perf_event *event, u64 config)
{
	return event->attr.type == event->pmu->type && (event->attr.config & EVENT_MASK) == config;
}

static bool is_load_event(const struct perf_event *event)
{
	return has_type(event, LOADS_CORE) || has_type(event, LOADS_ATOM);
}

static bool is_store_event(const struct perf_event *event)
{
	return has_type(event, STORES_CORE) || has_type(event, STORES_HASWELL) ||
	       has_type(event, STORES_ATOM);
}

/* Returns whether the group of an event has the auxiliary event that loads need. */
static bool has_loads_aux(struct perf_event *event)
{
	struct perf_event *sibling;

	if (event->group_leader == event)
		return false;
	if (has_type(event->group_leader, LOADS_AUX))
		return true;
	for_each_sibling_event(sibling, event->group_leader)
	{
		if (has_type(sibling, LOADS_AUX))
			return true;
	}
	return false;
}

/* x86_pmu_hw_config() and intel_pmu_hw_config() */
static int refuse_intel(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct unit *unit = unit_of(event);

	if (attr->precise_ip && !is_sampling_event(event))
		return -EINVAL;
	if (attr->sample_regs_user & PERF_REG_EXTENDED_MASK)
		return -EINVAL;
	if (attr->sample_regs_intr & PERF_REG_EXTENDED_MASK &&
	    (!(unit->flags & XMM_REGISTERS) || !attr->precise_ip))
		return -EINVAL;
	if (is_load_event(event) && attr->config1 & ~0xffffULL)
		return -EINVAL;
	if (unit->flags & LOADS_NEED_AUX && attr->sample_type & PERF_SAMPLE_DATA_SRC &&
	    is_load_event(event) && !has_loads_aux(event))
		return -ENODATA;
	return 0;
}

/* amd_pmu_hw_config(): the core hands precise events to IBS, as forward_event_to_ibs() does. */
static int refuse_amd(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (has_branch_stack(event) && unit_of(event)->flags & NO_BRANCHES)
		return -EOPNOTSUPP;
	if (!attr->precise_ip)
		return 0;
	if (attr->precise_ip > 2)
		return -EOPNOTSUPP;
	if (attr->type == PERF_TYPE_HARDWARE ? attr->config == PERF_COUNT_HW_CPU_CYCLES
					     : attr->config == 0x76 || attr->config == 0xc1) {
		attr->config = attr->type == PERF_TYPE_RAW && attr->config == 0xc1 ? 1 << 19 : 0;
		attr->type = registered[1].pmu.type;
	}
	return -ENOENT;
}

static u64 ibs_config_mask(const struct unit *unit)
{
	u64 mask = unit->flags & L3_MISS_ONLY
			   ? (unit->kind == AMD_IBS_OP ? BIT_ULL(16) : BIT_ULL(59))
			   : 0;

	if (unit->kind == AMD_IBS_FETCH)
		return mask | 0xffff | BIT_ULL(57);
	return mask | 0xffff | BIT_ULL(19) | 0x7fULL << 20;
}

/* perf_ibs_init() */
static int refuse_ibs(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	const struct unit *unit = unit_of(event);
	u64 counts = unit->kind == AMD_IBS_OP ? 0xffff | 0x7fULL << 20 : 0xffff;
	u64 least = unit->kind == AMD_IBS_OP ? 0x90 : 0x10, latency = attr->config1 & 0xfff;
	struct perf_event *sibling;

	if (attr->config & ~ibs_config_mask(unit))
		return -EINVAL;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	if (attr->exclude_host || attr->exclude_guest || attr->exclude_idle)
		return -EINVAL;
	if (event->group_leader != event && event->group_leader->pmu == event->pmu)
		return -EINVAL;
	for_each_sibling_event(sibling, event->group_leader)
	{
		if (event->group_leader != event && sibling->pmu == event->pmu)
			return -EINVAL;
	}
	if (!(unit->flags & LEVEL_FILTER) && !(attr->config2 & 1) &&
	    (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv))
		return -EINVAL;
	if (event->hw.sample_period) {
		if (attr->config & counts ||
		    (!attr->freq && (attr->sample_period & ~0xfULL) < least))
			return -EINVAL;
	} else {
		attr->sample_period = (attr->config & 0xffff) << 4;
		event->hw.sample_period = attr->sample_period;
		if (attr->freq || attr->sample_period < least)
			return -EINVAL;
	}
	if (unit->flags & LATENCY_FILTER && unit->kind == AMD_IBS_OP && latency &&
	    (latency < 128 || latency > 2048))
		return -EINVAL;
	return 0;
}

#define SPE_PHYSICAL   BIT_ULL(1)
#define SPE_LOADS      BIT_ULL(33)
#define SPE_STORES     BIT_ULL(34)
#define SPE_LATENCY(a) ((a)->config2 & 0xfff)

/* arm_spe_pmu_event_init() */
static int refuse_spe(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->exclude_idle)
		return -EOPNOTSUPP;
	if (attr->freq || !attr->sample_period)
		return -EINVAL;
	return attr->config & SPE_PHYSICAL && !perfmon_capable() ? -EACCES : 0;
}

/* ---- AUX data: records of SPE ---- */

/* An AUX area in one piece. */
struct area {
	u8 *bytes;
	unsigned long size;
};

/* The part of an area that a processor writes into now, and the bytes that it has written there. */
struct trace {
	struct perf_output_handle handle;
	struct area *area; /* NULL: none now */
	unsigned long written;
};

static DEFINE_PER_CPU(struct trace, all_traces);

#define SPE_RECORD 64
/* Records that a reader may have to wait for. */
#define SPE_HELD 32

static void *spe_setup_aux(struct perf_event *event, void **pages, int count, bool snapshot)
{
	struct page **list = kcalloc(count, sizeof(*list), GFP_KERNEL);
	struct area *area = kzalloc(sizeof(*area), GFP_KERNEL);

	for (int i = 0; list && i < count; i++)
		list[i] = virt_to_page(pages[i]);
	if (area && list && count >= 2 && !snapshot) {
		area->size = (unsigned long)count << PAGE_SHIFT;
		area->bytes = vmap(list, count, VM_MAP, PAGE_KERNEL);
	}
	kfree(list);
	if (area && area->bytes)
		return area;
	kfree(area);
	return NULL;
}

static void spe_free_aux(void *data)
{
	struct area *area = data;

	vunmap(area->bytes);
	kfree(area);
}

static bool spe_begin(struct perf_event *event)
{
	struct trace *trace = this_cpu_ptr(&all_traces);

	trace->written = 0;
	trace->area = perf_aux_output_begin(&trace->handle, event);
	return trace->area;
}

static void spe_end(void)
{
	struct trace *trace = this_cpu_ptr(&all_traces);

	if (trace->area)
		perf_aux_output_end(&trace->handle, trace->written);
	trace->area = NULL;
}

static u8 *spe_packet(u8 *at, u8 header, unsigned int size, u64 payload)
{
	*at++ = header;
	memcpy(at, &payload, size);
	return at + size;
}

/* Writes a record into the area. Returns whether there is no room, which the area is marked with.
 */
static bool spe_give(struct perf_event *event, const struct pt_regs *regs,
		     const struct access *access, const struct source *source)
{
	struct trace *trace = this_cpu_ptr(&all_traces);
	u64 state = BIT_ULL(63) | (in_user(regs) ? 0 : BIT_ULL(61)), low = BIT_ULL(56) - 1;
	bool miss = source->latency > 20;
	u8 record[SPE_RECORD] = { 0 }, *at = record;
	unsigned long place;

	if (!trace->area)
		return true;
	at = spe_packet(at, 0xb0, 8, (regs->ip & low) | state);
	at = spe_packet(at, 0x64, 4, task_pid_nr(current));
	at = spe_packet(at, 0x49, 1, access->kind & ACCESS_LOAD ? 0 : 1);
	at = spe_packet(at, 0x62, 4, 0x16 | (miss ? 0x308 : 0));
	at = spe_packet(at, 0x98, 2, source->latency);
	at = spe_packet(at, 0xb2, 8, access->address & low);
	/* only that it is there can be tested */
	if (event->attr.config & SPE_PHYSICAL)
		at = spe_packet(at, 0xb3, 8, (access->address & 0xffffff) | BIT_ULL(63));
	spe_packet(at, 0x71, 8, rdtsc());
	if (trace->written + SPE_RECORD <= trace->handle.size) {
		place = (trace->handle.head + trace->written) & (trace->area->size - 1);
		memcpy(trace->area->bytes + place, record, sizeof(record));
		trace->written += SPE_RECORD;
	}
	if (trace->written < SPE_HELD * SPE_RECORD &&
	    trace->written + SPE_RECORD <= trace->handle.size)
		return false;
	if (trace->written + SPE_RECORD > trace->handle.size)
		perf_aux_output_flag(&trace->handle, PERF_AUX_FLAG_TRUNCATED);
	spe_end();
	return !spe_begin(event);
}

/* ---- samples ---- */

static u64 row_of(u64 address)
{
	return (address >> 6) % SOURCES;
}

/* Returns the access of the next instruction. */
static struct access next_access(const struct pt_regs *regs)
{
	struct access none = { 0 };
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;
	int length = sizeof(bytes);

	if (in_user(regs) ? copy_from_user_nofault(bytes, (const void __user *)regs->ip, length)
			  : copy_from_kernel_nofault(bytes, (const void *)regs->ip, length))
		return none;
	return decode(&insn, bytes, length, INSN_MODE_64) ? none : access_of(&insn, regs);
}

/* Returns whether an event takes the access as a sample. */
static bool takes(const struct perf_event *event, const struct pt_regs *regs,
		  const struct access *access)
{
	const struct perf_event_attr *attr = &event->attr;
	const struct unit *unit = unit_of(event);
	const struct source *source = &unit->sources[row_of(access->address)];
	u64 latency = attr->config1 & (unit->kind == AMD_IBS_OP ? 0xfff : 0xffff);

	if (in_user(regs) ? attr->exclude_user : attr->exclude_kernel)
		return false;
	if (attr->exclude_idle && is_idle_task(current))
		return false;
	if (unit->kind == ARM_SPE) {
		u64 wanted = attr->config & (SPE_LOADS | SPE_STORES);

		if (!access->kind ||
		    (access->kind & ACCESS_LOAD && source->latency < SPE_LATENCY(attr)))
			return false;
		return !wanted || (wanted & SPE_LOADS && access->kind & ACCESS_LOAD) ||
		       (wanted & SPE_STORES && access->kind & ACCESS_STORE);
	}
	if (unit->kind == AMD_IBS_OP && unit->flags & LATENCY_FILTER && latency)
		return access->kind & ACCESS_LOAD && source->latency >= latency;
	if (unit->kind != INTEL_CORE)
		return true;
	if (is_load_event(event))
		return access->kind & ACCESS_LOAD && source->latency >= latency;
	return !is_store_event(event) || access->kind & ACCESS_STORE;
}

/* Adds what a memory event tells of an access. */
static void describe(const struct perf_event *event, const struct access *access,
		     struct perf_sample_data *data)
{
	const struct unit *unit = unit_of(event);
	const struct source *source = &unit->sources[row_of(access->address)];
	bool ibs = unit->kind == AMD_IBS_OP,
	     load = ibs ? access->kind & ACCESS_LOAD : is_load_event(event);
	u64 lock = access->kind & ACCESS_LOCKED ? S(LOCK, LOCKED) : ibs ? S(LOCK, NA) : 0;

	data->data_src.val = PERF_MEM_NA;
	data->sample_flags |= PERF_SAMPLE_DATA_SRC;
	if (!access->kind)
		return;
	data->addr = access->address;
	data->sample_flags |= PERF_SAMPLE_ADDR;
	data->data_src.val = (load ? source->load : source->store) | lock;
	if (!load || !source->latency)
		return;
	data->weight.full = source->latency;
	if (event->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		data->weight.var2_w = source->latency + 11;
	data->sample_flags |= PERF_SAMPLE_WEIGHT_TYPE;
}

/* Gives perf's core the sample of an event before the instruction with this access. Returns whether
 * it throttles the event. */
static bool give_sample(struct perf_event *event, const struct pt_regs *regs,
			const struct access *access)
{
	const struct unit *unit = unit_of(event);
	struct perf_sample_data data;

	if (unit->kind == ARM_SPE)
		return spe_give(event, regs, access, &unit->sources[row_of(access->address)]);
	/* the core finds vector registers behind the others; these are none */
	struct x86_perf_regs all = { .regs = *regs };
	struct pt_regs *copy = &all.regs;

	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (unit->kind == AMD_IBS_OP || is_load_event(event) || is_store_event(event))
		describe(event, access, &data);
	copy->flags &= ~(PERF_EFLAGS_EXACT | X86_EFLAGS_TF);
	if (event->attr.precise_ip || unit->kind == AMD_IBS_OP || unit->kind == AMD_IBS_FETCH)
		copy->flags |= PERF_EFLAGS_EXACT;
	return overflow(event, &data, copy);
}

/* Events of a processor that wait for an instruction while the program runs in single steps. */
#define WAITING_MAX  8
#define RANDOM_STEPS 16
#define STEPS_MAX    300 /* a loop without a suitable instruction gives no sample */

struct waiting {
	struct perf_event *event;
	unsigned int skipped, left;
};

static void unit_stop(struct perf_event *event, int flags);

static DEFINE_PER_CPU(struct waiting[WAITING_MAX], all_waiting);

static bool is_active(const struct perf_event *event)
{
	return !(event->hw.state & PERF_HES_STOPPED) && event->state == PERF_EVENT_STATE_ACTIVE;
}

static void forget_waiting(const struct perf_event *event)
{
	struct waiting *waiting = *this_cpu_ptr(&all_waiting);

	for (size_t i = 0; i < WAITING_MAX; i++)
		if (waiting[i].event == event)
			waiting[i].event = NULL;
}

static void begin_steps(struct perf_event *event, struct pt_regs *regs)
{
	struct waiting *waiting = *this_cpu_ptr(&all_waiting), *free = NULL;

	for (size_t i = 0; i < WAITING_MAX; i++) {
		if (waiting[i].event == event)
			return;
		if (!waiting[i].event)
			free = &waiting[i];
	}
	if (!free)
		return;
	*free = (struct waiting){ event, get_random_u32() % RANDOM_STEPS, STEPS_MAX };
	regs->flags |= X86_EFLAGS_TF;
}

/* The notifier of exceptions: a step of a program that no debugger traces. */
static int after_step(struct notifier_block *block, unsigned long reason, void *data)
{
	struct die_args *args = data;
	unsigned long *debug_status = reason == DIE_DEBUG ? (unsigned long *)args->err : NULL;
	struct waiting *waiting = *this_cpu_ptr(&all_waiting);
	struct access access;
	bool more = false;

	if (!debug_status || !(*debug_status & DR_STEP) || !in_user(args->regs) ||
	    test_thread_flag(TIF_SINGLESTEP))
		return NOTIFY_DONE;
	access = next_access(args->regs);
	for (size_t i = 0; i < WAITING_MAX; i++) {
		struct perf_event *event = waiting[i].event;

		if (!event)
			continue;
		if (!is_active(event) || !waiting[i].left--) {
			waiting[i].event = NULL;
		} else if (waiting[i].skipped) {
			waiting[i].skipped--;
		} else if (takes(event, args->regs, &access)) {
			waiting[i].event = NULL;
			if (give_sample(event, args->regs, &access))
				unit_stop(event, 0);
		}
		more |= waiting[i].event != NULL;
	}
	if (!more)
		args->regs->flags &= ~X86_EFLAGS_TF;
	*debug_status &= ~DR_STEP;
	return *debug_status ? NOTIFY_DONE : NOTIFY_STOP;
}

static struct notifier_block step_notifier = { .notifier_call = after_step };

static enum hrtimer_restart take_sample(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);
	struct pt_regs *regs = get_irq_regs();
	u64 next = event->hw.sample_period;
	struct access access;

	if (!is_active(event))
		return HRTIMER_NORESTART;
	if (regs && in_user(regs)) {
		begin_steps(event, regs);
	} else if (regs) {
		access = next_access(regs);
		if (!takes(event, regs, &access))
			next = min_t(u64, next, RETRY_NS);
		else if (give_sample(event, regs, &access))
			return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(next));
	return HRTIMER_RESTART;
}

/* ---- counting: an event counts nanoseconds ---- */

static void unit_read(struct perf_event *event)
{
	u64 now = local_clock();
	s64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
}

static void unit_start(struct perf_event *event, int flags)
{
	if (unit_of(event)->kind == ARM_SPE && !spe_begin(event)) {
		event->hw.state |= PERF_HES_STOPPED;
		return;
	}
	event->hw.state = 0;
	local64_set(&event->hw.prev_count, local_clock());
	if (is_sampling_event(event))
		hrtimer_start(&event->hw.hrtimer, ns_to_ktime(event->hw.sample_period),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

static void unit_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	event->hw.state |= PERF_HES_STOPPED;
	forget_waiting(event);
	if (unit_of(event)->kind == ARM_SPE)
		spe_end();
	/* the timer itself stops an event that is throttled */
	if (is_sampling_event(event))
		hrtimer_try_to_cancel(&event->hw.hrtimer);
	unit_read(event);
	event->hw.state |= PERF_HES_UPTODATE;
}

static int unit_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_UPTODATE | PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		unit_start(event, flags);
	perf_event_update_userpage(event);
	return 0;
}

static void unit_del(struct perf_event *event, int flags)
{
	unit_stop(event, PERF_EF_UPDATE);
	perf_event_update_userpage(event);
}

static void unit_destroy(struct perf_event *event)
{
	if (is_sampling_event(event))
		hrtimer_cancel(&event->hw.hrtimer);
}

static int unit_event_init(struct perf_event *event)
{
	struct registered *mine = of_pmu(event->pmu);
	bool core = mine->unit->kind == INTEL_CORE || mine->unit->kind == AMD_CORE;
	int status;

	if (event->attr.type != event->pmu->type &&
	    (!core ||
	     (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_HW_CACHE)))
		return -ENOENT;
	/* validate_group(): events of two kinds of cores cannot count together */
	if (mine->unit->cpus && event->group_leader->pmu != event->pmu &&
	    event->group_leader->pmu->event_init == unit_event_init)
		return -EINVAL;
	if (mine->unit->cpus && event->cpu != -1 && !cpumask_test_cpu(event->cpu, &mine->cpus))
		return -ENOENT;
	status = mine->unit->kind == INTEL_CORE ? refuse_intel(event)
		 : mine->unit->kind == AMD_CORE ? refuse_amd(event)
		 : mine->unit->kind == ARM_SPE  ? refuse_spe(event)
						: refuse_ibs(event);
	if (status)
		return status;
	if (!is_sampling_event(event))
		return 0;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(&event->hw.hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	event->hw.hrtimer.function = take_sample;
#else
	hrtimer_setup(&event->hw.hrtimer, take_sample, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
#endif
	/* Frequencies are kept here, as perf's own clocks do. */
	if (event->attr.freq) {
		event->attr.sample_period = NSEC_PER_SEC / max_t(u64, event->attr.sample_freq, 1);
		event->attr.freq = 0;
	}
	event->hw.sample_period = max_t(u64, event->attr.sample_period, 20 * NSEC_PER_USEC);
	/* SPE counts instructions, of which there are fewer here */
	if (mine->unit->kind == ARM_SPE)
		event->hw.sample_period = event->attr.sample_period * 64;
	event->hw.last_period = event->hw.sample_period;
	local64_set(&event->hw.period_left, event->hw.sample_period);
	event->destroy = unit_destroy;
	return 0;
}

/* Events of a kind of core count on its processors alone. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static int unit_filter(struct perf_event *event)
{
	return cpumask_test_cpu(smp_processor_id(), &of_pmu(event->pmu)->cpus);
}
#else
static bool unit_filter(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &of_pmu(pmu)->cpus);
}
#endif

/* ---- files in sysfs ---- */

struct unit_file {
	struct device_attribute attribute;
	const char *text;
};

static ssize_t file_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%s\n",
			  container_of(attribute, struct unit_file, attribute)->text);
}

/* Adds a file to a group, which has room for it. */
static int add_file(struct attribute_group *group, const char *name, const char *text)
{
	struct unit_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	size_t count = 0;

	if (!file || !name)
		return -ENOMEM;
	sysfs_attr_init(&file->attribute.attr);
	file->attribute.attr.name = name;
	file->attribute.attr.mode = 0444;
	file->attribute.show = file_show;
	file->text = text;
	while (group->attrs[count])
		count++;
	group->attrs[count] = &file->attribute.attr;
	return 0;
}

#define FILES_MAX 64

/* Returns the group of files in a folder, made on first use. */
static struct attribute_group *find_group(struct registered *mine, const char *folder)
{
	for (size_t i = 0; i < ARRAY_SIZE(mine->groups) - 1; i++) {
		if (!mine->groups[i]) {
			mine->groups[i] = kzalloc(sizeof(*mine->groups[i]), GFP_KERNEL);
			if (!mine->groups[i])
				return NULL;
			mine->groups[i]->name = folder;
			mine->groups[i]->attrs =
				kcalloc(FILES_MAX + 1, sizeof(*mine->groups[i]->attrs), GFP_KERNEL);
		}
		if (!mine->groups[i]->name ? !folder
					   : folder && !strcmp(mine->groups[i]->name, folder))
			return mine->groups[i]->attrs ? mine->groups[i] : NULL;
	}
	return NULL;
}

/* Adds "folder/name=text". The memory stays: the module is never unloaded. */
static int add_line(struct registered *mine, const char *line)
{
	const char *slash = strchr(line, '/'), *equal = strchr(line, '=');
	char *folder = kstrndup(line, slash - line, GFP_KERNEL);
	struct attribute_group *group = folder ? find_group(mine, folder) : NULL;

	if (!group)
		return -ENOMEM;
	return add_file(group, kstrndup(slash + 1, equal - slash - 1, GFP_KERNEL), equal + 1);
}

static int add_files(struct registered *mine)
{
	int status = 0;

	for (size_t i = 0; i < SETS_MAX; i++)
		for (size_t j = 0; mine->unit->sets[i] && mine->unit->sets[i][j] && !status; j++)
			status = add_line(mine, mine->unit->sets[i][j]);
	if (!status && mine->unit->cpus) {
		struct attribute_group *group = find_group(mine, NULL);

		status = group ? add_file(group, mine->unit->kind == ARM_SPE ? "cpumask" : "cpus",
					  mine->unit->cpus)
			       : -ENOMEM;
	}
	return status;
}

/* ---- the module ---- */

static int register_unit(struct registered *mine, const struct unit *unit, bool first)
{
	bool core = unit->kind == INTEL_CORE || unit->kind == AMD_CORE;
	int status;

	mine->unit = unit;
	status = unit->cpus ? cpulist_parse(unit->cpus, &mine->cpus)
			    : (cpumask_copy(&mine->cpus, cpu_possible_mask), 0);
	if (!status)
		status = add_files(mine);
	if (status)
		return status;
	mine->pmu = (struct pmu){
		.task_ctx_nr = perf_hw_context,
		.capabilities = core ? PERF_PMU_CAP_EXTENDED_HW_TYPE : 0,
		.event_init = unit_event_init,
		.add = unit_add,
		.del = unit_del,
		.start = unit_start,
		.stop = unit_stop,
		.read = unit_read,
		.attr_groups = (const struct attribute_group **)mine->groups,
	};
	if (unit->flags & XMM_REGISTERS)
		mine->pmu.capabilities |= PERF_PMU_CAP_EXTENDED_REGS;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	/* lets several PMUs count for tasks, as IBS does beside the core since 6.2 */
	mine->pmu.capabilities |= PERF_PMU_CAP_HETEROGENEOUS_CPUS;
	mine->pmu.filter_match = unit_filter;
#else
	mine->pmu.filter = unit_filter;
#endif
	if (unit->kind == ARM_SPE) {
		mine->pmu.task_ctx_nr = perf_sw_context;
		mine->pmu.capabilities |= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE;
		mine->pmu.setup_aux = spe_setup_aux;
		mine->pmu.free_aux = spe_free_aux;
	}
	/* The first PMU of cores takes PERF_TYPE_HARDWARE, too. */
	return perf_pmu_register(&mine->pmu, unit->name, first ? PERF_TYPE_RAW : -1);
}

/* Lets perf's calls in the scheduler stay once they are patched in: the emulator's processors may
 * see a breakpoint of such a patch after the kernel is done with it, and stop at it. */
static int keep_patched(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY,
					.disabled = 1 };

	return PTR_ERR_OR_ZERO(perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL));
}

static int __init pmus_init(void)
{
	const struct machine *chosen = NULL;

	overflow = find_function("perf_event_overflow");
	decode = find_function("insn_decode");
	if (!overflow || !decode)
		return -ENOSYS;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (!strcmp(machines[i].name, machine))
			chosen = &machines[i];
	if (!chosen)
		return -EINVAL;
	for (size_t i = 0; i < UNITS_MAX && chosen->units[i].name; i++) {
		int status = register_unit(&registered[i], &chosen->units[i], i == 0);

		if (status) {
			pr_err("pmus: cannot register %s: %d\n", chosen->units[i].name, status);
			return status;
		}
	}
	if (register_die_notifier(&step_notifier))
		return -ENOMEM;
	pr_info("pmus: this is %s\n", chosen->name);
	return keep_patched();
}

/* Without a function for the end, a module is never unloaded. */
module_init(pmus_init);
