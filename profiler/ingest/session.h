/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf.data file, from bytes to counted samples.
 *
 * session_open() maps the file (or spools a pipe), reads header, events and features, and takes all
 * records that change the state of processes (mmap, comm, fork, exit ...) into a timeline, in the
 * order of time.
 *
 * session_count() goes through the samples in the order of the file, places each in (DSO, file
 * address) by the timeline at the sample's own time, and counts it by the requested fields.
 *
 * So samples are neither sorted nor queued, and memory does not grow with their number.
 */
#pragma once

#include <linux/perf_event.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/sample_fields.h"
#include "profiler/ingest/itrace.h"
#include "profiler/ingest/tracepoint.h"
#include "profiler/objects/dso.h"

struct session;

/*
 * How the address of an instruction's data is computed from the registers before it.
 *
 * A sample of a timer or of a counter's interrupt has the registers of an instruction that has not
 * run yet, so its operand is exact; so is that of an earlier instruction if its registers have not
 * changed since. The caller of session_open() decodes instructions and provides the finder.
 */
#define DATA_OPERAND_NO_REGISTER 0xff
#define DATA_KEPT_MAX            2 /* registers of a sample that are kept for other accesses */

struct data_operand {
	/* there is a memory operand, and no part of it is a segment base or a vector */
	bool known;
	bool relative; /* the displacement is a file address, which moves with the object */
	uint8_t base;  /* number in <asm/perf_regs.h>, or DATA_OPERAND_NO_REGISTER */
	uint8_t index;
	uint8_t scale;
	uint8_t repeat; /* number of the register with the count of a repeated string instruction */
	uint8_t size;   /* bytes of one element of the string; 0: not a string instruction */
	int64_t displacement;
	int64_t index_change; /* the part of it that undoes later changes of the index */
	uint64_t insn;        /* file address of the sampled instruction */
	/* The last iteration's access; the segment and other registers are as above: */
	bool ends;         /* it is known */
	bool limits_index; /* `limit` is for the index, else for the base */
	/* number of the register with the last value, or DATA_OPERAND_NO_REGISTER if that is 0 */
	uint8_t limit;
	int64_t last_displacement;
	/* Registers whose values are kept, also of unknown operands; DATA_OPERAND_NO_REGISTER */
	uint8_t kept[DATA_KEPT_MAX];
	/* COUNT_ELEMENT: samples tell elements in objects of this size; 0: of any size */
	bool tells_element;
	uint64_t element_modulus;
	/* The object's file addresses in memory, from its first segment to the end of its last. Set
	 * even if the operand is not known; empty: not known. */
	uint64_t start;
	uint64_t end;
};

/* Finds the operand of an instruction. Called once for each instruction and thread, by several
 * threads at the same time. The image of the object is open. */
struct data_operand_finder {
	/* `store` chooses between two operands, as for types. `late`: the sample was taken by an
	 * interrupt, and belongs to the access that was waited for. */
	void (*find)(void *data, struct dso *dso, uint64_t insn, bool store, bool late,
		     struct data_operand *operand);
	void *data;
};

struct session_options {
	bool force;           /* -f: read files that belong to other users */
	unsigned int threads; /* 0: parallel_default_threads() */
	/* Called for each warning about the file, with one line. May be NULL. */
	void (*warn)(void *data, const char *message);
	void *warn_data;
	/* The places of object files. Its strings must outlive the session. */
	struct dso_options dso;
	/* Samples of the events of waits for locks, and of context switches, stand for the time
	 * that the thread waited. */
	bool lock_time;
	/* The samples that traces of processors become. */
	struct itrace_options itrace;
	/* For data addresses that were not recorded; without a finder they are not computed. */
	struct data_operand_finder operands;
};

/* An event of the file (perf's evsel). */
struct event {
	uint32_t index;
	const char *name; /* as recorded, or made from the attr as perf would name it */
	struct perf_event_attr attr;
	const uint64_t *ids;
	size_t id_count;
	uint32_t group_leader; /* index of its group's first event; its own without a group */
	/* With a tracepoint that the file describes: */
	const struct tracepoint_field *fields;
	size_t field_count;
	bool is_described;      /* the file has its description */
	const char *group_name; /* of the group's first event; NULL: none */
	/* its samples are of threads that go to sleep, with the time until they go on as period */
	bool off_cpu;
	uint64_t samples; /* after session_count() */
	uint64_t period;  /* sum, after session_count() */
};

