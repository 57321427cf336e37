/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The input of the commands that read a recording: their common options, the file, the choice of
 * samples and the groups of events.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "profiler/cli/options.h"
#include "profiler/ingest/session.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/resolve.h"

struct input_options {
	const char *path; /* NULL: standard input if it is a pipe, else perf.data */
	bool no_infer;
	bool quiet;
	unsigned int verbose, threads;
	enum blame_mode blame;
	struct itrace_options itrace;
	bool lock_time; /* see struct session_options */
	struct dso_options dso;
};

/* OPTION_CALL_OPTIONAL of -m. Without an argument it asks for the default, as in perf. */
struct error *parse_modules_option(void *dso_options, const char *argument);

/* OPTION_CALL of --symfs: DIR and its layout, as dso_path_in() takes it. */
struct error *parse_symfs_option(void *symfs, const char *argument);

struct error *parse_itrace_option(void *itrace_options, const char *argument);

/* OPTION_CALL of --no-rule: rules of the type engine to switch off in this process. */
struct error *parse_no_rule_option(void *unused, const char *argument);

/* The option of commands that read sources. */
#define SOURCE_OPTION_SPEC(input)                                                                  \
	{                                                                                          \
		OPTION_STRING, 0, "source-root", &(input).dso.source_root, "DIR",                  \
			"read all sources below DIR, also those that the\nprogram's user may not " \
			"read",                                                                    \
			NULL                                                                       \
	}

/* Entries for tables of options. `input` is a struct input_options. */
// clang-format off
/* For commands that show samples by their periods. */
#define LOCK_TIME_SPEC(input) \
	{ OPTION_FLAG, 0, "lock-time", &(input).lock_time, NULL, \
	  "waits for locks (lock record), and context switches, stand\nfor the time that threads waited", NULL }

#define INPUT_OPTION_SPECS(input) \
	{ OPTION_STRING, 'i', "input", &(input).path, "FILE", "read this file; - is standard input (perf.data)", NULL }, \
	{ OPTION_FLAG, 'f', "force", &(input).dso.force, NULL, "read the file even if it belongs to another user", NULL }, \
	{ OPTION_STRING, 'k', "vmlinux", &(input).dso.vmlinux, "FILE", "read the kernel and its debug information from this file", NULL }, \
	{ OPTION_FLAG, 0, "ignore-vmlinux", &(input).dso.no_vmlinux, NULL, \
	  "do not look for a kernel with debug information", NULL }, \
	{ OPTION_STRING, 0, "kallsyms", &(input).dso.kallsyms, "FILE", "read the kernel's symbols from a copy of /proc/kallsyms", NULL }, \
	{ OPTION_CALL_OPTIONAL, 'm', "modules", &(input).dso, "FILE", \
	  "read the addresses of modules from a copy of /proc/modules\nif their maps were not recorded", parse_modules_option }, \
	{ OPTION_STRING, 0, "btf", &(input).dso.btf, "PATH", \
	  "read the kernel's BTF, or a folder with it and its modules',\nfor types that debug information lacks", NULL }, \
	{ OPTION_FLAG, 0, "no-btf", &(input).dso.no_btf, NULL, "take no types from BTF", NULL }, \
	{ OPTION_STRING, 0, "companion", &(input).dso.companion, "PATH", \
	  "take the answers from this companion, or from those in a\nfolder (dtprof index)", NULL }, \
	{ OPTION_FLAG, 0, "ignore-companion", &(input).dso.no_companion, NULL, \
	  "read debug information even if there is a companion", NULL }, \
	{ OPTION_CALL, 0, "symfs", &(input).dso.symfs, "DIR[,LAYOUT]", \
	  "look for all objects below DIR; with \",flat\" by base name\nin DIR itself", parse_symfs_option }, \
	{ OPTION_FLAG, 0, "no-itrace", &(input).itrace.none, NULL, "make no samples of AUX data", NULL }, \
	{ OPTION_CALL_OPTIONAL, 0, "itrace", &(input).itrace, "LETTERS", \
	  "make these samples of AUX data: i (each instruction), M\n(accesses to memory), f, m, t (caches, TLB), a, b", \
	  parse_itrace_option }, \
	{ OPTION_ENUM, 0, "blame", WORDS((input).blame, "auto", "retired", "sampled"), "WHICH", \
	  "charge these samples to the access they waited for:\nauto (samples of interrupts), " \
	  "retired (all that are not\nexact), sampled (none)", NULL }, \
	{ OPTION_FLAG, 0, "no-infer", &(input).no_infer, NULL, \
	  "leave out types inferred from the later use of a value", NULL }, \
	{ OPTION_CALL, 0, "no-rule", NULL, "NAME[,NAME...]", \
	  "find types without these rules (dtprof list rules)", parse_no_rule_option }, \
	{ OPTION_UNSIGNED, 0, "threads", &(input).threads, "N", "use N threads (one for each processor)", NULL }, \
	{ OPTION_COUNT, 'v', "verbose", &(input).verbose, NULL, "print more messages", NULL }, \
	{ OPTION_FLAG, 'q', "quiet", &(input).quiet, NULL, "print no headings and no warnings", NULL }, \
	{ OPTION_CALL, 0, "debug", NULL, "KEYS", "the same as before the command", parse_debug_option }, \
	{ OPTION_CALL_NEXT, 0, "stdio-color", NULL, "WHEN", "the same as --color", parse_colour_option }, \
	{ OPTION_CALL_OPTIONAL, 0, "color", NULL, "WHEN", "auto (on a terminal), always or never", parse_colour_option }
