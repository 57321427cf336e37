// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the comments of a case: see case_file.h. */
#include "tests/support/case_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"

#define SPACES " \t"

static char *trimmed(const char *text, size_t length)
{
	while (length && strchr(SPACES, *text))
		text++, length--;
	while (length && strchr(SPACES, text[length - 1]))
		length--;
	return xstrndup(text, length);
}

static void add_text(char ***list, size_t *count, char *text)
{
	*list = xrealloc_array(*list, *count + 1, sizeof(**list));
	(*list)[(*count)++] = text;
}

/* Appends the parts of `text` between `separator`s; empty ones are left out. */
static void add_parts(char ***list, size_t *count, const char *text, char separator)
{
	while (*text) {
		const char *end = strchrnul(text, separator);
		char *part = trimmed(text, (size_t)(end - text));

		if (*part)
			add_text(list, count, part);
		else
			free(part);
		text = end + (*end != '\0');
	}
}

static void free_list(char **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

const char *case_line_code(const char *line, size_t *length)
{
	const char *comment = strstr(line, "//");

	*length = comment ? (size_t)(comment - line) : strlen(line);
	while (*length && isspace((unsigned char)line[*length - 1]))
		(*length)--;
	return line;
}

/* ---- answers ---- */

/* "text [marks]", "text..." */
static struct case_answer parse_answer(const char *text)
{
	struct case_answer answer = { .source = xstrdup(text) };
	size_t length = strlen(text);
	const char *marks = length && text[length - 1] == ']' ? strstr(text, " [") : NULL;

	if (marks) {
		answer.marks = xstrndup(marks + 2, (size_t)(text + length - 1 - (marks + 2)));
		length = (size_t)(marks - text);
	}
	answer.prefix = length >= 3 && strncmp(text + length - 3, "...", 3) == 0;
	if (answer.prefix)
		length -= 3;
	answer.text = xstrndup(text, length);
	return answer;
}

static void add_answers(struct case_file *file, const struct case_expectation *common,
			const char *text, size_t length)
{
	_cleanup_free_ char *copy = xstrndup(text, length);
	char **parts = NULL;
	size_t count = 0;

	add_parts(&parts, &count, copy, ';');
	for (size_t i = 0; i < count; i++) {
		struct case_expectation *expectation;

		file->expectations = xrealloc_array(file->expectations, file->expectation_count + 1,
						    sizeof(*file->expectations));
		expectation = &file->expectations[file->expectation_count++];
		*expectation = *common;
		expectation->label = common->label ? xstrdup(common->label) : NULL;
		expectation->function = common->function ? xstrdup(common->function) : NULL;
		expectation->answer = parse_answer(parts[i]);
	}
	free_list(parts, count);
}

/* Finds the next "EXPECT", "MAY" or "EXPECT-IN" with its colon, or NULL. The word after it is the
 * label, or the function. */
static const char *find_marker(const char *text, struct case_expectation *marker,
			       const char **answers)
{
	static const struct {
		const char *word;
		bool required, in_function;
	} words[] = { { "EXPECT-IN", true, true },
		      { "EXPECT", true, false },
		      { "MAY", false, false } };

	for (; *text; text++)
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			size_t length = strlen(words[i].word);
			const char *colon, *name;

			if (strncmp(text, words[i].word, length) != 0 ||
			    (text[length] != ':' && text[length] != ' '))
				continue;
			name = text + length;
			name += *name == ' ';
			colon = name + strcspn(name, ": ");
			if (*colon != ':')
				continue;
			char *word = colon > name ? xstrndup(name, (size_t)(colon - name)) : NULL;

			marker->required = words[i].required;
			marker->function = words[i].in_function ? word : NULL;
			marker->label = words[i].in_function ? NULL : word;
			*answers = colon + 1;
			return text;
		}
	return NULL;
}

static void parse_expectations(struct case_file *file, const char *comment, unsigned int line)
{
	struct case_expectation marker = { .line = line }, next = { .line = line };
	const char *answers, *next_answers, *at = find_marker(comment, &marker, &answers);

	while (at) {
		at = find_marker(answers, &next, &next_answers);
		if (marker.function)
			marker.line = 0;
		add_answers(file, &marker, answers, at ? (size_t)(at - answers) : strlen(answers));
		free(marker.label);
		free(marker.function);
		marker = next;
		next = (struct case_expectation){ .line = line };
		answers = next_answers;
	}
}

/* ---- the lines at the top ---- */

static const char *const default_compilers[] = { [CASE_C] = "gcc clang",
						 [CASE_CXX] = "g++ clang++",
						 [CASE_RUST] = "rustc",
						 [CASE_ASSEMBLY] = "gcc clang" };