struct session_totals {
	uint64_t lost_events;  /* sum of PERF_RECORD_LOST */
	uint64_t lost_samples; /* sum of PERF_RECORD_LOST_SAMPLES */
	uint64_t samples;
	/* PERF_RECORD_COMPRESSED and COMPRESSED2 */
	uint64_t compressed[2];
	uint64_t aux_records; /* PERF_RECORD_AUXTRACE: hardware traces */
	uint64_t aux_bytes;
	uint64_t unknown_samples; /* of undeclared events; after session_count() */
	uint64_t bad_samples;     /* shorter than their fields; after session_count() */
	bool incomplete; /* the file is truncated, or a broken record hides those after it */
	const char *incomplete_why; /* the warning that said so first; NULL: none was given */
};

/* Opens a file, a folder of `perf record --threads`, or standard input ("-"). `options` may be
 * NULL. The caller closes *result with session_close(). */
struct error *session_open(const char *path, const struct session_options *options,
			   struct session **result);
/* Frees everything that belongs to the session. `session` may be NULL. */
void session_close(struct session *session);

/* Returns the recording's bytes, unpacked, and when it was *modified (ns since 1970). */
const void *session_recording(const struct session *session, size_t *size, int64_t *modified);
/* Returns the events, by index. They belong to the session. */
const struct event *session_events(const struct session *session, size_t *count);
/* True if the last argument, an expression that uses the variable `event`, is true for one of them.
 */
#define session_any_event(session, event, ...)                                                     \
	({                                                                                         \
		size_t events_;                                                                    \
		const struct event *event = session_events((session), &events_);                   \
		while (events_ && !(__VA_ARGS__))                                                  \
			event++, events_--;                                                        \
		events_ > 0;                                                                       \
	})
/* Returns the totals, which belong to the session. */
const struct session_totals *session_totals(const struct session *session);
/* Returns the size of a cacheline of the recorded machine in bytes; 0: the file does not say. */
uint64_t session_cacheline(const struct session *session);
/* Returns the size of the first cache for data of this level (1, 2, 3); 0: not in the file. */
uint64_t session_cache_size(const struct session *session, uint32_t level);
/* Returns what memory costs on the recorded machine, or NULL. The session's text. */
const char *session_memory_costs(const struct session *session);

/* The time of day at one time of the clock that the samples have (dtprof record -k), in ns. */
struct session_clock {
	uint64_t wall, reference;
};
/* False: the recording does not tell it. */
bool session_clock(const struct session *session, struct session_clock *clock);
/* Returns whether the recording is of this machine, with the kernel that it runs now. */
bool session_is_here(const struct session *session);
/* Returns how many processors the recorded machine could have; 0: the file does not say. */
uint32_t session_processors(const struct session *session);
/* Returns all DSOs that have appeared so far, indexed by id. */
struct dso *const *session_dsos(const struct session *session, size_t *count);
/* Returns the name of a comm id, or "" for an unknown one. */
const char *session_comm(const struct session *session, uint32_t comm);

#define SESSION_RECORD_TYPES 96 /* the numbers of all known types of records are below this */
/* Counts the records by type. Records of unknown types count as type 0. */
void session_count_records(const struct session *session, uint64_t counts[SESSION_RECORD_TYPES]);
/* A switch of a processor to a thread, or away from it (PERF_RECORD_SWITCH, _CPU_WIDE), or the end
 * of a thread (PERF_RECORD_EXIT), after which it is switched away once more. */
struct session_switch {
	uint64_t time;
	int32_t tid;
	int32_t cpu; /* -1: not recorded */
	bool out;
	bool preempted; /* out: it could have gone on */
	bool ended;     /* the thread ended; `cpu` is not known */
};

/* Calls `visit` for each switch with thread and time, and end of a thread, in file order. */
void session_each_switch(const struct session *session,
			 void (*visit)(const struct session_switch *item, void *data), void *data);
/* Returns perf's name of a record type ("MMAP2", "FINISHED_ROUND"), or NULL if it is unknown. */
const char *session_record_name(uint32_t type);

struct sample;

/* Returns whether the address space of one process has maps of both DSOs. */
bool session_maps_together(const struct session *session, const struct dso *a, const struct dso *b);

/* Returns how many bytes of memory a process had from the map with the address `first` to the map
 * with `last`, both included, as far as maps were recorded. Memory that was given back counts,
 * because perf records no unmaps. 0: it is not known what is at either address. */
uint64_t session_mapped_bytes(const struct session *session, int32_t pid, uint64_t first,
			      uint64_t last);