// clang-format on

struct input {
	const char *path; /* "-": standard input */
	bool quiet;       /* of the options: no warnings are printed */
	struct session *session;
	struct operands operands; /* decodes instructions for the session */
	struct kept_answers kept; /* for the next input_resolve() */
	bool charged;             /* the samples of timers have been charged: see input.c */
	struct sample_counts *counts;
	struct resolution *resolution;
	/* input_read_with_kernel(): */
	struct kernel_ahead *ahead; /* NULL: nobody reads the kernel */
	struct elf_image *vmlinux;  /* the file of -k, until a kernel takes it */
};

/* Returns a line of the file's header by its name, "cmdline" or "captured on", as --header prints
 * it. NULL: the file does not have it. The caller frees it. */
char *header_value(const struct session *session, const char *name);

/* Passes an error on; if the default file is missing, it begins with how to record or name one. */
struct error *input_not_named(struct error *error);
/* Opens the file. Call input_close() also after an error. */
struct error *input_open(const struct input_options *options, struct input *input);
/* Returns the error of `read`, which opens the input and resolves it. Meanwhile the kernel is read,
 * from -k's file at once, and as the needs say: for commands about the kernel. */
struct error *input_read_with_kernel(struct input_options *options, struct input *input,
				     struct error *(*read)(void *data), void *data);
/* The most samples whose addresses and times are kept, for counts of objects and verdicts on lines:
 * some 1 KB each, so that memory does not grow with the recording. They show any share above a
 * tenth of a percent. */
#define DETAILS_MAX (UINT64_C(1) << 18)

/* The needs of a command, for input_resolve(). */
struct input_needs {
	uint64_t needs; /* set of enum result_need */
	bool full_source_path;
	const struct sample_choice *choice; /* NULL: all samples */
	uint64_t time_quantum;              /* with NEED_TIME */
	uint64_t details;                   /* as in struct count_options */
	bool slices;                        /* count the outline that input_each_slice() needs */
	bool no_demangle;
	bool no_inline;           /* as in struct resolve_options */
	bool charges;             /* charge late samples even if no types are needed */
	unsigned int chain_limit; /* as in struct count_options */
	/* Reads the kernel's symbols, or its debug information as well, while samples are counted:
	 * for recordings of the kernel alone, whose samples have no data. */
	enum input_ahead { AHEAD_NOTHING, AHEAD_SYMBOLS, AHEAD_DEBUG } kernel_ahead;
	bool again; /* the samples will be resolved again, by the same rules: answers are kept */
	/* as in struct count_options */
	void (*each)(void *data, const struct counting_sample *counting);
	void *each_data;
	/* Called with `each_data` after the last sample. The kernel may be read at that time. */
	void (*counted)(void *data);
	uint32_t uncounted;
	bool kernel_only;
	bool tells_trouble; /* the command itself calls warn_of_trouble() for what is missing */
};
/* Counts the samples, resolves them, and warns of objects without symbols or debug information.
 * With NEED_DATA_ADDRESS, each sample of a timer has the data address of the access that it is
 * charged to; the samples are then resolved twice, the first time to charge them. */