static const char *const default_flags[] = { [CASE_C] = "-O2",
					     [CASE_CXX] = "-O2 -std=c++17",
					     [CASE_RUST] = "-C opt-level=3",
					     [CASE_ASSEMBLY] = "" };

static bool take_option(const char *word, struct case_run *run)
{
	static const char no_rule[] = "--no-rule=";

	if (strcmp(word, "--no-infer") == 0)
		run->no_infer = true;
	else if (strcmp(word, "--fused") == 0)
		run->fused = true;
	else if (strncmp(word, no_rule, strlen(no_rule)) == 0)
		run->no_rules = xstrdup(word + strlen(no_rule));
	else
		return false;
	return true;
}

/* "gcc clang -O1 --no-infer": compilers, their flags, and options of the engine in any order. */
static void add_runs(struct case_file *file, const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf flags = STRBUF_INIT;
	char **words = NULL, **compilers = NULL;
	size_t word_count = 0, compiler_count = 0;
	struct case_run common = { 0 };

	add_parts(&words, &word_count, text, ' ');
	strbuf_add_string(&flags, default_flags[file->language]);
	for (size_t i = 0; i < word_count; i++) {
		if (take_option(words[i], &common))
			continue;
		if (*words[i] != '-' && flags.length == strlen(default_flags[file->language]))
			add_text(&compilers, &compiler_count, xstrdup(words[i]));
		else
			strbuf_add_format(&flags, " %s", words[i]);
	}
	if (!compiler_count)
		add_parts(&compilers, &compiler_count, default_compilers[file->language], ' ');
	for (size_t i = 0; i < compiler_count; i++) {
		file->runs = xrealloc_array(file->runs, file->run_count + 1, sizeof(*file->runs));
		file->runs[file->run_count] = common;
		file->runs[file->run_count].name = name ? xstrdup(name) : NULL;
		file->runs[file->run_count].compiler = xstrdup(compilers[i]);
		file->runs[file->run_count].flags = xstrdup(flags.data);
		file->runs[file->run_count++].no_rules =
			common.no_rules ? xstrdup(common.no_rules) : NULL;
	}
	free(common.no_rules);
	free_list(words, word_count);
	free_list(compilers, compiler_count);
}

/* Returns the text after "// WORD:" or "// WORD NAME:", or NULL if the line is another one. */
static const char *directive(const char *line, const char *word, char **name)
{
	size_t length = strlen(word);
	const char *at = line + strspn(line, SPACES), *colon;

	if (strncmp(at, "// ", 3) != 0 || strncmp(at + 3, word, length) != 0)
		return NULL;
	at += 3 + length;
	at += *at == ' ';
	colon = at + strcspn(at, ": ");
	if (*colon != ':')
		return NULL;
	if (name)
		*name = colon > at ? xstrndup(at, (size_t)(colon - at)) : NULL;
	return colon + 1 + strspn(colon + 1, SPACES);
}

static void parse_link(struct case_file *file, const char *text)
{
	static const char per_cpu[] = "kernel, per-cpu at ";

	file->kernel = strncmp(text, "kernel", 6) == 0;
	file->fixed = strncmp(text, "fixed", 5) == 0;
	if (strncmp(text, per_cpu, strlen(per_cpu)) == 0)
		file->per_cpu_start = xstrdup(text + strlen(per_cpu));
}

/* Parses a line about how the case is compiled and asked about. Returns false for other lines. */
static bool parse_directive(struct case_file *file, const char *line)
{
	const char *text;
	char *name = NULL;

	if ((text = directive(line, "CASE", NULL))) {
		file->about = xstrdup(text);
	} else if ((text = directive(line, "RUN", &name))) {
		add_runs(file, name, text);
		free(name);
	} else if ((text = directive(line, "LINK", NULL))) {
		parse_link(file, text);
	} else if ((text = directive(line, "TYPES", NULL))) {
		file->btf = strncmp(text, "BTF", 3) == 0;
	} else if ((text = directive(line, "UNPROTOTYPED", NULL))) {
		add_parts(&file->unprototyped, &file->unprototyped_count, text, ' ');
	} else if ((text = directive(line, "CODE", NULL))) {
		add_parts(&file->code, &file->code_count, text, ';');
	} else if ((text = directive(line, "SINCE", NULL))) {
		file->since = xstrdup(text);
	} else if ((text = directive(line, "BEFORE", NULL))) {
		add_parts(&file->before, &file->before_count, text, ';');
	} else if ((text = directive(line, "RULES", NULL))) {
		add_parts(&file->rules, &file->rule_count, text, ',');
	} else if ((text = directive(line, "FORBID", NULL))) {
		add_parts(&file->forbidden, &file->forbidden_count, text, ';');
	} else {
		return false;
	}
	return true;
}

