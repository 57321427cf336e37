// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof layout on a program whose source tells how each record is walked and which fields go
 * together. The samples are written here, one for each access. They have neither times nor
 * addresses, so no gain can be computed.
 */
#include "tests/support/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

static int set_up(void **state)
{
	static const char *const functions[] = { "sum_of_x",    "activate", "find",  "jump",
						 "add_up",      "seek",     "mix",   "climb",
						 "wait_longer", "look_up",  "weigh", "weigh_early",
						 NULL };
	_cleanup_free_ char *compiler =
		xasprintf("%s -O2 -g -fno-tree-vectorize", process_compiler());

	*state = workload_build_accessed(compiler, "tests/workloads/layout.c", functions);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	workload_destroy(*state);
	return 0;
}

static void layout(struct workload *workload, const char *arguments, struct process_result *result)
{
	shell_must(result, "%s layout -q -i %s %s", dtprof_path(), workload->data, arguments);
}

/* Returns the line of the text that has both words. */
static const char *line_with(const char *text, const char *first, const char *second)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		_cleanup_free_ char *copy = xstrndup(line, length);

		if (strstr(copy, first) && strstr(copy, second))
			return line;
		line += length + (line[length] == '\n');
	}
	fail_msg("no line with '%s' and '%s' in:\n%s", first, second, text);
	return NULL;
}

static void test_walks(void **state)
{
	_cleanup_process_ struct process_result neuron = { 0 }, entry = { 0 }, node = { 0 },
						patient = { 0 };

	layout(*state, "--type=neuron", &neuron);
	line_with(neuron.output.data, "sum_of_x", "stream");
	line_with(neuron.output.data, "activate", "stream");
	line_with(neuron.output.data, "jump", "scattered");
	layout(*state, "--type=entry", &entry);
	line_with(entry.output.data, "find", "chase");
	line_with(entry.output.data, "Pointer chase", "find");
	line_with(entry.output.data, "'next'", "");
	/* the next node is loaded by one instruction and becomes this one by another */
	layout(*state, "--type=node", &node);
	line_with(node.output.data, "seek", "chase   ");
	line_with(node.output.data, "seek", "'steps'");
	/* two instructions load the next one, one at the end of each branch */
	layout(*state, "--type=patient", &patient);
	line_with(patient.output.data, "wait_longer", "chase");
}

/* A record that begins alike keeps its order only if the program has it. */
static const char branch_source[] =
	"struct pebble { int weight, colour; long place; char name[40]; long age; };\n"
	"#ifdef NEVER\n"
	"struct boulder { int weight, colour; long place; char name[40]; };\n"
	"long lift(struct boulder *b, struct pebble *p) { return b->place + p->place; }\n"
	"#endif\n"
	"struct gravel { int weight; long place; long age; };\n"
	"struct sand { int weight; long place; short grain; };\n"
	"__attribute__((noinline)) long ages(struct pebble *p, long n)\n"
	"{ long s = 0; while (n--) s += p[n].age; return s; }\n"
	"__attribute__((noinline)) long grains(struct gravel *g, struct sand *s)\n"
	"{ return g->age + g->place + s->grain + s->place; }\n"
	"int main(void) { return 0; }\n";

