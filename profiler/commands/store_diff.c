// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof store diff and regress: fields whose share changed from one build to another one. */

#include "base/memory.h"
#include "profiler/cli/output.h"
#include "profiler/commands/store.h"
#include "profiler/store/changes.h"
#include "report/json.h"

/* A comparison on its way to the screen. */
struct build_comparison {
	struct store *store;
	struct store_request *request;
	char **builds;
	bool regress; /* only what rose */
	struct build_changes *changes;
	const char *object; /* of the second build */
	struct arena arena;
};

/* ---- reading ---- */

static struct error *read_build(struct build_comparison *comparison, int side)
{
	static const enum store_key keys[] = { STORE_EVENT, STORE_OBJECT, STORE_FIELD, STORE_HOST };
	struct store_choice choice = comparison->request->choice;
	_cleanup_answer_ struct store_answer answer = { 0 };

	choice.texts[STORE_BUILD] = comparison->builds[side];
	choice.brief = true;
	RETURN_ERROR(store_select(comparison->store, keys, COUNT_OF(keys), &choice,
				  STORE_BY_SAMPLES, 0, &answer));
	if (!answer.total.samples)
		return error_create(ERROR_NOT_FOUND, "the store has no samples of the build %s",
				    comparison->builds[side]);
	comparison->object = arena_strdup(&comparison->arena, answer.rows[0].keys[1]);
	array_each (const struct store_row, row, answer.rows, answer.count) {
		const char *event = row->keys[0], *first = answer.rows[0].keys[0];

		/* shares of a sum of different things change with how many there are of each */
		if (strcmp(event, first) != 0 && row->samples)
			return error_other("the build %s has samples of several events, such as %s "
					   "and %s: choose one (--event)",
					   comparison->builds[side], first, event);
		build_changes_add_host(comparison->changes, side, row->keys[3], row->samples);
		build_changes_add(comparison->changes, side, row->keys[2], row->keys[3],
				  row->samples);
	}
	return NULL;
}

/* ---- showing ---- */

static bool is_shown(const struct build_comparison *comparison, const struct field_change *change)
{
	if (comparison->regress && change->share[1] <= change->share[0])
		return false;
	return change->sure || comparison->request->all;
}

static void add_change_json(const struct field_change *change, struct json *json)
{
	json_object(json, NULL);
	json_string(json, "typeoff", change->name);
	json_double(json, "before", change->share[0]);
	json_double(json, "after", change->share[1]);
	json_double(json, "error", change->error);
	json_double(json, "probability", change->probability);
	json_bool(json, "sure", change->sure);
	json_end(json);
}

static void add_change_text(const struct field_change *change, struct strbuf *text)
{
	strbuf_add_format(text, "%7.2f%%  %6.2f%%  %+6.2f%%  %6.2f%%  %7.1g  %s%s\n",
			  100 * change->share[0], 100 * change->share[1],
			  100 * (change->share[1] - change->share[0]), 100 * change->error,
			  change->probability, change->name, change->sure ? "" : " (within noise)");
}

/* Adds the numbers that the answer stands on, and where the first field's layout is looked at. */
static void add_grounds(const struct build_comparison *comparison, size_t compared,
			const char *worst, struct strbuf *text)
{
	size_t hosts[] = { build_changes_hosts(comparison->changes, 0),
			   build_changes_hosts(comparison->changes, 1) };

	strbuf_add_format(text,
			  "# %zu fields were compared on %zu and %zu hosts; %g %% of comparisons "
			  "of builds that\n# are alike show a change (--level)\n",
			  compared, hosts[0], hosts[1], comparison->request->level);
	if (hosts[0] < 2 || hosts[1] < 2)
		strbuf_add_string(text, "# a build has one host: what hosts differ by is not in "
					"the errors\n");
	if (!worst || *worst == '(')
		return;
	size_t length = strcspn(worst, "+");

	while (length && worst[length - 1] == ' ')
		length--;
	_cleanup_free_ char *type = xstrndup(worst, length);

	strbuf_add_string(text, "# its layout, from a recording of this build: dtprof layout -i "
				"FILE --type=");
	strbuf_add_shell_word(text, type);
	strbuf_add_format(text, "\n# (%s, build %s)\n", comparison->object, comparison->builds[1]);
}

static void show_changes(struct build_comparison *comparison)
{
	const struct store_request *request = comparison->request;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct json json = JSON_INIT(write_stdout, NULL);
	size_t compared, shown = 0;
	const struct field_change *changes =
		build_changes_find(comparison->changes, request->level / 100, &compared);
	const char *worst = NULL;
	bool headings = !request->json && !request->input.quiet;

	if (request->json)
		json_array(&json, NULL);
	else if (headings)
		strbuf_add_string(&text,
				  "#  Before    After   Change    Error   Chance  typeoff\n#\n");
	array_each (const struct field_change, change, changes, compared) {
		if (!is_shown(comparison, change))
			continue;
		comparison->request->found |= change->sure;
		worst = !worst && change->sure ? change->name : worst;
		if (request->entries && shown == request->entries)
			continue;
		shown++;
		if (request->json)
			add_change_json(change, &json);
		else
			add_change_text(change, &text);
	}
	if (request->json) {
		json_finish(&json);
	} else if (!shown && headings) {
		strbuf_add_format(&text, "# no field's share %s beyond noise (--all)\n",
				  comparison->regress ? "rose" : "changed");
	}
	if (headings)
		add_grounds(comparison, compared, comparison->regress ? worst : NULL, &text);
	pager_start();
	print_text(&text);
}

static struct error *compare_builds(struct build_comparison *comparison)
{
	for (int side = 0; side < 2; side++)
		RETURN_ERROR(read_build(comparison, side));
	for (int side = 0; side < 2 && comparison->regress; side++)
		if (build_changes_hosts(comparison->changes, side) < 2)
			return error_other("the build %s has one host: it is not known what hosts "
					   "differ by (store diff shows what samples differ by)",
					   comparison->builds[side]);
	show_changes(comparison);
	return NULL;
}

static struct error *run_comparison(struct store *store, struct store_request *request,
				    char **builds, bool regress)
{
	struct build_comparison comparison = { .store = store,
					       .request = request,
					       .builds = builds,
					       .regress = regress,
					       .changes = build_changes_create() };
	struct error *error = compare_builds(&comparison);

	build_changes_destroy(comparison.changes);
	arena_deinit(&comparison.arena);
	return error;
}

struct error *store_diff(struct store *store, struct store_request *request, int count _unused_,
			 char **builds)
{
	return run_comparison(store, request, builds, false);
}

struct error *store_regress(struct store *store, struct store_request *request, int count _unused_,
			    char **builds)
{
	return run_comparison(store, request, builds, true);
}
