// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing command lines and the configuration file, and printing --help from the same tables. */
#include "profiler/cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/strbuf.h"
#include "profiler/cli/output.h"
#include "profiler/objects/companion_cache.h"

/* An option as the user wrote it, for messages: "-s" or "--sort". */
struct spelling {
	char text[48];
};

static struct spelling spell_long(const char *name)
{
	struct spelling spelling;

	snprintf(spelling.text, sizeof(spelling.text), "--%s", name);
	return spelling;
}

static struct spelling spell_letter(char letter)
{
	struct spelling spelling;

	snprintf(spelling.text, sizeof(spelling.text), "-%c", letter);
	return spelling;
}

static bool takes_argument(const struct option_spec *option)
{
	return option->kind >= OPTION_STRING && option->kind != OPTION_CALL_OPTIONAL;
}

static bool may_go_without(const struct option_spec *option)
{
	return option->kind == OPTION_CALL_NEXT;
}

static bool is_flag(const struct option_spec *option)
{
	return option->kind == OPTION_FLAG || option->kind == OPTION_COUNT;
}

bool option_number(const char *text, unsigned long long max, unsigned long long *result)
{
	char *end;
	unsigned long long scale = 1;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;

	unsigned long long value = strtoull(text, &end, 10);

	if (errno)
		return false;
	switch (*end) {
	case 'k':
	case 'K': scale = 1000; break;
	case 'm':
	case 'M': scale = 1000000; break;
	case 'g':
	case 'G': scale = 1000000000; break;
	}
	if (scale > 1)
		end++;
	if (*end || value > max / scale)
		return false;
	*result = value * scale;
	return true;
}

const struct option_units option_sizes = { "BKMG", { 1, 1 << 10, 1 << 20, 1 << 30 } },
			  option_times = { "smhdw", { 1, 60, 3600, 86400, 7 * 86400 } };

bool option_quantity(const char *text, const struct option_units *units, double *value)
{
	char *end;
	double number = isdigit((unsigned char)*text) ? strtod(text, &end) : INFINITY;
	const char *unit = number <= 1e9 && *end && !end[1] ? strchr(units->letters, *end) : NULL;

	if (!unit)
		return false;
	*value = number * units->factors[unit - units->letters];
	return true;
}

static struct error *store_unsigned(const struct option_spec *option, struct spelling spelling,
				    const char *argument)
{
	unsigned long long number;

	if (!option_number(argument, option->kind == OPTION_U64 ? UINT64_MAX : UINT_MAX, &number))
		return error_other("%s takes a number, not '%s'", spelling.text, argument);
	if (option->kind == OPTION_U64)
		*(uint64_t *)option->value = number;
	else
		*(unsigned int *)option->value = number;
	return NULL;
}

struct error *option_percent(const char *option, const char *text, double *result)
{
	char *end;

	assert(text); /* percentages have no default */

	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0 && percent <= 100))
		return error_other("%s takes a percentage from 0 to 100, not '%s'", option, text);
	*result = percent;
	return NULL;
}

static struct error *store_word(const struct option_words *value, struct spelling spelling,
				const char *argument)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;

	for (unsigned int i = 0; value->words[i]; i++) {
		if (!strcmp(argument, value->words[i])) {
			*value->chosen = i;
			return NULL;
		}
		strbuf_add_format(&list, "%s%s",
				  !i                    ? ""
				  : value->words[i + 1] ? ", "
							: " or ",
				  value->words[i]);
	}
	return error_other("%s takes %s, not '%s'", spelling.text, list.data, argument);
}

static bool takes_name(const struct option_spec *option)
{
	return option->argument &&
	       (starts_with(option->argument, "FILE") || starts_with(option->argument, "PATH") ||
		starts_with(option->argument, "DIR"));
}

