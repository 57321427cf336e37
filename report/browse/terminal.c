// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The browser at a terminal, by ncurses: draws the model's lines and gives it keys.
 *
 * ncurses writes only what changed since the last picture, so slow links are no trouble, and uses
 * only the abilities that terminfo gives $TERM.
 */
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>

#include "report/browse/browse.h"

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"

#define NCURSES_NOMACROS
#include <curses.h>
#include <term.h>
/* term.h has capabilities as macros with such names */
#undef lines
#undef columns

/* milliseconds in which the rest of a key's sequence comes, over slow links too */
#define ESCAPE_WAIT   100
#define FILES_MAX     10000  /* numbers of dtprof.hist.N */
#define CLIPBOARD_MAX 100000 /* bytes; xterm takes no more */

/* Pairs of colours. */
enum { COLOURS_HOT = 1, COLOURS_WARM, COLOURS_DIM, COLOURS_NAME, COLOURS_FOUND };

/* ---- before it runs ---- */

/* Forgets where the environment says that descriptions of terminals are, if others may write there:
 * what such a description says is sent to the terminal. Returns whether there was such a place. */
static bool forget_foreign_folders(void)
{
	static const char *const names[] = { "HOME", "TERMINFO", "TERMINFO_DIRS" };
	bool forgotten = false;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *value = getenv(names[i]);
		_cleanup_free_ char *folders = xstrdup(value ?: "");
		char *rest, *folder = strtok_r(folders, ":", &rest);

		while (folder && folder_believe(folder))
			folder = strtok_r(NULL, ":", &rest);
		if (folder)
			unsetenv(names[i]);
		forgotten |= folder != NULL;
	}
	return forgotten;
}

/* Returns why the terminal of this name cannot show screens, or NULL if it can. */
static const char *problem_of(const char *term)
{
	const char *move, *why = NULL;
	bool forgotten;
	int problem;

	if (!term || !*term || !strcmp(term, "dumb"))
		return "$TERM is not set, or dumb";
	forgotten = forget_foreign_folders();
	if (setupterm(NULL, STDOUT_FILENO, &problem) == ERR)
		return forgotten ? "$TERM is a terminal that the system's terminfo does not know "
				   "($HOME or $TERMINFO is missing, or not believed)"
				 : "$TERM is a terminal that terminfo does not know";
	move = tigetstr("cup");
	if (!move || move == (char *)-1)
		why = "$TERM is a terminal whose cursor cannot be moved";
	del_curterm(cur_term);
	return why;
}

bool browse_terminal_works(const char **why)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		*why = "standard input and output are not a terminal";
	else
		*why = problem_of(getenv("TERM"));
	return !*why;
}

/* ---- drawing ---- */

static attr_t attributes(enum browse_style style, bool colour)
{
	switch (style) {
	case STYLE_TITLE: return A_REVERSE;
	case STYLE_HEADING: return A_BOLD;
	case STYLE_DIM: return colour ? (attr_t)COLOR_PAIR(COLOURS_DIM) : A_NORMAL;
	case STYLE_HOT: return colour ? COLOR_PAIR(COLOURS_HOT) | A_BOLD : A_BOLD;
	case STYLE_WARM: return colour ? (attr_t)COLOR_PAIR(COLOURS_WARM) : A_NORMAL;
	case STYLE_NAME: return colour ? COLOR_PAIR(COLOURS_NAME) | A_BOLD : A_BOLD;
	case STYLE_FOUND: return colour ? COLOR_PAIR(COLOURS_FOUND) | A_BOLD : A_UNDERLINE;
	default: return A_NORMAL;
	}
}

static void draw_line(int y, const struct browse_line *line, bool colour)
{
	move(y, 0);
	array_indexed (const struct browse_span, span, i, line->spans, line->span_count) {
		size_t end =
			i + 1 < line->span_count ? line->spans[i + 1].start : line->text.length;
		attr_t style = attributes(span->style, colour);

		/* the cursor's line is reversed as a whole, and colours on it could not be read */
		attrset(line->selected ? A_REVERSE : style);
		addnstr(line->text.data + span->start, (int)(end - span->start));
	}
	attrset(line->selected ? A_REVERSE : A_NORMAL);
	if (line->selected)
		for (int x = getcurx(stdscr); getcury(stdscr) == y && x < COLS - 1; x++)
			addch(' ');
	attrset(A_NORMAL);
	if (getcury(stdscr) == y)
		clrtoeol();
}

static void draw(struct browser *browser, bool colour)
{
	size_t count;
	const struct browse_line *lines = browser_render(browser, &count);

	erase();
	for (size_t i = 0; i < count; i++)
		draw_line((int)i, &lines[i], colour);
	move((int)count - 1, COLS - 1);
	refresh();
}

/* ---- keys ---- */