/* ---- the whole ---- */

static enum case_language language_of(const char *name)
{
	const char *suffix = strrchr(name, '.');

	if (suffix && strcmp(suffix, ".cc") == 0)
		return CASE_CXX;
	if (suffix && strcmp(suffix, ".rs") == 0)
		return CASE_RUST;
	return suffix && strcmp(suffix, ".S") == 0 ? CASE_ASSEMBLY : CASE_C;
}

static bool read_lines(struct case_file *file)
{
	FILE *stream = fopen(file->path, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!stream)
		return false;
	while ((length = getline(&line, &size, stream)) >= 0) {
		if (length && line[length - 1] == '\n')
			line[length - 1] = '\0';
		add_text(&file->lines, &file->line_count, xstrdup(line));
	}
	free(line);
	fclose(stream);
	return true;
}

static void parse_lines(struct case_file *file)
{
	unsigned int code_line = 0;

	for (size_t i = 0; i < file->line_count; i++) {
		const char *line = file->lines[i], *comment = strstr(line, "//");
		size_t length;

		if (parse_directive(file, line))
			continue;
		case_line_code(line, &length);
		if (length)
			code_line = (unsigned int)i + 1;
		if (comment)
			parse_expectations(file, comment, code_line);
	}
}

static char *check(const struct case_file *file)
{
	bool expects = false;

	if (!file->about)
		return xasprintf("%s:2: there is no line \"// CASE: what it shows\"", file->path);
	for (size_t i = 0; i < file->expectation_count; i++) {
		const struct case_expectation *expectation = &file->expectations[i];
		bool holds = false;

		expects |= expectation->required;
		for (size_t j = 0; j < file->run_count && expectation->label; j++)
			holds |= case_expectation_holds(file, expectation, &file->runs[j]);
		if (expectation->label && !holds)
			return xasprintf("%s:%u: no run is called %s", file->path,
					 expectation->line, expectation->label);
	}
	if (!expects)
		return xasprintf("%s: a case without an EXPECT tests nothing", file->path);
	return NULL;
}

char *case_file_read(const char *path, struct case_file *file)
{
	const char *slash = strrchr(path, '/');

	*file = (struct case_file){ .path = xstrdup(path),
				    .name = xstrdup(slash ? slash + 1 : path) };
	file->language = language_of(file->name);
	if (!read_lines(file))
		return xasprintf("%s: %s", path, strerror(errno));
	parse_lines(file);
	if (!file->run_count)
		add_runs(file, NULL, "");
	return check(file);
}

void case_file_deinit(struct case_file *file)
{
	for (size_t i = 0; i < file->run_count; i++) {
		free(file->runs[i].name);
		free(file->runs[i].compiler);
		free(file->runs[i].flags);
		free(file->runs[i].no_rules);
	}
	free(file->runs);
	for (size_t i = 0; i < file->expectation_count; i++) {
		free(file->expectations[i].label);
		free(file->expectations[i].function);
		free(file->expectations[i].answer.text);
		free(file->expectations[i].answer.marks);
		free(file->expectations[i].answer.source);
	}
	free(file->expectations);
	free_list(file->unprototyped, file->unprototyped_count);
	free_list(file->code, file->code_count);
	free_list(file->forbidden, file->forbidden_count);
	free_list(file->rules, file->rule_count);
	free_list(file->before, file->before_count);
	free_list(file->lines, file->line_count);
	free(file->about);
	free(file->since);
	free(file->per_cpu_start);
	free(file->name);
	free(file->path);
}

/* g++ is "gcc" as well, clang++ "clang". */
static bool is_compiler(const char *label, const struct case_run *run)
{
	return strcmp(label, run->compiler) == 0 ||
	       (strcmp(label, "gcc") == 0 && strcmp(run->compiler, "g++") == 0) ||
	       (strcmp(label, "clang") == 0 && strcmp(run->compiler, "clang++") == 0);
}

static bool is_name(const char *label, const struct case_run *run)
{
	return run->name && strcmp(label, run->name) == 0;
}

bool case_expectation_holds(const struct case_file *file,
			    const struct case_expectation *expectation, const struct case_run *run)
{
	if (expectation->label && is_name(expectation->label, run))
		return true;
	if (expectation->label && !is_compiler(expectation->label, run))
		return false;
	for (size_t i = 0; i < file->expectation_count && expectation->required; i++) {
		const struct case_expectation *other = &file->expectations[i];

		if (other->line == expectation->line && other->required && other->label &&
		    is_name(other->label, run))
			return false;
	}
	return true;
}