static struct error *store(const struct option_spec *option, struct spelling spelling,
			   const char *argument, bool negated)
{
	if (argument && !*argument && takes_name(option))
		return error_other("%s: the name is empty", spelling.text);
	switch (option->kind) {
	case OPTION_FLAG: *(bool *)option->value = !negated; return NULL;
	case OPTION_COUNT: {
		unsigned int *count = option->value;

		*count = negated ? 0 : *count + 1;
		return NULL;
	}
	case OPTION_STRING: *(const char **)option->value = argument; return NULL;
	case OPTION_UNSIGNED:
	case OPTION_U64: return store_unsigned(option, spelling, argument);
	case OPTION_PERCENT: return option_percent(spelling.text, argument, option->value);
	case OPTION_ENUM: return store_word(option->value, spelling, argument);
	case OPTION_CALL:
	case OPTION_CALL_OPTIONAL:
	case OPTION_CALL_NEXT: {
		struct error *error = option->call(option->value, argument);

		return error ? error_prefix(error, "%s", spelling.text) : NULL;
	}
	case OPTION_GROUP:
	case OPTION_END: break;
	}
	return NULL;
}

static size_t option_count(const struct option_spec *options)
{
	size_t count = 0;

	while (options[count].kind != OPTION_END)
		count++;
	return count;
}

static const struct option_spec *option_named(const struct option_spec *options, const char *name)
{
	for (; name && options->kind != OPTION_END; options++)
		if (options->name && !strcmp(options->name, name))
			return options;
	return NULL;
}

static bool has_letter(const struct option_spec *options, char letter)
{
	for (; letter && options->kind != OPTION_END; options++)
		if (options->letter == letter)
			return true;
	return false;
}

struct option_spec *options_combine(const struct option_spec *first, const struct option_spec *rest)
{
	size_t count = option_count(first);
	struct option_spec *both = xcalloc(count + option_count(rest) + 1, sizeof(*both));

	memcpy(both, first, count * sizeof(*both));
	for (; rest->kind != OPTION_END; rest++) {
		if (option_named(first, rest->name))
			continue;
		both[count] = *rest;
		if (has_letter(first, rest->letter))
			both[count].letter = 0;
		count++;
	}
	both[count].kind = OPTION_END;
	return both;
}

/*
 * Finds the option that `name` (of `length` bytes) is or begins uniquely. Sets *negated for
 * --no-NAME.
 */
static struct error *find_long(const struct command_usage *usage, const char *name, size_t length,
			       const struct option_spec **result, bool *negated)
{
	const struct option_spec *begun = NULL;
	bool begun_negated = false, ambiguous = false;
	size_t no = length > 3 && starts_with(name, "no-") ? 3 : 0; /* length of "no-" */

	for (const struct option_spec *option = usage->options; option->kind != OPTION_END;
	     option++) {
		if (option->kind == OPTION_GROUP)
			continue;
		for (size_t skipped = 0; skipped <= (is_flag(option) ? no : 0); skipped += 3) {
			if (strncmp(option->name, name + skipped, length - skipped) != 0)
				continue;
			if (!option->name[length - skipped]) {
				*result = option;
				*negated = skipped;
				return NULL;
			}
			ambiguous = ambiguous || begun;
			if (!begun) {
				begun = option;
				begun_negated = skipped;
			}
		}
	}
	if (ambiguous)
		return error_other("option --%.*s is ambiguous: --%s or another one", (int)length,
				   name, begun->name);
	*result = begun;
	*negated = begun_negated;
	return NULL;
}

static struct error *unknown_option(const struct command_usage *usage, struct spelling spelling)
{
	static const char *const of_program[] = { "--no-pager", "--no-sandbox", "--buildid-dir" };
	struct nearest nearest = { .word = spelling.text + 2 };

	if (spelling.text[1] == '-')
		for (const struct option_spec *option = usage->options; option->kind != OPTION_END;
		     option++)
			if (option->kind != OPTION_GROUP)
				nearest_consider(&nearest, option->name);

	const char *space = usage->name[0] ? " " : "";

	for (size_t i = 0; usage->name[0] && i < COUNT_OF(of_program); i++)
		if (!strcmp(spelling.text, of_program[i]))
			return error_other("%s goes before the command: dtprof %s %s",
					   spelling.text, spelling.text, usage->name);
	if (nearest.best)
		return error_other(
			"unknown option %s; did you mean --%s? (dtprof%s%s --help lists all)",
			spelling.text, nearest.best, space, usage->name);
	return error_other("unknown option %s (dtprof%s%s --help lists all)", spelling.text, space,
			   usage->name);
}

