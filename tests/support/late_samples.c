// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples at instructions of a source file: see late_samples.h. */
#include "tests/support/late_samples.h"

#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/types/member.h"
#include "disasm/insn.h"
#include "base/memory.h"
#include "tests/support/debug_program.h"
#include "tests/support/files.h"

#define SOURCES  "tests/annotate/late"
#define INSN_MAX 400

/* The program stays open until a test uses another source, because several tests use the same
 * code. */
struct compiled {
	char *source, *flags; /* as in struct late_case; NULL: none is open */
	struct debug_program program;
	struct type_resolver *resolver;
	struct decoder *decoder;
};

/* A function's instructions in the order of their addresses, with the answers for them. */
struct listing {
	struct insn insns[INSN_MAX];
	struct access accesses[INSN_MAX];
	size_t count;
	struct strbuf text;
};

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static void add_access(const struct access *access, struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	strbuf_add_string(text, access_type_name(access));
	if (access->kind == ACCESS_TYPE && access_member_path(access, &path))
		strbuf_add_format(text, ".%s", path.data);
}

static bool is_access(const struct access *access, const char *what)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	add_access(access, &text);
	return strcmp(text.data, what) == 0;
}

static void resolve(struct compiled *compiled, struct listing *listing)
{
	uint64_t addresses[INSN_MAX];

	for (size_t i = 0; i < listing->count; i++)
		addresses[i] = listing->insns[i].address;
	type_resolver_resolve(compiled->resolver, addresses, NULL, listing->count,
			      listing->accesses);
}

static void list_function(struct compiled *compiled, const char *name, struct listing *listing)
{
	const struct symbol *symbol = elf_image_symbol_named(compiled->program.image, name);
	size_t available;

	*listing = (struct listing){ .text = STRBUF_INIT };
	if (!symbol)
		fail_msg("no function %s", name);

	const uint8_t *bytes =
		elf_image_bytes(compiled->program.image, symbol->address, &available);

	assert_non_null(bytes);
	for (uint64_t at = 0; at < symbol->size && listing->count < INSN_MAX;) {
		struct insn *insn = &listing->insns[listing->count++];
		char text[160];

		decoder_decode(compiled->decoder, bytes + at, symbol->size - at,
			       symbol->address + at, insn);
		decoder_format(compiled->decoder, bytes + at, symbol->size - at,
			       symbol->address + at, text, sizeof(text));
		strbuf_add_format(&listing->text, "%llx  %s\n", (unsigned long long)insn->address,
				  text);
		at += insn->length;
	}
	resolve(compiled, listing);
}

static bool is_spot(const struct listing *listing, size_t i, const struct late_spot *spot)
{
	const struct insn *insn = &listing->insns[i];

	return (!spot->access || is_access(&listing->accesses[i], spot->access)) &&
	       (!spot->operation || insn->operation == spot->operation) &&
	       (!spot->own_time || insn->own_time == spot->own_time);
}

static size_t index_at(const struct listing *listing, uint64_t address)
{
	size_t i = 0;

	while (i < listing->count && listing->insns[i].address != address)
		i++;
	return i;
}

static size_t find_target(const struct listing *listing, size_t i)
{
	while (i < listing->count && listing->insns[i].operation != OP_BRANCH)
		i++;
	return i < listing->count ? index_at(listing, (uint64_t)listing->insns[i].operands[0].value)
				  : i;
}

static uint64_t address_of(struct compiled *compiled, const struct late_spot *spot)
{
	static struct listing listing;
	size_t i = 0;

	list_function(compiled, spot->function ? spot->function : "f", &listing);
	while (i < listing.count && !is_spot(&listing, i, spot))
		i++;
	if (spot->target)
		i = find_target(&listing, i);
	i += spot->after;
	if (i >= listing.count)
		fail_msg(
			"the function has no such instruction (%s, operation %u, own time %u):\n%s",
			spot->access ? spot->access : "any access", spot->operation, spot->own_time,
			listing.text.data);
	strbuf_deinit(&listing.text);
	return listing.insns[i].address;
}

/* ---- what is charged ---- */

static void add_charges(const struct type_resolver_sample *samples,
			const struct type_resolver_charges *charges, struct strbuf *text)
{
	for (size_t i = 0; i < charges->count; i++) {
		const struct type_resolver_charge *charge = &charges->items[i];

		strbuf_add_format(text, "samples %zu at %llx: %llu to %llx ", charge->sample,
				  (unsigned long long)samples[charge->sample].address,
				  (unsigned long long)charge->samples,
				  (unsigned long long)charge->access.address);
		add_access(&charge->access, text);
		strbuf_add_format(text, ", %s\n", blame_how_name(charge->how));
	}
}

