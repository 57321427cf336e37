// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages, colour, the pager, progress, and where types come from. */
#include "profiler/cli/output.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/cli/options.h"
#include "report/text.h"

/* ---- messages ---- */

#define DEFAULT_COLUMNS 80 /* of terminals that do not know their size: serial ones */

/* Returns the columns of the terminal that a descriptor refers to; 0: it is not a terminal. */
static unsigned int columns_of(int descriptor)
{
	struct winsize size;

	if (!isatty(descriptor))
		return 0;
	return !ioctl(descriptor, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : DEFAULT_COLUMNS;
}

/* Prints a line to standard error. On a terminal, the line is broken only between words. */
static void print_message(const char *kind, char *message)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	make_printable(message, strlen(message));
	strbuf_add_format(&text, "dtprof%s%s: %s", global_options.command[0] ? " " : "",
			  global_options.command, kind);
	if (columns_of(STDERR_FILENO))
		text_add_wrapped(&text, message, text.length, columns_of(STDERR_FILENO), 2);
	else
		strbuf_add_string(&text, message);
	/* keep the order of output and messages where both go to one place */
	fflush(stdout);
	fprintf(stderr, "%s\n", text.data);
}

static struct output_file redirected; /* the file of -o that standard output goes to */

int command_fail(struct error *error)
{
	print_message("", error->message);
	error_destroy(output_file_close(&redirected, false));
	error_destroy(error);
	return EXIT_FAILURE;
}

int command_fail_usage(struct error *error)
{
	command_fail(error);
	return EXIT_USAGE;
}

void print_printable(const char *format, ...)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	VARIADIC_TEXT(line, format);

	strbuf_add_string(&text, line);
	strbuf_end_line(&text, 0);
	print_text(&text);
}

void print_text(const struct strbuf *text)
{
	assert(text->printable);
	fwrite(text->data, 1, text->length, stdout);
}

struct error *redirect_stdout(const char *path, const char *input)
{
	if (!strcmp(path, "-"))
		return NULL;
	RETURN_ERROR(output_file_open(path, input, OUTPUT_PRIVATE, &redirected));
	fflush(stdout);
	if (dup2(redirected.written->fd, STDOUT_FILENO) >= 0)
		return NULL;

	struct error *error = error_errno(errno, "-o: cannot write %s", path);

	error_destroy(output_file_close(&redirected, false));
	return error;
}

static struct written standard_output = { .fd = STDOUT_FILENO };

void stdout_watch(void)
{
	FILE *stream = written_open(&standard_output);

	if (!stream)
		return;
	stdout = stream;
	if (isatty(STDOUT_FILENO))
		setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

int stdout_finish(int status)
{
	fflush(stdout);

	int number = standard_output.error_number;
	struct error *error = output_file_close(&redirected, !number);

	if (error)
		return command_fail(error);
	if (!number || number == EPIPE)
		return status;
	return command_fail(error_errno(number, "writing the output"));
}

void write_stdout(void *unused _unused_, const char *bytes, size_t length)
{
	fwrite(bytes, 1, length, stdout);
}

void warning(const char *format, ...)
{
	VARIADIC_TEXT(text, format);
	print_message("warning: ", text);
}

void note(const char *format, ...)
{
	VARIADIC_TEXT(text, format);
	print_message("", text);
}

/* ---- terminal ---- */

bool terminal_colour(void)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	if (global_options.colour != COLOUR_AUTO)
		return global_options.colour == COLOUR_ALWAYS;
	/* https://no-color.org: set and not empty */
	return !(no_colour && *no_colour) && isatty(STDOUT_FILENO) && term &&
	       strcmp(term, "dumb") != 0;
}

static unsigned int paged_columns; /* of the terminal that the pager has; 0: there is no pager */

unsigned int terminal_width(void)
{
	return paged_columns ?: columns_of(STDOUT_FILENO);
}

/* The most columns that a line of --help may have, because long lines of prose are hard to read;
 * and the columns if the output is not a terminal. */
#define HELP_WIDTH         100
#define HELP_WIDTH_DEFAULT 80

void print_definition(const char *term, unsigned int column, const char *text)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	unsigned int width = terminal_width() ? terminal_width() : HELP_WIDTH_DEFAULT;

	strbuf_add_format(&line, "%-*s", (int)column, term);
	if (*term && strlen(term) + 2 > column)
		strbuf_add_format(&line, "\n%*s", (int)column, "");
	text_add_wrapped(&line, text, column, width < HELP_WIDTH ? width : HELP_WIDTH, column);
	printf("%s\n", line.data);
}

void print_paragraph(const char *text)
{
	print_definition("", 0, text);
}

void print_term(const char *name, unsigned int column, const char *text)
{
	_cleanup_free_ char *term = xasprintf("    %s", name);

	print_definition(term, column, text);
}

const char *terminal_ellipsis(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	/* locale(7): the first of them that is set decides */
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8") ? "\u2026"
										       : "...";
	}
	return "...";
}

static pid_t pager_pid;

static void pager_wait(void)
{
	fflush(stdout);
	/* the pager ends when its input does */
	close(STDOUT_FILENO);
	while (waitpid(pager_pid, NULL, 0) < 0)
		;
}