struct options_parser {
	const struct command_usage *usage;
	int argc;
	char **argv;
	int next; /* index in argv */
	enum options_outcome outcome;
	struct strbuf given; /* the names of the options, with a blank before and after each */
	bool looks;          /* nothing is set, and argv stays as it is */
};

/* Returns the place of a name among `names` with blanks around each; NULL: not there. */
static const char *find_name(const char *names, const char *name)
{
	_cleanup_free_ char *word = xasprintf(" %s ", name);

	return names ? strstr(names, word) : NULL;
}

/* Sets an option of the command line. */
static struct error *take_option(struct options_parser *parser, const struct option_spec *option,
				 struct spelling spelling, const char *argument, bool negated)
{
	const char *noted = find_name(parser->given.data, option->name);

	if (negated && noted)
		memset(parser->given.data + (noted - parser->given.data), ' ',
		       strlen(option->name) + 1);
	else if (!negated && !noted)
		strbuf_add_format(&parser->given, " %s ", option->name);
	return parser->looks ? NULL : store(option, spelling, argument, negated);
}

static struct error *next_argument(struct options_parser *parser, struct spelling spelling,
				   const struct option_spec *option, const char **argument)
{
	bool follows = parser->next < parser->argc;

	if (may_go_without(option) && (!follows || parser->argv[parser->next][0] == '-'))
		return NULL;
	if (!follows)
		return error_other("%s needs %s", spelling.text, option->argument);
	*argument = parser->argv[parser->next++];
	return NULL;
}

static struct error *parse_long(struct options_parser *parser, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);
	const struct option_spec *option = NULL;
	const char *argument = equals ? equals + 1 : NULL;
	bool negated = false;

	if (text_is(text, length, "help")) {
		parser->outcome = OPTIONS_HELP;
		return NULL;
	}
	RETURN_ERROR(find_long(parser->usage, text, length, &option, &negated));
	if (!option) {
		struct spelling written;

		snprintf(written.text, sizeof(written.text), "--%.*s",
			 (int)(length < 45 ? length : 45), text);
		return unknown_option(parser->usage, written);
	}

	struct spelling spelling = spell_long(option->name);

	if (is_flag(option) && argument)
		return error_other("%s takes no argument", spelling.text);
	if (takes_argument(option) && !argument)
		RETURN_ERROR(next_argument(parser, spelling, option, &argument));
	return take_option(parser, option, spelling, argument, negated);
}

/* Parses one word of short options: "-n", "-fn" or "-sKEY". */
static struct error *parse_letters(struct options_parser *parser, const char *letters)
{
	while (*letters) {
		const struct option_spec *option = parser->usage->options;
		char letter = *letters++;
		struct spelling spelling = spell_letter(letter);
		const char *argument = NULL;

		while (option->kind != OPTION_END &&
		       (option->kind == OPTION_GROUP || option->letter != letter))
			option++;
		if (option->kind == OPTION_END) {
			if (letter != 'h')
				return unknown_option(parser->usage, spelling);
			parser->outcome = OPTIONS_HELP;
			return NULL;
		}
		if (takes_argument(option)) {
			if (*letters)
				argument = letters;
			else
				RETURN_ERROR(next_argument(parser, spelling, option, &argument));
			letters = "";
		} else if (option->kind == OPTION_CALL_OPTIONAL && *letters) {
			argument = letters; /* -z9, as in perf */
			letters = "";
		}
		RETURN_ERROR(take_option(parser, option, spelling, argument, false));
	}
	return NULL;
}

/* Parses all words, and moves those that are no options to the beginning. */
static struct error *parse_words(struct options_parser *parser, enum options_style style, int *kept)
{
	bool ended = false;

	*kept = 0;
	while (parser->next < parser->argc && parser->outcome != OPTIONS_HELP) {
		char *word = parser->argv[parser->next++];

		if (!ended && !strcmp(word, "--")) {
			ended = true;
		} else if (ended || word[0] != '-' || !word[1]) {
			if (!parser->looks)
				parser->argv[*kept] = word;
			++*kept;
			ended = ended || style == OPTIONS_FIRST;
		} else {
			RETURN_ERROR(word[1] == '-' ? parse_long(parser, word + 2)
						    : parse_letters(parser, word + 1));
		}
	}
	if (!parser->looks)
		parser->argv[*kept] = NULL;
	return NULL;
}