static void test_records_that_begin_alike(void **state)
{
	static const char *const functions[] = { "ages", "grains", NULL };
	_cleanup_process_ struct process_result pebble = { 0 }, gravel = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("branch.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());
	struct workload *workload;

	(void)state;
	file_write(path, branch_source, strlen(branch_source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	layout(workload, "--type=pebble", &pebble);
	assert_null(strstr(pebble.output.data, "begins with the same"));
	layout(workload, "--type=gravel", &gravel);
	line_with(gravel.output.data, "'sand' begins with the same 2 members", "");
	workload_destroy(workload);
}

/* Code that is not optimized keeps its pointers on the stack, and reloads them. */
static void test_walks_without_optimization(void **state)
{
	static const char *const functions[] = { "sum_of_x", "find",       "jump", "seek",
						 "read_on",  "read_again", NULL };
	static const char *const compilers[] = { "gcc", "clang" };
	unsigned int tried = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(compilers); i++) {
		_cleanup_process_ struct process_result neuron = { 0 }, entry = { 0 }, page = { 0 };
		_cleanup_free_ char *compiler = xasprintf("%s -O0 -g", compilers[i]);
		struct workload *workload;

		if (!process_exists(compilers[i]))
			continue;
		tried++;
		workload = workload_build_accessed(compiler, "tests/workloads/layout.c", functions);
		assert_non_null(workload);
		layout(workload, "--type=neuron", &neuron);
		line_with(neuron.output.data, "sum_of_x", "stream");
		line_with(neuron.output.data, "jump", "scattered");
		layout(workload, "--type=entry", &entry);
		line_with(entry.output.data, "find", "chase");
		line_with(entry.output.data, "Pointer chase", "find");
		line_with(entry.output.data, "'next'", "");
		assert_null(strstr(entry.output.data, "each loop uses one object"));
		layout(workload, "--type=page", &page);
		line_with(page.output.data, "read_on", "chase");
		line_with(page.output.data, "Pointer chase", "read_on");
		line_with(page.output.data, "'following'", "");
		line_with(page.output.data, "read_again", "same");
		line_with(page.output.data, "No advice: bytes behind 'following' are not", "");
		workload_destroy(workload);
	}
	assert_true(tried > 0);
}

static void test_fields_that_are_used_together(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	layout(*state, "--type=neuron", &result);
	line_with(result.output.data, "activate", "I W= U");
	/* activate uses I, W and U of one neuron; sum_of_x only X */
	line_with(result.output.data, "Used together:", "I and W");
	assert_null(strstr(result.output.data, "W and X"));
	assert_null(strstr(result.output.data, "X and U"));
	/* a pair below half a percent would say "0%" */
	assert_null(strstr(result.output.data, " 0%,"));
}

/* The loop follows one pointer of an array. The object that has it is the one that has the key. */
static void test_an_index_within_an_object(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	layout(*state, "--type=tower", &result);
	line_with(result.output.data, "climb", "chase");
	line_with(result.output.data, "Used together:", "height and next");
}

static void test_a_copy_of_a_pointer(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	layout(*state, "--type=weight", &result);
	/* it was inlined into weigh() and weigh_early() */
	const char *first = line_with(result.output.data, "weigh_all ", "chase");

	line_with(strchr(first, '\n') + 1, "weigh_all ", "chase");
	/* in both loops */
	line_with(result.output.data, "Used together:", "grams and next 100%");
}

#define NEURONS UINT64_C(0x7ffff0000000)
#define NEURON  64 /* bytes */

static void number_after(const char *text, const char *name, unsigned long *number)
{
	const char *found = strstr(text, name);

	assert_non_null(found);
	*number = strtoul(found + strlen(name), NULL, 10);
}

static uint64_t boards(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 1032;
}

/* Each visit uses one cell of an array, and all visits together any of them: objects that are
 * counted by another field take the lines of the whole array. */
static void test_lines_of_an_array(void **state)
{
	static const char *const functions[] = { "look_up", NULL };
	const struct workload *workload = *state;
	_cleanup_free_ char *data = xasprintf("%s/boards.data", workload->folder);
	_cleanup_process_ struct process_result result = { 0 };
	unsigned long objects, visit, bytes;
	size_t samples;

	assert_null(access_recorder_write(&(struct access_request){ .object = workload->program,
								    .output = data,
								    .functions = functions,
								    .repeat = 400,
								    .address = boards },
					  &samples));
	shell_must(&result, "%s layout -q --type=board --json -i %s", dtprof_path(), data);
	number_after(result.output.data, "\"objects_estimated\": ", &objects);
	number_after(result.output.data, "\"lines_per_visit\": ", &visit);
	number_after(result.output.data, "\"bytes_in_use\": ", &bytes);
	assert_true(objects > 300);
	assert_true(visit <= 2);
	assert_true(bytes > objects * 1000);
}

static uint64_t in_order(unsigned int visit)
{
	return NEURONS + (visit * 20ULL + visit % 5) * NEURON;
}

static uint64_t in_many_arrays(unsigned int visit)
{
	return NEURONS + (visit * UINT64_C(2654435761) >> 9) % 23 * (1 << 20);
}

static uint64_t in_no_order(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 10000 * NEURON;
}

/* Writes samples of a function that visits objects of a type. */
static void visit_as(const struct workload *workload, const char *function, const char *type,
		     struct access_request request, struct process_result *result)
{
	const char *const functions[] = { function, NULL };
	_cleanup_free_ char *data = xasprintf("%s/visits.data", workload->folder);
	size_t samples;

	request.object = workload->program;
	request.output = data;
	request.functions = functions;
	request.repeat = 400;
	assert_null(access_recorder_write(&request, &samples));
	shell_must(result, "%s layout -q --type=%s --json -i %s", dtprof_path(), type, data);
}

static void visit(const struct workload *workload, const char *function, const char *type,
		  uint64_t (*address)(unsigned int), struct process_result *result)
{
	visit_as(workload, function, type, (struct access_request){ .address = address }, result);
}

static uint64_t four_in_two_lines(unsigned int visit)
{
	return NEURONS + 4 + visit % 4 * 32ULL; /* of the member at 4 */
}

static void test_a_few_small_objects(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	unsigned long bytes;

	visit(*state, "depth_of_all", "shade", four_in_two_lines, &result);
	number_after(result.output.data, "\"bytes_in_use\": ", &bytes);
	assert_int_equal(bytes, 128);
}

static uint64_t in_one_object(unsigned int visit)
{
	(void)visit;
	return NEURONS + 4;
}

static uint64_t in_twenty_objects(unsigned int visit)
{
	return NEURONS + 4 + visit * UINT64_C(2654435761) % 20 * (UINT64_C(1) << 20);
}

/* Objects far apart of which each is met often are all that there are, whatever memory there is. */
static void test_objects_that_are_met_often(void **state)
{
	_cleanup_process_ struct process_result one = { 0 }, twenty = { 0 };
	unsigned long most;

	visit_as(*state, "depth_of_all", "shade",
		 (struct access_request){ .address = in_one_object, .data_map = 1 << 20 }, &one);
	number_after(one.output.data, "\"objects_most\": ", &most);
	assert_int_equal(most, 1);
	visit_as(*state, "depth_of_all", "shade",
		 (struct access_request){ .address = in_twenty_objects, .data_map = 1 << 20 },
		 &twenty);
	number_after(twenty.output.data, "\"objects_most\": ", &most);
	assert_int_equal(most, 20);
}

/* Samples of the loop but not of what hardly an iteration does: its fields are not used with the
 * others. If that has samples, too, they are. */
static void test_what_hardly_an_iteration_does(void **state)
{
	_cleanup_process_ struct process_result few = { 0 }, all = { 0 };

	visit_as(*state, "ring", "alarm",
		 (struct access_request){ .address = in_no_order, .first = 2 }, &few);
	assert_non_null(strstr(few.output.data, "\"affinity\": []"));
	visit(*state, "ring", "alarm", in_no_order, &all);
	assert_null(strstr(all.output.data, "\"affinity\": []"));
}

/* Times and addresses show whether the objects lie in the order of the visits. */
static void test_the_order_of_visits(void **state)
{
	_cleanup_process_ struct process_result ordered = { 0 }, scattered = { 0 }, list = { 0 },
						stream = { 0 }, runs = { 0 };

	visit(*state, "jump", "neuron", in_order, &ordered);
	assert_non_null(strstr(ordered.output.data, "\"walk\": \"scattered\""));
	assert_non_null(strstr(ordered.output.data, "\"in_order\": true"));
	assert_non_null(strstr(ordered.output.data, "\"objects_at_most\": false"));
	visit(*state, "jump", "neuron", in_no_order, &scattered);
	assert_non_null(strstr(scattered.output.data, "\"walk\": \"scattered\""));
	assert_null(strstr(scattered.output.data, "in_order"));
	/* how many entries of a list lie between those that were met is not known */
	visit(*state, "find", "entry", in_order, &list);
	assert_non_null(strstr(list.output.data, "\"in_order\": true"));
	assert_non_null(strstr(list.output.data, "\"objects_at_most\": true"));
	/* a loop goes through elements side by side, but not from one array to the next */
	visit(*state, "sum_of_x", "neuron", in_order, &stream);
	assert_non_null(strstr(stream.output.data, "\"walk\": \"stream\""));
	visit(*state, "sum_of_x", "neuron", in_many_arrays, &runs);
	assert_non_null(strstr(runs.output.data, "\"walk\": \"runs\""));
}

static uint64_t in_a_copy(unsigned int visit)
{
	return in_no_order(visit) - (visit < 90 ? UINT64_C(1) << 32 : 0);
}

static uint64_t in_a_larger_copy(unsigned int visit)
{
	return visit < 190 ? NEURONS - (UINT64_C(1) << 32) +
				     visit * UINT64_C(2654435761) % 5000 * NEURON
			   : in_no_order(visit);
}

/* An array that was copied to other memory while it grew has no more elements for that. */
static void test_an_array_that_was_copied(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, larger = { 0 };
	unsigned long objects;

	visit(*state, "jump", "neuron", in_a_copy, &result);
	number_after(result.output.data, "\"objects_estimated\": ", &objects);
	assert_in_range(objects, 9000, 11500);
	visit(*state, "jump", "neuron", in_a_larger_copy, &larger);
	number_after(larger.output.data, "\"objects_estimated\": ", &objects);
	assert_in_range(objects, 9000, 11500);
}

static uint64_t at_even_shades(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 2000 * 12;
}

/* Elements of six bytes are recognized by that alone: allocated memory is at multiples of 16. */
static void test_an_array_of_small_elements(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	unsigned long objects;

	visit(*state, "depth_of_all", "shade", at_even_shades, &result);
	number_after(result.output.data, "\"objects_estimated\": ", &objects);
	assert_in_range(objects, 3900, 4100);
}

/* Each process has its own heap, far away from those of the others. */
static uint64_t in_processes(unsigned int visit)
{
	return (UINT64_C(1) << 44) + visit % 4 * (UINT64_C(1) << 34) + visit / 4 % 50 * 3 * NEURON;
}

/* Objects of processes are never added up, nor what lies between their heaps. */
static void test_objects_of_processes(void **state)
{
	const struct workload *workload = *state;
	_cleanup_process_ struct process_result result = { 0 }, text = { 0 }, one = { 0 },
						wrong = { 0 };
	_cleanup_free_ char *data = xasprintf("%s/visits.data", workload->folder);
	unsigned long objects;

	visit_as(workload, "jump", "neuron",
		 (struct access_request){ .address = in_processes, .processes = 4 }, &result);
	assert_non_null(strstr(result.output.data, "\"pid\": 4242"));
	assert_non_null(strstr(result.output.data, "\"pid\": 4245"));
	number_after(result.output.data, "\"objects_estimated\": ", &objects);
	assert_in_range(objects, 50, 160);
	shell_must(&text, "%s layout -q --type=neuron -i %s", dtprof_path(), data);
	assert_non_null(strstr(text.output.data, "4 processes have objects of their own"));
	assert_null(strstr(text.output.data, "Several threads"));
	shell_must(&one, "%s layout -q --type=neuron --pid 4243 -i %s", dtprof_path(), data);
	assert_null(strstr(one.output.data, "objects of their own"));
	assert_non_null(strstr(one.output.data, "of 100 samples"));
	shell_must(&wrong, "! %s layout -q --pid x -i %s", dtprof_path(), data);
}

/* The same, but the samples of each fifth visit have no address. */
static uint64_t in_most(unsigned int visit)
{
	return visit % 5 ? in_processes(visit) : 0;
}

/* Objects in memory that processes share are the same for all of them, wherever they have it. */
static void test_objects_of_shared_memory(void **state)
{
	const struct workload *workload = *state;
	_cleanup_process_ struct process_result result = { 0 }, text = { 0 };
	_cleanup_free_ char *data = xasprintf("%s/visits.data", workload->folder);
	unsigned long number;

	visit_as(workload, "jump", "neuron",
		 (struct access_request){
			 .address = in_most, .processes = 4, .data_map = 4096, .shared = true },
		 &result);
	assert_null(strstr(result.output.data, "\"pid\": 4243"));
	number_after(result.output.data, "\"sharers\": ", &number);
	assert_int_equal(number, 3);
	number_after(result.output.data, "\"objects_seen\": ", &number);
	assert_int_equal(number, 50);
	shell_must(&text, "%s layout -q --type=neuron -i %s", dtprof_path(), data);
	assert_non_null(strstr(text.output.data, "objects in memory that 4 processes share"));
	assert_null(strstr(text.output.data, "objects of their own"));
	assert_non_null(strstr(text.output.data, "Several threads"));
}

static uint64_t in_few(unsigned int visit)
{
	return visit < 3 ? in_order(visit) : 0;
}

/* Too few addresses to count objects by are not said to be none. */
static void test_few_addresses(void **state)
{
	const struct workload *workload = *state;
	_cleanup_process_ struct process_result result = { 0 }, text = { 0 };
	_cleanup_free_ char *data = xasprintf("%s/visits.data", workload->folder);

	visit_as(workload, "jump", "neuron", (struct access_request){ .address = in_few }, &result);
	shell_must(&text, "%s layout -q --type=neuron -i %s", dtprof_path(), data);
	assert_non_null(strstr(text.output.data, "few samples have the address of one"));
}

/* Memory of many pools, with an object at the start of each. */
static uint64_t in_pools(unsigned int visit)
{
	return (UINT64_C(1) << 44) + NEURON + visit % 12 * (UINT64_C(1) << 30) * (1 + visit % 12);
}

/* There are no more objects than the mapped memory has room for. */
static void test_objects_and_maps(void **state)
{
	_cleanup_process_ struct process_result free_ = { 0 }, mapped = { 0 };
	unsigned long objects;

	visit_as(*state, "jump", "neuron",
		 (struct access_request){ .address = in_pools, .data_map = 4096 }, &mapped);
	number_after(mapped.output.data, "\"objects_estimated\": ", &objects);
	assert_in_range(objects, 12, 12 * 4096 / NEURON);
	number_after(mapped.output.data, "\"objects_most\": ", &objects);
	assert_in_range(objects, 12, 12 * 4096 / NEURON);
	visit(*state, "jump", "neuron", in_pools, &free_);
	const char *most = strstr(free_.output.data, "\"objects_most\": ");

	assert_non_null(most);
	assert_true(strtod(most + strlen("\"objects_most\": "), NULL) > 1e6);
}

/* Objects that are found by offsets in a pool: records of different sizes, and the heads of buckets
 * of 144 bytes. */
static const char pool_source[] =
	"struct clause { unsigned size; int literals[]; };\n"
	"struct head { unsigned char tops[8]; };\n"
	"struct clause_entry { long value; };\n"
	"__attribute__((noinline)) long sizes(struct clause *pool, unsigned *at, long n)\n"
	"{ long s = 0; while (n--) s += ((struct clause *)((int *)pool + at[n]))->size;\n"
	" return s; }\n"
	"__attribute__((noinline)) long tops(struct head *pool, long bytes, unsigned *at, long n)\n"
	"{ long s = 0; while (n--) s += ((struct head *)((char *)pool + bytes * at[n]))->tops[2];\n"
	" return s; }\n"
	"__attribute__((noinline)) long values(struct clause_entry *all, unsigned *at, long n)\n"
	"{ long s = 0; while (n--) s += all[at[n]].value; return s; }\n"
	"struct fork { struct fork *ways[2]; long key, left, right; };\n"
	"__attribute__((noinline)) long climb(struct fork *at, long key)\n"
	"{ long s = 0; while (at) { s += at->key; at = at->ways[key > at->key]; } return s; }\n"
	"struct vote { char name[48]; long count, since, lost; };\n"
	"__attribute__((noinline)) void vote(struct vote *all, unsigned long r, long n)\n"
	"{ for (; n--; r = r * 6364136223846793005 + 1) { struct vote *x = &all[r >> 48];\n"
	" x->count++; } }\n"
	"struct wagon { long load, wheels[13]; };\n"
	"__attribute__((noinline)) long loads(struct wagon **all, unsigned *at, long n)\n"
	"{ long s = 0; while (n--) s += all[at[n]]->load; return s; }\n"
	"struct leaf { long key, text[10]; };\n"
	"__attribute__((noinline)) long pluck(struct leaf *all, unsigned *at, long n)\n"
	"{ long s = 0; while (n--) s += all[at[n]].key; return s; }\n"
	"int main(void) { return 0; }\n";

static uint64_t words(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 4;
}

static uint64_t buckets(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 144;
}

static uint64_t longs(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 8;
}

/* Members of records of 80 bytes. */
static uint64_t members(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 80;
}

static uint64_t forks(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 40;
}

static uint64_t votes(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 72;
}

/* malloc() takes 128 bytes for 112, with a word of its own. */
static uint64_t wagons(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 128;
}

/* The same, of which every sixth one is hardly met. */
static uint64_t rare_wagons(unsigned int visit)
{
	uint64_t number = visit * UINT64_C(2654435761) >> 7;

	return NEURONS +
	       (visit % 400 ? number % 15000 / 5 * 6 + number % 5 : number % 3000 * 6 + 5) * 128;
}

/* A list's node of 104 bytes with a word of malloc() and 64 bytes of others: twice 88 apart. */
static uint64_t leaves(unsigned int visit)
{
	return NEURONS + visit * UINT64_C(2654435761) % 1000 * 176;
}

static void test_what_is_no_array(void **state)
{
	static const struct {
		const char *type, *function;
		uint64_t (*address)(unsigned int);
		bool array;
	} rows[] = { { "clause", "sizes", words, false },
		     { "head", "tops", buckets, false },
		     { "clause_entry", "values", longs, true },
		     { "clause_entry", "values", members, false },
		     /* the index is of the array within the record */
		     { "fork", "climb", forks, false },
		     /* the address is a sum, as no operand has room for the factor */
		     { "vote", "vote", votes, true },
		     { "wagon", "loads", wagons, false },
		     { "wagon", "loads", rare_wagons, false },
		     /* what is allocated beside each object makes both together a multiple */
		     { "leaf", "pluck", leaves, false } };
	_cleanup_free_ char *path = xstrdup(scratch_file("pool.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());
	struct workload *workload;
	unsigned long count;

	(void)state;
	file_write(path, pool_source, strlen(pool_source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *const functions[] = { rows[i].function, NULL };
		_cleanup_process_ struct process_result result = { 0 };
		size_t samples;

		assert_null(access_recorder_write(
			&(struct access_request){ .object = workload->program,
						  .output = workload->data,
						  .functions = functions,
						  .repeat = rows[i].address == rare_wagons ? 100000
											   : 400,
						  .address = rows[i].address },
			&samples));
		shell_must(&result, "%s layout -q --type=%s -i %s", dtprof_path(), rows[i].type,
			   workload->data);
		print_message("%s\n", result.output.data);
		assert_int_equal(strstr(result.output.data, "objects in use") != NULL,
				 !rows[i].array);
		assert_int_equal(strstr(result.output.data, "side by side") != NULL, rows[i].array);
		if (rows[i].address != wagons && rows[i].address != rare_wagons)
			continue;
		/* no more than there is room for lie one after another */
		number_after(result.output.data, "\n  at most about ", &count);
		assert_in_range(count, rows[i].address == wagons ? 990 : 17900,
				rows[i].address == wagons ? 1010 : 18100);
	}

	/* of two names, one the beginning of the other, the one with a wrong letter was meant */
	static const char *const both[] = { "sizes", "values", NULL };
	_cleanup_process_ struct process_result missed = { 0 };
	_cleanup_free_ char *line = xasprintf("%s report -q -s type --types=clause_entri -i %s",
					      dtprof_path(), workload->data);

	assert_true(workload_access(workload, both));
	process_shell(line, &missed);
	assert_non_null(strstr(missed.errors.data, "did you mean 'clause_entry'?"));
	workload_destroy(workload);
}

#define MANY_VISITS 150000

/* All samples of a long recording count, but only a part of them tells objects and times, so that
 * memory does not grow with it. */
/* Samples of a record count for the elements of arrays in it, too, together with those of such
 * records elsewhere: their layout may be changed. */
static void test_records_in_arrays(void **state)
{
	static const char source[] =
		"struct cell { long id; char name[40]; double heat; int kind; char pad[52]; double "
		"flow; };\n"
		"struct shelf { long total; struct cell cells[16]; struct cell spare; };\n"
		"double warm(struct shelf *s)\n"
		"{ double sum = 0; for (int i = 0; i < 16; i++) if (s->cells[i].kind & 1)\n"
		"sum += s->cells[i].heat; return sum; }\n"
		"double single(struct cell *c) { return c->flow; }\n"
		"int main(void) { struct shelf s = { 0 }; return warm(&s) + single(s.cells) > 0; "
		"}\n";
	static const char *const functions[] = { "warm", "single", NULL };
	_cleanup_free_ char *path = xstrdup(scratch_file("shelf.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -O1 -g -fno-inline", process_compiler());
	_cleanup_process_ struct process_result result = { 0 };
	struct workload *workload;

	(void)state;
	file_write(path, source, strlen(source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	assert_true(workload_access(workload, functions));
	shell_must(&result, "%s layout -q -i %s", dtprof_path(), workload->data);
	line_with(result.output.data, "Type 'struct cell'", "");
	line_with(result.output.data, "120 bytes", "3 of 3 samples");
	line_with(result.output.data, "2 of them:", "its objects in other records");
	line_with(result.output.data, "  warm ", "heat kind");
	line_with(result.output.data, "  single ", "flow");
	line_with(result.output.data, "Type 'struct shelf'", "");
	workload_destroy(workload);
}

static void test_many_samples(void **state)
{
	static const char *const functions[] = { "jump", NULL };
	const struct workload *workload = *state;
	_cleanup_free_ char *data = xasprintf("%s/many.data", workload->folder);
	_cleanup_process_ struct process_result result = { 0 };
	unsigned long all, addressed;
	size_t samples;

	assert_null(access_recorder_write(&(struct access_request){ .object = workload->program,
								    .output = data,
								    .functions = functions,
								    .repeat = MANY_VISITS,
								    .shuffle = true,
								    .address = in_no_order },
					  &samples));
	assert_true(samples > 2 * MANY_VISITS);
	shell_must(&result, "%s layout -q --type=neuron --json -i %s", dtprof_path(), data);
	number_after(result.output.data, "\"samples\": ", &all);
	number_after(result.output.data, "\"addressed_samples\": ", &addressed);
	assert_true(all >= MANY_VISITS && all % MANY_VISITS == 0);
	assert_true(addressed < all * 3 / 4 && addressed > all / 8);

	_cleanup_process_ struct process_result layout = { 0 }, sharing = { 0 }, lines = { 0 };
	unsigned long looked_at, left_out;

	/* heat is that of all samples */
	shell_must(&layout, "%s annotate -q --layout --data-type=neuron --json -i %s",
		   dtprof_path(), data);
	number_after(layout.output.data, "\"samples\": ", &addressed);
	assert_int_equal(addressed, all);
	/* verdicts say how many samples they are made of */
	shell_must(&sharing, "%s c2c report -q --json -i %s", dtprof_path(), data);
	number_after(sharing.output.data, "\"samples\": ", &looked_at);
	number_after(sharing.output.data, "\"left_out\": ", &left_out);
	assert_int_equal(looked_at + left_out, samples);
	assert_true(looked_at < samples * 3 / 4 && looked_at > samples / 8);
	/* and slices of samples leave none out */
	shell_must(&lines, "%s script -q -F time,sym,type -i %s | uniq | wc -l", dtprof_path(),
		   data);
	assert_int_equal(strtoul(lines.output.data, NULL, 10), samples);
}

/* Expects constraints on records of order.c, whose source is not here. */
static void expect_order(struct workload *workload)
{
	static const char *const expected[][2] = {
		{ "derived",
		  "code goes from pointers to 'base' to the record, so it stays first, in "
		  "value_of()" },
		{ "task", "code goes from pointers to 'run' to the record, as container_of() does, "
			  "which finds the new offset by itself, in weights()" },
		{ "state",
		  "several members are copied, set or compared at once: 'first' to 'last', "
		  "in take_over()" },
		{ "point", "an index leads to other members from 'x', in length_of()" },
		{ "key", "compared as a whole, with its holes, in is_same()" },
	};
	_cleanup_process_ struct process_result plain = { 0 };

	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *arguments = xasprintf("--json --type=%s", expected[i][0]);

		layout(workload, arguments, &result);
		if (!strstr(result.output.data, expected[i][1]))
			fail_msg("no '%s' in:\n%s", expected[i][1], result.output.data);
	}
	layout(workload, "--json --type=plain", &plain);
	assert_null(strstr(plain.output.data, "code goes"));
	assert_null(strstr(plain.output.data, "index leads"));
}

static void test_order_in_machine_code(void **state)
{
	static const char *const functions[] = { "value_of", "weights",    "take_over", "length_of",
						 "is_same",  "add_values", NULL };
	/* calls and indexes stay what they are in the source */
	_cleanup_free_ char *compiler = xasprintf(
		"%s -O1 -g -w -fno-builtin -fno-ivopts -Wl,--build-id", process_compiler());
	char *folder = scratch_create();
	_cleanup_free_ char *source = xasprintf("%s/order.c", folder);
	_cleanup_process_ struct process_result copied = { 0 }, indexed = { 0 };

	(void)state;
	shell_must(&copied, "cp tests/workloads/order.c %s", source);

	struct workload *workload = workload_build_accessed(compiler, source, functions);

	scratch_remove(folder);
	assert_non_null(workload);
	expect_order(workload);
	shell_must(&indexed, "%s index -q %s && strip %s", dtprof_path(), workload->program,
		   workload->program);
	expect_order(workload);
	workload_destroy(workload);
}

/* Rust: an enum of variants is not a packed record, and neither is a record that contains one. */
static void test_rust(void **state)
{
	static const char *const functions[] = { "sum_nodes", NULL };
	_cleanup_process_ struct process_result text = { 0 }, c = { 0 };
	struct workload *workload;

	(void)state;
	workload = workload_build_accessed("rustc -g -O", "tests/workloads/variants.rs", functions);
	assert_non_null(workload);
	layout(workload, "--type=*Node", &text);
	assert_non_null(strstr(text.output.data, "Rust's compiler orders the members itself"));
	assert_non_null(strstr(text.output.data, "sources in Rust are not read"));
	assert_null(strstr(text.output.data, "sources are not here"));
	assert_null(strstr(text.output.data, "packed"));
	assert_null(strstr(text.output.data, "reorder"));
	layout(workload, "--type=*Node --emit=c", &c);
	assert_non_null(strstr(c.output.data, "_Alignas(8) unsigned char value["));
	workload_destroy(workload);
}

/* The number of objects is not known, so nothing is advised. */
static void test_no_gain_without_addresses(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	layout(*state, "--top=10", &result);
	assert_null(strstr(result.output.data, "Advice:"));
	assert_non_null(strstr(result.output.data, "objects in use: not known"));
}

/* Samples without addresses tell no number of objects, so nothing can be replayed. */
static void test_replay_without_addresses(void **state)
{
	_cleanup_process_ struct process_result page = { 0 }, json = { 0 };

	layout(*state, "--type=entry --replay", &page);
	line_with(page.output.data, "not replayed:", "");
	layout(*state, "--type=entry --replay --json", &json);
	assert_non_null(strstr(json.output.data, "\"replay\""));
	assert_non_null(strstr(json.output.data, "how many objects are in use is not known"));
}

/* Each line of the source that accesses a member of the second record is listed. */
static void test_places_of_a_split(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, none = { 0 };
	_cleanup_free_ char *command = xasprintf("%s layout -q -i %s --type=totals --emit=places",
						 dtprof_path(), ((struct workload *)*state)->data);

	/* the loop of find() uses key and next alone */
	layout(*state, "--type=entry --emit=places --proposal=split", &result);
	line_with(result.output.data, "# struct entry: split", "");
	line_with(result.output.data, "layout.c:", "allocation");
	process_shell(command, &none);
	process_check_status(&none, 1);
	line_with(none.output.data, "# struct totals", "no places");
}

/* Each proposal is C that compiles, with its assertions true. */
static void test_c_compiles(void **state)
{
	static const char *const kinds[] = { "keep", "reorder", "shrink", "split", "peel" };
	static const char *const types[] = { "neuron", "entry", "mixed" };
	struct workload *workload = *state;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
			_cleanup_process_ struct process_result result = { 0 };

			shell_must(&result,
				   "%s layout -q -i %s --type=%s --emit=c --proposal=%s > %s/%s.c "
				   "&& %s "
				   "-std=gnu11 "
				   "-Wall -Werror -c -o /dev/null %s/%s.c",
				   dtprof_path(), workload->data, types[i], kinds[k],
				   workload->folder, types[i], process_compiler(), workload->folder,
				   types[i]);
		}
	}
}

static void test_c_has_all_members(void **state)
{
	static const char *const members[] = { "flags : 3;", "level : 5;", "*next;",   "name[40];",
					       "ratio;",     "marks[2];",  "(*hash)(", "key;" };
	_cleanup_process_ struct process_result result = { 0 };

	layout(*state, "--type=entry --emit=c --proposal=reorder", &result);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		line_with(result.output.data, members[i], "");
}

/* Classes with members that C has no types for, and with a base class without members. */
static void test_c_of_classes(void **state)
{
	static const char *const functions[] = { "count_items", "value_of_all", NULL };
	_cleanup_process_ struct process_result text = { 0 }, offer = { 0 }, patch = { 0 };
	struct workload *workload;

	(void)state;
	need_compiler("c++");
	workload = workload_build_accessed("c++ -O2 -g", "tests/workloads/classes.cc", functions);
	assert_non_null(workload);
	for (size_t i = 0; i < 2; i++) {
		_cleanup_process_ struct process_result result = { 0 };

		shell_must(&result,
			   "%s layout -q -i %s --type=Basket --emit=c --proposal=%s > %s/c.c && "
			   "%s -std=gnu11 -Wall -Werror -c -o /dev/null %s/c.c",
			   dtprof_path(), workload->data, i ? "shrink" : "keep", workload->folder,
			   process_compiler(), workload->folder);
	}
	layout(workload, "--type=Basket --emit=c --proposal=shrink", &text);
	line_with(text.output.data, "sizeof(struct Basket) == 32", "");
	layout(workload, "--type=Offer --emit=c --proposal=reorder", &offer);
	line_with(offer.output.data, "offsetof(struct shop__Offer, price) == 0", "");
	/* the source has its name without the namespace */
	layout(workload, "--type=Offer --emit=patch --proposal=reorder", &patch);
	line_with(patch.output.data, "-\tItemSet sellers;", "");
	workload_destroy(workload);
}

/* The patch applies to the source, the result builds, and code that depends on the order is
 * named. */
static void test_patch(void **state)
{
	_cleanup_process_ struct process_result probe = { 0 }, node = { 0 }, likely = { 0 },
						broken = { 0 }, split = { 0 };
	struct workload *workload = *state;

	/* what is likely to break the program is made only if it is asked for */
	layout(workload, "--type=node --emit=patch --proposal=reorder > /dev/null; test $? = 1",
	       &likely);
	layout(workload, "--type=node --emit=patch --proposal=reorder || true", &broken);
	line_with(broken.output.data, "no patch: it is likely to break", "by position");
	assert_null(strstr(broken.output.data, "\n+++ "));
	layout(workload, "--type=node --emit=patch --proposal=reorder --even-if", &node);
	line_with(node.output.data, "# to be checked: initialized by position", "layout.c:");
	assert_non_null(strstr(node.output.data, "\n+++ "));
	/* in place of a split that cannot be written, a layout of one record is named */
	layout(workload, "--type=entry --emit=patch --proposal=split || true", &split);
	line_with(split.output.data, "struct entry: no patch: ", "");
	line_with(split.output.data, "# --proposal=reorder keeps one record: ", " to ");
	process_shell("patch --version", &probe);
	if (probe.status)
		skip_because("there is no patch here");
	static const char *const changes[] = { "entry --proposal=reorder",
					       "neuron --proposal=split" };

	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		shell_must(&result,
			   "F=%s; mkdir -p $F/tests/workloads && "
			   "cp tests/workloads/layout.c $F/tests/workloads && "
			   "%s layout -q -i %s --type=%s --emit=patch > $F/patch && "
			   "patch -s -p1 -d $F < $F/patch && "
			   "! cmp -s tests/workloads/layout.c $F/tests/workloads/layout.c && "
			   "%s -Wall -Werror -o $F/new $F/tests/workloads/layout.c && "
			   "%s -w -o $F/old tests/workloads/layout.c && "
			   "$F/old > $F/before && $F/new > $F/after && cmp $F/before $F/after",
			   workload->folder, dtprof_path(), workload->data, changes[i],
			   process_compiler(), process_compiler());
	}
}

/* `dtprof try` builds the proposed layout in a copy of the source. The debug information of the
 * program names the folder that is copied. */
static void test_try(void **state)
{
	static const char *const functions[] = { "find", "jump", "look_up", "seek", NULL };
	_cleanup_process_ struct process_result copied = { 0 }, tried = { 0 }, kept = { 0 };
	char *folder = scratch_create(), here[PATH_MAX];
	_cleanup_free_ char *compiler = NULL;
	struct workload *workload;

	(void)state;
	if (!process_exists("patch"))
		skip_because("there is no patch here");
	assert_non_null(getcwd(here, sizeof(here)));
	compiler =
		xasprintf("%s -O1 -g -fdebug-prefix-map=%s=%s", process_compiler(), here, folder);
	shell_must(&copied,
		   "mkdir -p %s/tests/workloads && cp tests/workloads/layout.c %s/tests/workloads",
		   folder, folder);
	workload = workload_build_accessed(compiler, "tests/workloads/layout.c", functions);
	assert_non_null(workload);
	shell_must(&tried,
		   "%s try -q -i %s --type=entry --proposal=reorder --json --pairs 1 --source %s "
		   "-- %s -c -o made.o tests/workloads/layout.c -- true",
		   dtprof_path(), workload->data, folder, process_compiler());
	assert_non_null(strstr(tried.output.data, "\"type\": \"struct entry\""));
	assert_non_null(strstr(tried.output.data, "\"proposal\": \"reorder\""));
	assert_non_null(strstr(tried.output.data, "\"same_output\": true"));
	shell_must(&kept, "cmp tests/workloads/layout.c %s/tests/workloads/layout.c", folder);
	workload_destroy(workload);
	scratch_remove(folder);
}

/* patch(1) follows no symbolic link in the name of a file, so the folder is the one behind it. */
static void test_patch_below_a_link(void **state)
{
	static const char *const functions[] = { "find", NULL };
	_cleanup_process_ struct process_result linked = { 0 }, patch = { 0 };
	char *folder = scratch_create(), here[PATH_MAX];
	_cleanup_free_ char *compiler = NULL, *command = NULL;
	struct workload *workload;

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	shell_must(&linked, "ln -s %s/tests %s/tests", here, folder);
	compiler =
		xasprintf("%s -O1 -g -fdebug-prefix-map=%s=%s", process_compiler(), here, folder);
	workload = workload_build_accessed(compiler, "tests/workloads/layout.c", functions);
	assert_non_null(workload);
	layout(workload, "--type=entry --emit=patch --proposal=reorder --even-if", &patch);
	command = xasprintf("patch -p1 -d %s/tests", folder);
	line_with(patch.output.data, command, "apply it with");
	line_with(patch.output.data, "--- a/workloads/layout.c", "");
	workload_destroy(workload);
	scratch_remove(folder);
}

/* A header may be part of programs that the recording does not have. */
static void test_patch_of_a_header(void **state)
{
	static const char *const functions[] = { "find", NULL };
	static const char
		header[] = "struct part { long key; char name[80]; struct part *next; };\n",
		source[] = "#include \"part.h\"\n"
			   "__attribute__((noinline)) struct part *find(struct part *p, long key)\n"
			   "{ while (p && p->key != key) p = p->next; return p; }\n"
			   "int main(void) { return find(0, 1) != 0; }\n";
	_cleanup_free_ char *path = xstrdup(scratch_file("part.h"));
	_cleanup_free_ char *compiler = xasprintf("%s -O1 -g", process_compiler());
	_cleanup_process_ struct process_result patch = { 0 };
	struct workload *workload;

	(void)state;
	file_write(path, header, strlen(header));
	file_write(scratch_file("parts.c"), source, strlen(source));
	workload = workload_build_accessed(compiler, scratch_file("parts.c"), functions);
	assert_non_null(workload);
	layout(workload, "--type=part --emit=patch --proposal=reorder", &patch);
	line_with(patch.output.data, "# to be checked: other programs that include part.h", "");
	workload_destroy(workload);
}

static void test_json_and_dot(void **state)
{
	_cleanup_process_ struct process_result json = { 0 }, dot = { 0 };

	layout(*state, "--type=neuron --json", &json);
	assert_non_null(strstr(json.output.data, "\"format\": \"dtprof-layout\""));
	assert_non_null(strstr(json.output.data, "\"walk\": \"stream\""));
	layout(*state, "--type=neuron --dot", &dot);
	assert_non_null(strstr(dot.output.data, "graph \"struct neuron\" {"));
	assert_non_null(strstr(dot.output.data, "\n\tm0 [label=\""));
	assert_non_null(strstr(dot.output.data, "\n\tm0 -- m1 ["));
}

/* Only a record with the attribute is packed: the alignment of a type is that of the psABI and of
 * its declaration, whatever its size. */
static void test_layouts_that_stay(void **state)
{
	static const char *const functions[] = { "sum", NULL };
	static const struct {
		const char *type, *advice;
	} cases[] = { { "of_complex", "No advice: a gain" },
		      { "of_small_complex", "No advice: a gain" },
		      { "of_vector", "No advice: a gain" },
		      { "tight", "No advice: it is packed" },
		      { "headed", "No advice: its first 8 bytes are not described" },
		      { "numbered", "No advice: its first 4 bytes are not described" },
		      { "marked", "No gain: no other order" },
		      { "parted", "'parts': an array of one element may have more" } };
	_cleanup_free_ char *compiler = xasprintf("%s -O1 -g", process_compiler());
	struct workload *workload =
		workload_build_accessed(compiler, "tests/workloads/alignment.c", functions);

	(void)state;
	assert_non_null(workload);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *option = xasprintf("--type=%s", cases[i].type);

		layout(workload, option, &result);
		line_with(result.output.data, "Type 'struct", cases[i].type);
		line_with(result.output.data, cases[i].advice, "");
		assert_null(strstr(result.output.data, "flexible"));
	}
	workload_destroy(workload);
}

/* The compiler orders the variables of a coroutine in its frame, which clang describes since
 * version 15. */
static void test_frames_of_coroutines(void **state)
{
	static const struct {
		const char *compiler, *type;
	} cases[] = {
		{ "g++ -std=c++20 -fcoroutines -O1 -g", "_Z4sumsP4nodec.Frame" },
		{ "clang++ -std=c++20 -O1 -g", "_Z4sumsP4nodec.coro_frame_ty" },
	};
	unsigned int tried = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_process_ struct process_result described = { 0 }, result = { 0 };
		_cleanup_free_ char *command =
			xasprintf("%s -S -o - tests/workloads/coroutine.cc | grep -F '%s'",
				  cases[i].compiler, cases[i].type);
		_cleanup_free_ char *option = xasprintf("--type=%s", cases[i].type);
		struct workload *workload;

		process_shell(command, &described);
		if (described.status)
			continue;
		tried++;
		workload = workload_build_accessed(cases[i].compiler,
						   "tests/workloads/coroutine.cc", NULL);
		assert_non_null(workload);
		layout(workload, option, &result);
		line_with(result.output.data, "No advice: the compiler makes it", "");
		workload_destroy(workload);
	}
	if (!tried)
		skip_because("no compiler of C++ here that describes the frames of coroutines");
}

static void test_errors(void **state)
{
	struct workload *workload = *state;
	static const struct {
		const char *arguments, *message;
		int status;
	} cases[] = {
		{ "--type=nobody", "no sample is known to access a type 'nobody'", 1 },
		{ "--type='long int'", "'long int' is no record", 1 },
		{ "--emit=java", "--emit takes c, patch, rules, places or source, not 'java'",
		  129 },
		{ "--proposal=turn", "--proposal takes", 129 },
		{ "--json --dot", "cannot be combined", 129 },
		{ "--top=0", "--top takes", 129 },
		{ "neuron", "--type='neuron'", 129 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command = xasprintf("%s layout -q -i %s %s", dtprof_path(),
							 workload->data, cases[i].arguments);

		process_shell(command, &result);
		process_check_status(&result, cases[i].status);
		assert_non_null(strstr(result.errors.data, cases[i].message));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_records_that_begin_alike),
		cmocka_unit_test(test_walks_without_optimization),
		cmocka_unit_test(test_fields_that_are_used_together),
		cmocka_unit_test(test_an_index_within_an_object),
		cmocka_unit_test(test_a_copy_of_a_pointer),
		cmocka_unit_test(test_lines_of_an_array),
		cmocka_unit_test(test_a_few_small_objects),
		cmocka_unit_test(test_objects_that_are_met_often),
		cmocka_unit_test(test_what_hardly_an_iteration_does),
		cmocka_unit_test(test_the_order_of_visits),
		cmocka_unit_test(test_an_array_that_was_copied),
		cmocka_unit_test(test_an_array_of_small_elements),
		cmocka_unit_test(test_objects_of_processes),
		cmocka_unit_test(test_objects_of_shared_memory),
		cmocka_unit_test(test_few_addresses),
		cmocka_unit_test(test_objects_and_maps),
		cmocka_unit_test(test_what_is_no_array),
		cmocka_unit_test(test_records_in_arrays),
		cmocka_unit_test(test_many_samples),
		cmocka_unit_test(test_order_in_machine_code),
		cmocka_unit_test(test_rust),
		cmocka_unit_test(test_no_gain_without_addresses),
		cmocka_unit_test(test_replay_without_addresses),
		cmocka_unit_test(test_places_of_a_split),
		cmocka_unit_test(test_c_compiles),
		cmocka_unit_test(test_c_has_all_members),
		cmocka_unit_test(test_c_of_classes),
		cmocka_unit_test(test_patch),
		cmocka_unit_test(test_try),
		cmocka_unit_test(test_patch_below_a_link),
		cmocka_unit_test(test_patch_of_a_header),
		cmocka_unit_test(test_json_and_dot),
		cmocka_unit_test(test_layouts_that_stay),
		cmocka_unit_test(test_frames_of_coroutines),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