/* Returns the path, or frees it and returns NULL if no program that can be run is there. */
static char *runnable(char *path)
{
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

char *program_find(const char *name, size_t length)
{
	const char *path = getenv("PATH");

	if (memchr(name, '/', length))
		return runnable(xstrndup(name, length));
	while (path && *path) {
		size_t folder = strcspn(path, ":");
		char *file = runnable(xasprintf("%.*s/%.*s", (int)folder, path, (int)length, name));

		if (file)
			return file;
		path += folder + (path[folder] == ':');
	}
	return NULL;
}

/* Returns whether the first word of a shell command is a program that can be run. */
static bool is_program(const char *command)
{
	_cleanup_free_ char *file = program_find(command, strcspn(command, " \t"));

	return file;
}

bool pager_runs(void)
{
	return pager_pid > 0;
}

void pager_start(void)
{
	const char *pager = getenv("DTPROF_PAGER");
	int pipe_ends[2];

	if (pager_runs() || global_options.no_pager || !isatty(STDOUT_FILENO))
		return;
	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		pager = "less";
	if (!*pager || !strcmp(pager, "cat") || !is_program(pager) || pipe(pipe_ends))
		return;
	fflush(stdout);
	pager_pid = fork();
	if (pager_pid == 0) {
		dup2(pipe_ends[0], STDIN_FILENO);
		close(pipe_ends[0]);
		close(pipe_ends[1]);
		/* as in perf: colours, short output at once, long lines cut, the screen kept */
		setenv("LESS", "FRSX", 0);
		execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
		_exit(127);
	}
	if (pager_pid > 0) {
		paged_columns = terminal_width();
		dup2(pipe_ends[1], STDOUT_FILENO);
		setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
		/* the pager has the terminal, so interrupts are for the pager */
		signal(SIGINT, SIG_IGN);
		atexit(pager_wait);
	}
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

/* ---- progress ---- */

#define FIRST_AFTER 500 /* milliseconds */
#define THEN_EVERY  200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool running; /* this and the next one are used by the calling thread only */
static bool held;
static bool stop; /* this and the text are protected by the lock */
static char text[120];

static struct timespec time_after(unsigned int milliseconds)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += milliseconds % 1000 * (long)NS_PER_MS;
	time.tv_sec += milliseconds / 1000 + time.tv_nsec / NS_PER_S;
	time.tv_nsec %= NS_PER_S;
	return time;
}

static void *show_progress(void *argument _unused_)
{
	struct timespec until = time_after(FIRST_AFTER);
	bool shown = false;

	pthread_mutex_lock(&lock);
	while (!stop) {
		if (pthread_cond_timedwait(&ended, &lock, &until) != ETIMEDOUT)
			continue;
		fprintf(stderr, "\r\033[K%s", text);
		fflush(stderr);
		shown = true;
		until = time_after(THEN_EVERY);
	}
	pthread_mutex_unlock(&lock);
	if (shown)
		fputs("\r\033[K", stderr);
	return NULL;
}

void progress_show(const char *what, const char *which)
{
	const char *term = getenv("TERM");

	if (held)
		return;
	if (!running) {
		/* a dumb terminal cannot remove the line again */
		if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
			return;
		stop = false;
		running = pthread_create(&thread, NULL, show_progress, NULL) == 0;
	}
	pthread_mutex_lock(&lock);
	/* a line that wraps could not be removed */
	snprintf(text, sizeof(text), "%s%s%.50s ...", what, which ? ": " : "", which ?: "");
	make_printable(text, strlen(text));
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	stop = true;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	running = false;
}

void progress_hold(bool hold)
{
	held = hold;
}

/* ---- mapped files that become shorter ---- */

/* Handles a missing page of a mapped file, by functions that are safe in a handler. */
static void handle_bus_error(int number _unused_, siginfo_t *info, void *context _unused_)
{
	static const char message[] =
		"dtprof: a file became shorter, or could not be read, while it was in use "
		"(perf.data or an object file): run this again when nobody writes to it\n";

	/* another cause, such as kill(1): do what the signal does by default */
	if (info->si_code != BUS_ADRERR) {
		signal(SIGBUS, SIG_DFL);
		raise(SIGBUS);
		return;
	}
	if (write(STDERR_FILENO, message, strlen(message)) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

void bus_error_watch(void)
{
	struct sigaction action = { .sa_sigaction = handle_bus_error, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

/* ---- sources of types ---- */

void type_source_text(const struct session *session, struct strbuf *buffer)
{
	size_t count;
	struct dso *const *dsos = session_dsos(session, &count);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const char *source = dso_btf_source(dsos[i]);
		size_t start = buffer->length;

		if (!source)
			continue;
		strbuf_add_format(buffer, "# Types of %s: %s", dsos[i]->short_name, source);
		strbuf_end_line(buffer, start);
		any = true;
	}
	if (any)
		strbuf_add_string(buffer, "#\n");
}

void print_type_source(const struct session *session)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	type_source_text(session, &text);
	print_text(&text);
}

const char *type_source_object(const struct dso *dso, struct arena *names)
{
	if (!dso)
		return "[unknown]";
	return dso_btf_source(dso) ? arena_format(names, "%s [btf]", dso->long_name)
				   : dso->long_name;
}