/* Returns the first of the options given that excludes `name`, which must be freed; NULL: none. */
static char *find_excluding(const struct command_usage *usage, const char *name, const char *given)
{
	for (const char *const *set = usage->alternatives; set && *set; set++) {
		_cleanup_free_ char *names = xasprintf(" %s ", *set);
		char *rest = NULL;

		if (!find_name(names, name))
			continue;
		for (char *other = strtok_r(names, " ", &rest); other;
		     other = strtok_r(NULL, " ", &rest)) {
			assert(option_named(usage->options, other));
			if (strcmp(other, name) != 0 && find_name(given, other))
				return xstrdup(other);
		}
	}
	return NULL;
}

static struct error *check_alternatives(const struct command_usage *usage, const char *given)
{
	for (const struct option_spec *option = usage->options; option->kind != OPTION_END;
	     option++) {
		_cleanup_free_ char *other = NULL;

		if (option->kind == OPTION_GROUP || !find_name(given, option->name))
			continue;
		other = find_excluding(usage, option->name, given);
		if (other)
			return error_other("--%s and --%s cannot be combined", option->name, other);
	}
	return NULL;
}

struct error *options_parse(int argc, char **argv, const struct command_usage *usage,
			    enum options_style style, enum options_outcome *outcome, int *rest)
{
	struct options_parser parser = { .usage = usage, .argc = argc, .argv = argv, .next = 1 };
	struct error *error = parse_words(&parser, style, rest);

	if (!error && parser.outcome != OPTIONS_HELP)
		error = check_alternatives(usage, parser.given.data);
	strbuf_deinit(&parser.given);
	*outcome = parser.outcome;
	return error;
}

bool option_truth(const char *word, bool *truth)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };

	for (size_t i = 0; word && i < COUNT_OF(words); i++) {
		*truth = i % 2;
		if (!strcmp(words[i], word))
			return true;
	}
	*truth = true;
	return !word;
}

/* Sets the option as --NAME=VALUE would, for configuration files. `name` is the full name. A flag
 * takes true, yes, on, 1, NULL, or false, no, off, 0. `value` must live as long as the options. */
static struct error *options_set(const struct command_usage *usage, const char *name,
				 const char *value)
{
	const struct option_spec *option = usage->options;

	while (option->kind != OPTION_END &&
	       (option->kind == OPTION_GROUP || strcmp(option->name, name) != 0))
		option++;
	if (option->kind == OPTION_END)
		return error_other("%s has no option '%s' (dtprof %s --help lists all)",
				   usage->name, name, usage->name);
	if (is_flag(option)) {
		bool truth;

		if (!option_truth(value, &truth))
			return error_other("'%s' takes true or false, not '%s'", name, value);
		return store(option, spell_long(name), NULL, !truth);
	}
	if (!value && takes_argument(option) && !may_go_without(option))
		return error_other("'%s' needs a value", name);
	return store(option, spell_long(name), value, false);
}

#define HELP_COLUMN 30

static void print_option(const struct option_spec *option)
{
	char left[96];
	int length = option->letter ? snprintf(left, sizeof(left), "    -%c, --%s", option->letter,
					       option->name)
				    : snprintf(left, sizeof(left), "        --%s", option->name);

	if (option->argument)
		snprintf(left + length, sizeof(left) - length,
			 option->kind == OPTION_CALL_OPTIONAL ? "[=%s]"
			 : may_go_without(option)             ? " [%s]"
							      : " %s",
			 option->argument);
	print_definition(left, HELP_COLUMN, option->help);
}

void options_print_help(const struct command_usage *usage)
{
	_cleanup_free_ char *line =
		xasprintf("Usage: dtprof%s%s%s%s\n", usage->name[0] ? " " : "", usage->name,
			  usage->synopsis[0] ? " " : "", usage->synopsis);

	print_paragraph(line);
	putchar('\n');
	print_paragraph(usage->summary);
	if (usage->options->kind != OPTION_GROUP)
		printf("\nOptions:\n");
	for (const struct option_spec *option = usage->options; option->kind != OPTION_END;
	     option++) {
		if (option->kind == OPTION_GROUP)
			printf("\n%s:\n", option->help);
		else if (option->help)
			print_option(option);
	}
	print_definition("    -h, --help", HELP_COLUMN, "show this");
}