struct error *input_resolve(const struct input_options *options, const struct input_needs *needs,
			    struct input *input);
/* Calls `visit` for the samples in the order of their times, a slice at a time, until it returns an
 * error: during the call, the input's counts and its resolution are those of the slice. Afterwards
 * they are those of the outline again. `needs` are those of input_resolve(). */
struct error *input_each_slice(const struct input_options *options, const struct input_needs *needs,
			       struct input *input, struct error *(*visit)(void *data), void *data);
/* Frees the counts and what was resolved, so that the samples can be resolved for other needs. */
void input_forget(struct input *input);
void input_close(struct input *input);
#define _cleanup_input_ __attribute__((cleanup(input_close)))
/* Ends the use of the input in a command that exits next, in place of input_close(). Memory is not
 * freed: freeing a kernel's debug information piece by piece would take 6 of 350 ms. */
void input_leave(struct input *input);
void input_warn_if_empty(const struct input *input);
/* Returns an error without samples, for commands that would write a file of nothing. */
struct error *input_need_samples(const struct input *input);
/* Returns the exit status after printing: as in perf, an incomplete file is a failure. */
int input_status(const struct input *input);

#define CACHELINE_DEFAULT 64 /* bytes, for recordings that do not have the size */

/* Returns the size in bytes of the recorded machine's cachelines, or CACHELINE_DEFAULT. */
uint64_t input_cacheline(const struct input *input);

struct shown_samples;
/* Warns with a line for each kind of trouble, and with -v for each object (trouble.h). */
void warn_of_trouble(const struct input_options *options, const struct input *input,
		     const struct shown_samples *shown);

/*
 * Events that are shown side by side in one table: those of a group unless --no-group, or with
 * --group all events of a file that has no groups.
 */

struct event_group {
	uint32_t *events; /* indexes; events without samples only if they are kept */
	uint32_t count;
	/*
	 * The heading says "events" instead of "event", as in perf: for a group of several events,
	 * whichever of them have samples and whether or not the group is shown as one; and with
	 * --group or --no-group for all events of a file without groups.
	 */
	bool plural;
	bool named; /* recorded as a group and shown as one */
	/* --with-off-cpu: the event of blocked time that counts as the group's first event, + 1 */
	uint32_t blocked;
};

struct event_groups {
	struct event_group *groups;
	size_t count;
	uint32_t *group_of;  /* the group of each event that is in one, */
	uint32_t *member_of; /* and its index in the group */
};

struct grouping {
	bool none;    /* --no-group: each event by itself */
	bool all;     /* --group: if the file has no groups, all events in one */
	bool off_cpu; /* --with-off-cpu: blocked time counts as the first other event */
};

/* For tables of options. no-group comes first: it is not the negation of group. */
// clang-format off
#define GROUPING_OPTION_SPECS(grouping) \
	{ OPTION_FLAG, 0, "no-group", &(grouping).none, NULL, "show each event by itself, even if it is in a group", NULL }, \
	{ OPTION_FLAG, 0, "group", &(grouping).all, NULL, \
	  "show events side by side, even if they were not recorded\nas a group", NULL }
// clang-format on

/* Groups the events. Call after counting, because events without samples are left out. */
void event_groups_init(struct event_groups *groups, const struct session *session,
		       const struct grouping *grouping);
void event_groups_deinit(struct event_groups *groups);
/* Appends "cycles", or "anon group { cycles, instructions }" as perf has it. */
void event_group_name(const struct event_group *group, const struct session *session,
		      struct strbuf *name);

/* The counted samples, by --time, --cpu and --pid. Others are as if not in the file. */

struct sample_choice {
	const char *time, *cpu_list; /* --time and --cpu; NULL: all */
	struct time_range *ranges;   /* NULL: all times */
	size_t range_count, range_capacity;
	struct number_set cpus;
	int32_t *pids; /* NULL: all processes */
	size_t pid_count, pid_capacity;
};

/* Parses --time and --cpu. Percentages are of the samples' time. */
struct error *sample_choice_init(struct sample_choice *choice, struct session *session);
/* Chooses the samples of processes alone, by a list of numbers; NULL: of all. */
struct error *sample_choice_set_pids(struct sample_choice *choice, const char *pids);
/* Returns whether a sample is chosen. */
bool sample_choice_has(const struct sample_choice *choice, const struct sample *sample);
void sample_choice_deinit(struct sample_choice *choice);
