/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The browser of `dtprof report` and `dtprof annotate` at a terminal: types, their layouts, the
 * functions that use a field, and code, in views that keys lead through.
 *
 * A struct browser is the model. It takes keys and makes lines of text with styles; it touches no
 * terminal and no file, so that tests can drive it. browse_terminal() connects it to ncurses. The
 * figures come from entries, as the report's table does; layouts and code are asked for when they
 * are opened.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "report/print/annotated.h"
#include "report/result.h"

/* ---- what is browsed ---- */

struct browse_event {
	const char *name;
	uint64_t samples, period; /* of all samples, which are 100 percent */
	uint32_t group;           /* events of one number were recorded as a group */
	const char *coverage; /* "with code 99.7%, accesses 80.1%, typed 77.1%"; NULL: not known */
};

/* Samples that agree in everything that the browser shows. */
struct browse_entry {
	uint32_t event; /* index in browse_source.events */
	int32_t tid;
	const char *comm; /* of the thread */
	const struct result_place
		*place; /* of the access; with NEED_TYPE, NEED_SYMBOL and NEED_DSO */
	bool kernel;    /* taken in a kernel */
	uint32_t chain; /* number of the call chain's innermost frame; 0: none */
	uint64_t samples, period, latency, loads, stores;
};

/* The samples that a view shows. */
struct browse_zoom {
	uint32_t event;
	bool has_thread, kernel; /* only of `tid`; only of the kernel */
	int32_t tid;
	const char *comm; /* of `tid`, for the heading */
	const char *dso;  /* only in this object; NULL: any */
	/* Accesses to this type, at the offsets first <= offset < end; NULL: any. */
	const char *type;
	int64_t first, end;
};

/* Returns whether the zoom has samples at the place. */
bool browse_zoom_accepts(const struct browse_zoom *zoom, const struct result_place *place,
			 uint32_t event, int32_t tid, bool kernel);

/* Uses of the same bytes of a shared cacheline by one thread in one function. */
struct browse_use {
	uint64_t offset, size; /* in the line */
	int32_t tid;
	uint64_t samples, loads, stores;
	const char *field, *function, *source; /* texts; "" if they are not known */
};

/* A cacheline with a verdict (report/c2c/sharing.h). */
struct browse_shared_line {
	const char *verdict, *fields; /* texts */
	double percent;               /* of the cost of all uses */
	uint64_t samples, hitm, threads, address;
	const struct browse_use *uses;
	size_t use_count;
};

struct browse_source {
	const struct browse_event *events; /* at least one */
	size_t event_count;
	const struct browse_entry *entries;
	size_t entry_count;
	const struct result_frame *frames; /* by number; NULL: there are no call chains */
	bool has_latency;
	uint64_t cacheline;      /* bytes; 0: not marked */
	const char *information; /* lines about the recording, for the key i */
	/* Calls `receive` with the layout of each type that the zoom has (zoom->type is set), those
	 * with the most samples first. The values are valid during the call only. */
	struct error *(*open_type)(void *data, const struct browse_zoom *zoom,
				   void (*receive)(void *into, const struct annotated_type *type),
				   void *into);
	/* Calls `receive` with the code of the function that `place` is in. */
	struct error *(*open_code)(void *data, const struct browse_zoom *zoom,
				   const struct result_place *place,
				   void (*receive)(void *into, const struct code_listing *listing),
				   void *into);
	/* Sets *lines to the shared cachelines, the largest first. They belong to the source. */
	struct error *(*open_sharing)(void *data, const struct browse_shared_line **lines,
				      size_t *count);
	void *data;
};

/* ---- what is seen ---- */

enum browse_style {
	STYLE_PLAIN,
	STYLE_TITLE,   /* the bar at the top */
	STYLE_HEADING, /* names of columns */
	STYLE_DIM,     /* source lines, rules between cachelines */
	STYLE_HOT,     /* shares from 5 percent on, as in perf */
	STYLE_WARM,    /* shares from 0.5 percent on */
	STYLE_NAME,    /* types with samples */
	STYLE_FOUND,   /* matches of a search */
	STYLES
};

struct browse_span {
	size_t start; /* in bytes; the span ends where the next one begins */
	enum browse_style style;
};

#define BROWSE_SPANS_MAX 32 /* a line has a span for each column at most */

struct browse_line {
	struct strbuf text; /* printable: no control characters */
	struct browse_span spans[BROWSE_SPANS_MAX];
	size_t span_count;
	bool selected; /* the cursor is on it */
};

/* Keys other than characters. The key of a character is its ASCII code. */
enum browse_key {
	BROWSE_ENTER = '\n',
	BROWSE_ESCAPE = 27,
	BROWSE_TAB = '\t',
	BROWSE_BACKSPACE = 127,
	BROWSE_UP = 0x100,
	BROWSE_DOWN,
	BROWSE_LEFT,
	BROWSE_RIGHT,
	BROWSE_PAGE_UP,
	BROWSE_PAGE_DOWN,
	BROWSE_HOME,
	BROWSE_END,
	BROWSE_BACK_TAB,
	BROWSE_HELP,
};

/* The caller's next step after a key. */
enum browse_outcome {
	BROWSE_GO_ON,
	BROWSE_QUIT,
	BROWSE_COPY, /* put browser_text() on the clipboard and report by browser_message() */
	BROWSE_SAVE, /* write browser_text() to a file and report by browser_message() */
};

/* The first view. */
enum browse_start { BROWSE_TYPES, BROWSE_FUNCTIONS, BROWSE_THREADS, BROWSE_OBJECTS };

/* The figure whose shares are shown. */
enum browse_weight {
	WEIGH_PERIOD,
	WEIGH_SAMPLES,
	WEIGH_LATENCY,
	WEIGH_LOADS,
	WEIGH_STORES,
	BROWSE_WEIGHTS
};

struct browser;

/* Returns a browser of `source`, which must outlive it. */
struct browser *browser_create(const struct browse_source *source, enum browse_start start,
			       enum browse_weight weight);
void browser_destroy(struct browser *browser);

/* Sets the size of the screen. `unicode`: the terminal shows UTF-8; else text is made ASCII. */
void browser_resize(struct browser *browser, unsigned int columns, unsigned int rows, bool unicode);
enum browse_outcome browser_key(struct browser *browser, int key);
/* Makes the lines of the screen, as many as it has rows. Valid until the next call. */
const struct browse_line *browser_render(struct browser *browser, size_t *count);
/* Returns the text of BROWSE_COPY or BROWSE_SAVE; valid until the next key. */
const char *browser_text(const struct browser *browser);
/* Shows a message in the last line until the next key. */
void browser_message(struct browser *browser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Opens a type's layout or a function's code above the first view. False: no sample. */
bool browser_open_type(struct browser *browser, const char *type);
bool browser_open_function(struct browser *browser, const char *symbol);

/* ---- the terminal: terminal.c ---- */

/* Returns whether standard input and output are one terminal that can be addressed: TERM is known
 * and not "dumb". Otherwise *why says what is missing, as a static string. */
bool browse_terminal_works(const char **why);
/* Runs the browser until the user leaves it. `colour`: use colours if the terminal has them. */
struct error *browse_terminal(struct browser *browser, bool colour);