/* ---- the configuration file ---- */

#define CONFIG_LINE_MAX 4096

static struct arena values; /* options point into it until the program ends */

struct config {
	const struct command_usage *usage;
	struct strbuf
		*given; /* as in struct options_parser: of the command line, and of the file */
	char section[64];
};

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Sets *value to the value in `text`, without quotes, and comments from # or ; on. */
static struct error *take_value(char *text, const char **value)
{
	char *to = text;
	bool quoted = false;

	for (char *from = text; *from; from++) {
		if (*from == '"')
			quoted = !quoted;
		else if (!quoted && (*from == '#' || *from == ';'))
			break;
		else
			*to++ = *from;
	}
	if (quoted)
		return error_other("a quote is not closed");
	*to = '\0';
	*value = arena_strdup(&values, trim(text));
	return NULL;
}

/* Returns whether a section is a command, or one of the halves of a command that has them. */
static bool is_command(const char *section)
{
	_cleanup_free_ char *command = xstrdup(section);
	char *half = strchr(command, ' ');

	if (half)
		*half++ = '\0';
	return global_options.command_is_known(command) &&
	       (!half || !strcmp(half, "record") || !strcmp(half, "report"));
}

static struct error *take_section(struct config *config, char *line)
{
	char *end = strchr(line, ']');

	if (!end || trim(end + 1)[0])
		return error_other("a section's line is [SECTION] and nothing else, not '%s'",
				   line);
	*end = '\0';
	line = trim(line + 1);
	if (strcmp(line, "color") != 0 && strcmp(line, "tui") != 0 && !is_command(line))
		return error_other(
			"there is no command '%s', and no other section but [color] and [tui]",
			line);
	snprintf(config->section, sizeof(config->section), "%s", line);
	return NULL;
}

/* The keys of [index] that are of all commands. */
static const struct command_usage index_keys = {
	.name = "index",
	.options =
		(const struct option_spec[]){
			FLAG(0, "auto", &global_options.index_auto, NULL),
			OPTION(U64, 0, "cache-size", &companion_cache_size, "BYTES", NULL),
			OPTIONS_END,
		},
};

static struct error *take_line(struct config *config, char *line)
{
	char *equals;
	const char *name, *value = NULL;

	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return NULL;
	if (*line == '[')
		return take_section(config, line);
	if (!config->section[0])
		return error_other("'%s' stands before the first [SECTION]", line);
	equals = strchr(line, '=');
	if (equals) {
		*equals = '\0';
		RETURN_ERROR(take_value(equals + 1, &value));
	}
	name = trim(line);
	if (!strcmp(config->section, "color")) {
		if (strcmp(name, "ui") != 0)
			return error_other("[color] has only ui, not '%s'", name);
		/* --color before the command wins */
		return global_options.colour == COLOUR_AUTO ? parse_colour_option(NULL, value)
							    : NULL;
	}
	if (!strcmp(config->section, "index") &&
	    (!strcmp(name, "auto") || !strcmp(name, "cache-size")))
		return options_set(&index_keys, name, value);
	/* as in perf, a key is a command that may open a browser */
	if (!strcmp(config->section, "tui")) {
		if (!global_options.command_is_known(name))
			return error_other("[tui] has commands, not '%s'", name);
		if (strcmp(name, config->usage->name) != 0)
			return NULL;
		name = "tui";
		value = value ?: "true";
	} else if (strcmp(config->section, config->usage->name) != 0) {
		return NULL;
	}

	_cleanup_free_ char *other = find_excluding(config->usage, name, config->given->data);
	bool truth;

	if (other)
		return NULL;
	if (!option_truth(value, &truth) || truth)
		strbuf_add_format(config->given, " %s ", name);
	return options_set(config->usage, name, value);
}

static struct error *read_config(FILE *file, const char *path, const struct command_usage *usage,
				 struct strbuf *given)
{
	struct config config = { .usage = usage, .given = given };
	char line[CONFIG_LINE_MAX];