/* Returns the recorded architecture: the default if not given, NULL: unsupported. */
const struct arch *session_arch(const struct session *session);
/* Returns whether the recording is of a 64-bit Arm. */
bool session_is_aarch64(const struct session *session);
/* Return the path of a control group, or NULL if it was not recorded, and the image of its
 * container, or NULL if it is not known. */
const char *session_cgroup_name(const struct session *session, uint64_t cgroup);
const char *session_cgroup_image(const struct session *session, uint64_t cgroup);
/* Returns the last name of a thread, or NULL if it had none. A process is its first thread. */
const char *session_last_name(const struct session *session, int32_t tid);

/* The numbers of the bits in enum count_field that stand for rows of COUNTED_FIELDS. */
enum {
	COUNT_BIT_FIRST = 13, /* COUNT_ELEMENT, the last bit without a row */
#define COUNT_BIT(NAME, type, member) COUNT_BIT_##NAME,
	COUNTED_FIELDS(COUNT_BIT, COUNT_BIT, COUNT_BIT)
#undef COUNT_BIT
		COUNT_BITS
};
_Static_assert(COUNT_BITS <= 64, "sets of enum count_field are uint64_t");

/* The fields by which samples are counted. COUNT_ and the NAME of a row: see sample_fields.h. */
enum count_field {
	COUNT_PLACE = 1 << 0, /* DSO, file address, level */
	COUNT_DSO = 1 << 1,   /* only DSO and level; cheaper, and implied by COUNT_PLACE */
	COUNT_COMM = 1 << 2,
	COUNT_PID = 1 << 3,
	COUNT_TID = 1 << 4,
	COUNT_CPU = 1 << 5,
	COUNT_WEIGHT = 1 << 6,
	COUNT_DATA_SOURCE = 1 << 7,
	COUNT_DATA_ADDRESS = 1 << 8, /* recorded or computed, and which DSO it is in */
	/* Whether the data source says store, for instructions with two accesses. */
	COUNT_STORE = 1 << 9,
	/* The facts that can contradict a type: data_known, data_stack, check_... */
	COUNT_DATA_CHECK = 1 << 11,
	COUNT_DATA_RANGE = 1 << 12, /* data_begin, data_end, data_last, data_kept */
	/* The facts that tell elements of arrays apart: element_... */
	COUNT_ELEMENT = 1 << COUNT_BIT_FIRST,
#define COUNT_FIELD(NAME, type, member) COUNT_##NAME = 1ULL << COUNT_BIT_##NAME,
	COUNTED_FIELDS(COUNT_FIELD, COUNT_FIELD, COUNT_FIELD)
#undef COUNT_FIELD
};

/* Whether a data address is in the stack of the sampled thread, by its stack pointer. */
enum data_stack { DATA_STACK_UNKNOWN, DATA_STACK_ON, DATA_STACK_OFF };

/* Set of what a sample tells about the element of an array that it accessed. */
enum element_known {
	ELEMENT_INDEX = 1,   /* element_index */
	ELEMENT_ADDRESS = 2, /* element_address */
};

/* The samples that agree in all fields they are counted by. Other members are 0 or NULL. */
struct counted {
	uint32_t event;
	char level; /* 'k' kernel, '.' user, 'g' guest kernel, 'u' guest user, 'H' hypervisor */
	bool store;
	bool after;      /* COUNT_PLACE: an instruction before `address` made the access */
	bool exact;      /* COUNT_PLACE: that is the exact address of the instruction */
	bool coarse;     /* count_options.details: its details are left out */
	bool data_known; /* there is a data address */
	bool data_computed;
	bool data_shared;     /* COUNT_DATA_ADDRESS: in anonymous memory that processes may share */
	uint8_t data_stack;   /* enum data_stack */
	bool check_in_object; /* COUNT_DATA_CHECK: the data is in `dso`, at check_address */
	uint8_t element_known; /* set of enum element_known */
	uint32_t comm;
	int32_t pid, tid, cpu;
	struct dso *dso;  /* NULL: the address is in no map */
	uint64_t address; /* file address in the DSO, or the sampled address if there is none */
	uint64_t weight;
	uint64_t data_source;
	uint64_t data_address;
	struct dso *data_dso; /* COUNT_DATA_ADDRESS; NULL: in no map */
	uint64_t data_file_address;
	/*
	 * COUNT_DATA_RANGE: bounds of the memory around a computed data address, by the registers:
	 * the start of its array (the address with index 0), the end of the memory that an upward
	 * string instruction will access, and the address of the same access when the loop around
	 * it ends. 0: not known.
	 */
	uint64_t data_begin, data_end, data_last;
	/* COUNT_DATA_RANGE: the values of the registers data_operand.kept; 0: not known */
	uint64_t data_kept[DATA_KEPT_MAX];
	uint64_t check_address; /* COUNT_DATA_CHECK: a file address */
	/* COUNT_ELEMENT: the bytes that the index register adds to the operand's address, and the
	 * file address of data in the instruction's own object. They have fewer values than data
	 * addresses have. */
	uint64_t element_index, element_address;
#define COUNTED(NAME, type, member) type member;
	COUNTED_FIELDS(COUNTED, COUNTED, COUNTED)
#undef COUNTED
	/* COUNT_TRACE_TEXT: equal texts are one pointer. NULL: none. */
	const char *trace_text;
	uint64_t samples;
	uint64_t period;       /* sum */
	uint64_t weight_total; /* sum of the weights */
	uint64_t weight_max;   /* COUNT_WEIGHT: the largest one, also without details */
};