static uint64_t charged(const struct type_resolver_charges *charges, const struct late_charge *to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < charges->count; i++) {
		const struct type_resolver_charge *charge = &charges->items[i];

		if (charge->sample == to->of &&
		    (to->how == LATE_ANY_HOW || charge->how == to->how) &&
		    (!to->what || is_access(&charge->access, to->what)))
			sum += charge->samples;
	}
	return sum;
}

static const char *find_wrong(const struct late_case *test,
			      const struct type_resolver_sample *samples, size_t count,
			      const struct type_resolver_charges *charges)
{
	for (size_t i = 0; i < count; i++)
		if (charged(charges, &(struct late_charge){ .of = i, .how = LATE_ANY_HOW }) !=
		    samples[i].samples)
			return "all samples, and each once";
	for (size_t i = 0; i < LATE_MAX && test->expected[i].what; i++)
		if (charged(charges, &test->expected[i]) != test->expected[i].samples)
			return test->expected[i].what;
	return NULL;
}

static void check_compiled(const struct late_case *test, struct compiled *compiled)
{
	struct type_resolver_sample samples[LATE_MAX] = { 0 };
	struct type_resolver_charges charges;
	size_t count = 0;

	for (; count < LATE_MAX && test->given[count].samples; count++)
		samples[count] = (struct type_resolver_sample){
			.address = address_of(compiled, &test->given[count].spot),
			.samples = test->given[count].samples,
			.late = !test->given[count].exact,
		};
	type_resolver_charge(compiled->resolver, samples, count, &charges);

	const char *wrong = find_wrong(test, samples, count, &charges);

	if (wrong) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		static struct listing listing;

		add_charges(samples, &charges, &text);
		list_function(compiled, "f", &listing);
		fail_msg("expected other charges (%s):\n%sof:\n%s", wrong, text.data,
			 listing.text.data);
	}
	free(charges.items);
}

static struct compiled opened[2];

static void close_compiled(struct compiled *compiled)
{
	if (!compiled->source)
		return;
	decoder_destroy(compiled->decoder);
	type_resolver_destroy(compiled->resolver);
	debug_program_close(&compiled->program);
	free(compiled->source);
	free(compiled->flags);
	*compiled = (struct compiled){ 0 };
}

/* Returns false if there is no such compiler. */
static bool compile(const struct late_case *test, const char *compiler, struct compiled *compiled)
{
	_cleanup_free_ char *folder = realpath(SOURCES, NULL);
	_cleanup_free_ char *path = xasprintf(SOURCES "/%s.c", test->source);
	_cleanup_free_ char *flags = xasprintf("%s -g -w -shared -fPIC -fcf-protection=none -I'%s'",
					       test->flags ? test->flags : "-O2", folder);
	struct type_resolver_options options = { .threads = 1, .fused = true };
	size_t size;

	if (compiled->source && strcmp(compiled->source, test->source) == 0 &&
	    strcmp(compiled->flags, flags) == 0)
		return true;
	close_compiled(compiled);

	_cleanup_free_ uint8_t *bytes = file_read(path, &size);
	_cleanup_free_ char *text = xstrndup((const char *)bytes, size);

	if (!debug_program_build(&compiled->program, compiler, flags,
				 (const struct debug_source[]){ { "f.c", text }, { 0 } }))
		return false;
	compiled->source = xstrdup(test->source);
	compiled->flags = xstrdup(flags);
	must(type_resolver_create(compiled->program.image, compiled->program.object, &options,
				  &compiled->resolver));
	compiled->decoder = decoder_create(&arch_x86_64);
	return true;
}

void late_samples_check(const struct late_case *test)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static bool missing[2]; /* and a message said so */
	bool any = false;

	for (size_t i = 0; i < 2; i++) {
		if (!missing[i] && compile(test, compilers[i], &opened[i])) {
			check_compiled(test, &opened[i]);
			any = true;
			continue;
		}
		if (!missing[i])
			print_message("# there is no %s here\n", compilers[i]);
		missing[i] = true;
	}
	if (!any)
		skip_because("neither gcc nor clang is here");
}

int late_samples_tear_down(void **state)
{
	(void)state;
	close_compiled(&opened[0]);
	close_compiled(&opened[1]);
	return 0;
}