	for (unsigned int number = 1; fgets(line, sizeof(line), file); number++) {
		size_t length = strlen(line);
		struct error *error = length == sizeof(line) - 1 && line[length - 1] != '\n'
					      ? error_other("the line is longer than %d bytes",
							    CONFIG_LINE_MAX - 2)
					      : take_line(&config, line);

		if (error)
			return error_prefix(error, "%s:%u", path, number);
	}
	return ferror(file) ? error_errno(errno, "cannot read all of %s", path) : NULL;
}

struct error *config_apply(int argc, char **argv, const struct command_usage *usage,
			   enum options_style style)
{
	const char *chosen = getenv("DTPROF_CONFIG"), *home = getenv("HOME");
	_cleanup_free_ char *path = NULL;
	struct options_parser parser = {
		.usage = usage, .argc = argc, .argv = argv, .next = 1, .looks = true
	};
	FILE *file;
	struct error *error;
	int fd, words;

	if (chosen ? !*chosen : !home || !*home)
		return NULL;
	path = chosen ? xstrdup(chosen) : xasprintf("%s/.dtprofconfig", home);
	/* sudo and su may leave $HOME as another user's, whose file says where root's output goes.
	 * git and perf go on without the file, and do not even say so. */
	error = believed_file_open(path, &fd);
	if (error && !chosen) {
		if (error->code != ERROR_NOT_FOUND)
			warning("%s: not used", error->message);
		error_destroy(error);
		return NULL;
	}
	RETURN_ERROR(error);
	file = fdopen(fd, "r");
	if (!file) {
		error = error_errno(errno, "cannot read %s", path);
		close(fd);
		return error;
	}
	/* what is wrong with the command line is said when it is parsed */
	error_destroy(parse_words(&parser, style, &words));
	error = read_config(file, path, usage, &parser.given);
	strbuf_deinit(&parser.given);
	fclose(file);
	return error;
}

/* ---- globals ---- */

struct global_options global_options = { .command = "" };

struct error *parse_colour_option(void *value _unused_, const char *argument)
{
	if (!argument || !strcmp(argument, "always"))
		global_options.colour = COLOUR_ALWAYS;
	else if (!strcmp(argument, "auto"))
		global_options.colour = COLOUR_AUTO;
	else if (!strcmp(argument, "never"))
		global_options.colour = COLOUR_NEVER;
	else
		return error_other("'%s' is not auto, always or never", argument);
	return NULL;
}

struct error *parse_debug_option(void *value _unused_, const char *argument)
{
	each_word (word, length, argument) {
		if (!text_is(word, length, "type-profile"))
			return error_other("'%.*s' is unknown; the only key is type-profile",
					   (int)length, word);
		global_options.debug_type_profile = true;
	}
	return NULL;
}

struct error *parse_build_id_folder(void *value _unused_, const char *argument)
{
	build_id_folder = argument;
	return NULL;
}

bool command_begin(int argc, char **argv, const struct command_usage *usage,
		   enum options_style style, int *rest, int *status)
{
	enum options_outcome outcome;
	struct error *error = config_apply(argc, argv, usage, style);

	if (!error)
		error = options_parse(argc, argv, usage, style, &outcome, rest);
	if (error) {
		*status = command_fail_usage(error);
		return false;
	}
	if (outcome == OPTIONS_HELP) {
		options_print_help(usage);
		*status = EXIT_SUCCESS;
		return false;
	}
	return true;
}

bool command_abbreviates(const char *word, const char *name)
{
	return strlen(word) > 2 && starts_with(name, word);
}

int command_pair(int argc, char **argv, const struct command_usage *usage,
		 int (*record)(int argc, char **argv), int (*report)(int argc, char **argv))
{
	int rest, status;

	if (!command_begin(argc, argv, usage, OPTIONS_FIRST, &rest, &status))
		return status;
	if (rest && command_abbreviates(argv[0], "record"))
		return record(rest, argv);
	if (rest && command_abbreviates(argv[0], "report"))
		return report(rest, argv);
	return command_fail_usage(
		rest ? error_other("'%s' is neither record nor report", argv[0])
		     : error_other("record or report is missing (see dtprof %s --help)",
				   usage->name));
}