/* The instruction that the address of a frame stands for. */
enum frame_address {
	FRAME_EXACT,      /* the one there: it was interrupted, or it is the call itself */
	FRAME_RETURNS,    /* the call before it, unless the code shows that no call ends there */
	FRAME_MAY_RETURN, /* the call before it only if the code shows that a call ends there */
};

/* A frame of a call chain, which is the number of its innermost frame: equal if equal. */
struct counted_frame {
	uint32_t caller;  /* number of the calling frame, smaller than this one's; 0: not known */
	char level;       /* as in struct counted */
	uint8_t stands;   /* enum frame_address */
	struct dso *dso;  /* NULL: the address is in no map */
	uint64_t address; /* file address in the DSO, or the ip if there is none */
	uint64_t offset;  /* in the DSO's file, or the ip if there is none */
	uint64_t ip;      /* as recorded */
};

struct sample_counts {
	struct counted *entries; /* sorted by their fields */
	size_t count, capacity;
	/* With COUNT_CHAIN: by number, from 1 on. */
	struct counted_frame *frames;
	size_t frame_count;              /* the highest number + 1, or 0 */
	struct string_pool record_texts; /* with COUNT_TRACE_TEXT */
};

/* A range of times, both inclusive, in ns. */
struct time_range {
	uint64_t first, last;
};

struct counting_sample {
	const struct sample *sample;
	bool swap; /* its raw data is in the other byte order */
	uint32_t event;
	uint32_t comm;  /* session_comm() */
	uint32_t chain; /* number of its innermost frame; 0: none */
};

struct count_options {
	uint64_t fields;                 /* set of enum count_field */
	uint64_t time_quantum;           /* ns; COUNT_TIME rounds down to its multiples; 0: exact */
	const struct time_range *ranges; /* only samples in one of these count; NULL: all */
	size_t range_count;
	/* About how many samples have details: time, data address, the memory around it and weight,
	 * by which nearly every sample would be an entry. They are those of whole pieces of the
	 * recording, spread over all of it, so that samples which follow each other stay together.
	 * All else is counted for the others, too. 0: all have them. */
	uint64_t details;
	/* Only what places, frames and types depend on is counted, so that there are few entries
	 * however many samples there are: the other fields are left out. For slices.h. */
	bool outline;
	unsigned int chain_limit;      /* of frames from a copy of the stack; 0: COUNT_CHAIN_MAX */
	const struct number_set *cpus; /* only samples of these count; NULL: all */
	const int32_t *pids;           /* only samples of these processes count; NULL: all */
	size_t pid_count;
	uint32_t uncounted; /* samples of this event, + 1, are for `each` alone; 0: none */
	bool kernel_only;   /* chains end where the kernel was entered */
	/* With COUNT_CHAIN, or NULL: called with each sample that is chosen, in the order of the
	 * file. The bytes that the sample points to last as long as the session. */
	void (*each)(void *data, const struct counting_sample *counting);
	void *each_data;
};

#define COUNT_CHAIN_MAX 127 /* as perf */

/* The word `caller` of a counted entry: where the sampled function returns to if it has not pushed
 * anything. It is believed only if a call of the function is there. 0: not known. */
#define CALLER_DSO_SHIFT   50
#define CALLER_IS_CALL     (UINT64_C(1) << 49) /* it is the call itself, not where it returns to */
#define CALLER_DOUBTFUL    (UINT64_C(1) << 48) /* it may be the caller of the caller */
#define CALLER_OFFSET_MASK (CALLER_DOUBTFUL - 1)
/* The offset in the file, or a kernel's address, whose upper bits are all set. */
#define CALLER_OFFSET(caller) ((uint64_t)((int64_t)((uint64_t)(caller) << 16) >> 16))
#define CALLER_DSO_MAX        (UINT64_MAX >> CALLER_DSO_SHIFT) /* highest id + 1 */