static int translate(int key)
{
	static const struct {
		int curses, browse;
	} keys[] = {
#define NAMED(curses_, browse_) { KEY_##curses_, BROWSE_##browse_ }
		NAMED(UP, UP),          NAMED(DOWN, DOWN),         NAMED(LEFT, LEFT),
		NAMED(RIGHT, RIGHT),    NAMED(PPAGE, PAGE_UP),     NAMED(NPAGE, PAGE_DOWN),
		NAMED(HOME, HOME),      NAMED(END, END),           NAMED(BTAB, BACK_TAB),
		NAMED(F(1), HELP),      NAMED(ENTER, ENTER),       NAMED(BACKSPACE, BACKSPACE),
		{ '\r', BROWSE_ENTER }, { '\b', BROWSE_BACKSPACE }
	};

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (keys[i].curses == key)
			return keys[i].browse;
	return key < 0x100 ? key : -1;
}

/* ---- the clipboard and files ---- */

static bool has_clipboard(void)
{
	/* names of terminals that take OSC 52; others could print it */
	static const char *const names[] = { "xterm",   "screen", "tmux",    "alacritty", "kitty",
					     "foot",    "rxvt",   "wezterm", "contour",   "st-",
					     "ghostty", "iterm",  "mintty" };
	const char *term = getenv("TERM");

	return term && any_of(i, 0, COUNT_OF(names), starts_with(term, names[i]));
}

/* Writes the text to the first file dtprof.hist.N that does not exist yet. */
static void save(struct browser *browser)
{
	const char *text = browser_text(browser);
	char path[32];
	_cleanup_close_ int fd = -1;

	for (unsigned int i = 0; i < FILES_MAX && fd < 0; i++) {
		snprintf(path, sizeof(path), "dtprof.hist.%u", i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0 || (errno = file_write_all(fd, text, strlen(text), -1)))
		browser_message(browser, "Cannot write %s: %s", path, strerror(errno));
	else
		browser_message(browser, "Wrote %s", path);
}

/* Gives the text to the terminal's clipboard (OSC 52 of xterm), or to a file. */
static void copy(struct browser *browser)
{
	const char *text = browser_text(browser);
	size_t length = strlen(text);
	_cleanup_strbuf_ struct strbuf sequence = STRBUF_INIT;

	if (!has_clipboard() || length > CLIPBOARD_MAX) {
		save(browser);
		return;
	}
	strbuf_add_string(&sequence, "\033]52;c;");
	strbuf_add_base64(&sequence, (const uint8_t *)text, length);
	strbuf_add_char(&sequence, '\a');
	if (!file_write_all(STDOUT_FILENO, sequence.data, sequence.length, -1))
		browser_message(browser, "Copied the line to the clipboard of the terminal");
}

/* ---- the loop ---- */

static bool start_colours(void)
{
	static const struct {
		short pair, colour;
	} pairs[] = { { COLOURS_HOT, COLOR_RED },
		      { COLOURS_WARM, COLOR_GREEN },
		      { COLOURS_DIM, COLOR_CYAN },
		      { COLOURS_NAME, -1 },
		      { COLOURS_FOUND, COLOR_YELLOW } };

	if (!has_colors() || start_color() == ERR || use_default_colors() == ERR)
		return false;
	for (size_t i = 0; i < COUNT_OF(pairs); i++)
		init_pair(pairs[i].pair, pairs[i].colour, -1);
	return true;
}

/* Shows the browser until the user leaves it, or the terminal is gone. */
static void loop(struct browser *browser, bool unicode, bool colour)
{
	for (int key = KEY_RESIZE; key != ERR; key = getch()) {
		if (key == KEY_RESIZE) {
			browser_resize(browser, (unsigned int)COLS, (unsigned int)LINES, unicode);
			draw(browser, colour);
			continue;
		}
		switch (browser_key(browser, translate(key))) {
		case BROWSE_QUIT: return;
		case BROWSE_COPY: copy(browser); break;
		case BROWSE_SAVE: save(browser); break;
		case BROWSE_GO_ON: break;
		}
		draw(browser, colour);
	}
}

struct error *browse_terminal(struct browser *browser, bool colour)
{
	SCREEN *screen = NULL;
	FILE *terminal;
	int fd;
	bool unicode;

	setlocale(LC_CTYPE, "");
	unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
	fflush(stdout);
	/* ncurses sets the terminal by the stream's descriptor, which the watched stdout lacks */
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	terminal = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (terminal)
		screen = newterm(NULL, terminal, stdin);
	if (!screen) {
		if (terminal)
			fclose(terminal);
		else
			closep(&fd);
		return error_other("the terminal cannot be opened");
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_WAIT);
	curs_set(0);
	colour = colour && start_colours();
	loop(browser, unicode, colour);
	endwin();
	delscreen(screen);
	fclose(terminal);
	return NULL;
}