/* Returns the DSO of a caller, and sets *address to the file address of its return address or, with
 * CALLER_IS_CALL, of its call. NULL: there is none. */
struct dso *session_caller(struct session *session, uint64_t caller, uint64_t *address);

/* Returns whether the options select a sample of this time, processor and process. */
bool count_is_wanted(const struct count_options *options, uint64_t time, int32_t cpu, int32_t pid);
/* Counts the samples of a session. The caller frees *result with sample_counts_destroy(). */
struct error *session_count_by(struct session *session, const struct count_options *options,
			       struct sample_counts **result);
/* Counts samples as session_count_by() does, by `fields`, a set of enum count_field. */
struct error *session_count(struct session *session, uint64_t fields,
			    struct sample_counts **result);
void sample_counts_destroy(struct sample_counts *counts);
/* Returns the indexes of the entries in the order of their times. The caller frees them. */
uint32_t *sample_counts_by_time(const struct sample_counts *counts);

/* Returns whether the event's samples are late: taken by an interrupt after the instruction that
 * was waited for, like those of a timer or of an imprecise counter. Page faults are taken at the
 * access itself. */
bool event_is_late(const struct event *event);
/* Returns whether data addresses of the event's samples are checked against types, if types are
 * asked for. Samples without registers are not, so that counting millions of them stays fast. */
bool event_checks_data(const struct event *event);
/* Returns whether samples of the event have data addresses, or registers to compute them from. */
bool event_has_data(const struct event *event);
/* Returns whether the event is one of the kernel's timers, whose periods are nanoseconds. */
bool event_is_timer(const struct event *event);
/* Returns whether some event of the recording is of blocked time (off_cpu). */
bool session_has_blocked_time(const struct session *session);
bool session_has_chains(const struct session *session);
/* Returns whether samples of some event tell callers: chains, stacks or branches. */
bool session_has_callers(const struct session *session);
/* Sets *range to the times of the first and the last sample. Returns false if samples have no
 * times. The first call walks all samples; later ones know. */
bool session_sample_times(struct session *session, struct time_range *range);

/* Calls `visit` for each sample in the order of the file, until it returns an error. The sample is
 * valid during the call, the bytes that it points to as long as the session. */
struct error *session_each_sample(struct session *session,
				  struct error *(*visit)(const struct sample *sample, void *data),
				  void *data);

/* Parses the sample of a counted entry again (COUNT_POSITION). False: it is not there. */
bool session_sample_at(struct session *session, uint64_t position, uint64_t clock,
		       struct sample *sample);

/* Returns whether an address is the kernel's: the upper half on x86-64 and aarch64. */
static inline bool address_is_kernel(uint64_t address)
{
	return address >> 63;
}

/* Returns the level of a sample, as in struct counted. */
char session_sample_level(const struct sample *sample);
/* Appends the text of `report --header` about the file: its machine, command and events, in perf's
 * words. Lines end in newlines. Control characters of the file become '?'. */
void session_header_text(const struct session *session, struct strbuf *text);
/* Appends how many records of each type and how many samples of each event there are, in the form
 * of perf report --stats. Call it after session_count(). */
void session_stats_text(const struct session *session, struct strbuf *text);
/* ---- the nodes of the recorded machine (NUMA): their processors and physical memory ---- */

struct node_memory {
	int32_t node;
	uint64_t *blocks;     /* bitmap of the memory blocks that it has */
	uint64_t block_count; /* bits of the bitmap */
};

struct session_nodes {
	uint32_t count;      /* 0: the file does not say */
	int32_t *of_cpu;     /* index of each processor's node; -1: none */
	uint32_t cpu_count;  /* processors that there can be */
	uint64_t block_size; /* bytes; 0: the file does not say where memory is */
	struct node_memory *memory;
	uint32_t memory_count;
};

/* Reads the features NRCPUS, NUMA_TOPOLOGY and MEM_TOPOLOGY. Malformed parts are left out. The
 * caller frees *nodes with session_nodes_deinit(). */
void session_nodes_init(const struct session *session, struct session_nodes *nodes);
void session_nodes_deinit(struct session_nodes *nodes);

/* Returns the node that has a physical address, or -1. */
int32_t session_nodes_of_memory(const struct session_nodes *nodes, uint64_t physical_address);
