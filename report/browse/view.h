/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The views of the browser as tables: columns, rows of cells, the cursor, and how they become
 * lines.
 *
 * A view owns its rows and their texts. Rows keep the order in which they were made; `shown` has
 * those that are seen, in their order on the screen.
 */
#pragma once

#include "base/memory.h"
#include "report/browse/browse.h"

extern const char *const browse_weight_names[BROWSE_WEIGHTS];

struct browse_figures {
	uint64_t by[BROWSE_WEIGHTS];
};

static inline struct browse_figures browse_figures_of(const struct access_count *count)
{
	return (struct browse_figures){ { count->period, count->samples, count->weight,
					  count->loads, count->stores } };
}

/* ---- tables ---- */

enum browse_cell_kind {
	CELL_SHARE,  /* percent */
	CELL_BAR,    /* the same, drawn */
	CELL_COUNT,  /* a number in groups of three digits; nothing for 0 */
	CELL_OFFSET, /* a number, also 0 */
	CELL_MEAN,   /* with one decimal; nothing for 0 */
	CELL_TEXT,
};

struct browse_column {
	const char *name;
	enum browse_cell_kind kind;
	unsigned int width; /* of CELL_TEXT; 0: the column gets a share of the width that is left */
	unsigned int weight; /* CELL_TEXT: its part of that share */
	unsigned int from;   /* the column is shown on screens that are at least this wide */
	bool cut_end;        /* longer texts lose their end, not their middle */
};

#define BROWSE_COLUMNS_MAX    14
#define BROWSE_COMPANIONS_MAX 3 /* other events of a group with columns of their own */

struct browse_cell {
	double number;    /* negative: the row has none */
	const char *text; /* CELL_TEXT */
};

enum browse_row_kind {
	ROW_ITEM,
	ROW_RULE,   /* a line between items: only `cells[0].text` */
	ROW_SOURCE, /* the same, dim, and aligned with the text */
};

struct browse_row {
	enum browse_row_kind kind;
	struct browse_cell cells[BROWSE_COLUMNS_MAX];
	uint32_t depth; /* of a member */
	bool opens;     /* has deeper rows below it */
	bool folded;
	bool named;                        /* STYLE_NAME */
	size_t item;                       /* index of what the row stands for in its view's list */
	const struct result_place *caller; /* a row of a call graph below a group; else NULL */
	uint32_t group_row;                /* tables: the row of its group, which may be this one */
};

enum browse_view_kind {
	VIEW_TYPES,
	VIEW_FUNCTIONS,
	VIEW_THREADS,
	VIEW_OBJECTS,
	VIEW_USERS, /* functions that use a type or a field */
	VIEW_LAYOUT,
	VIEW_CODE,
	VIEW_TEXT,    /* help and information */
	VIEW_SHARING, /* shared cachelines */
	VIEW_LINE,    /* the uses of one of them */
};

#define NO_COLUMN UINT32_MAX /* no column: rows keep the order in which they were made */

struct browse_view {
	enum browse_view_kind kind;
	struct browse_zoom zoom;
	const struct result_place *place;              /* VIEW_CODE: a place in the function */
	const struct browse_shared_line *lines, *line; /* VIEW_SHARING; VIEW_LINE */
	uint64_t whole;                                /* tables: 100 percent */
	bool no_source;                                /* VIEW_CODE: source lines are hidden */
	bool stale; /* the event or the weight changed since it was filled */

	char *title, *facts;
	struct browse_column columns[BROWSE_COLUMNS_MAX];
	uint32_t column_count;
	struct browse_row *rows;
	size_t row_count, row_capacity;
	struct arena texts;

	/* Lists that rows stand for. */
	struct browse_group *groups;
	struct browse_field *fields;
	struct browse_insn *insns;
	size_t item_capacity, item_count;

	uint32_t sorted; /* column, or NO_COLUMN */
	bool ascending;
	char *filter; /* only rows with this text; NULL: all */
	char *search; /* marked; NULL: nothing */

	uint32_t *shown;
	size_t shown_count;
	size_t cursor, top; /* indexes in `shown` */
	unsigned int shift; /* texts begin at this column */
};

/* Returns whether the order of the view's rows has no meaning, so that they may be sorted. */
static inline bool browse_is_table(const struct browse_view *view)
{
	return view->kind <= VIEW_USERS || view->kind >= VIEW_SHARING;
}

/* Entries that are in one row of a table. */
struct browse_group {
	const struct result_place *place; /* of the first entry */
	const char *comm;
	int32_t tid;
	struct browse_figures figures;
	double companions[BROWSE_COMPANIONS_MAX]; /* shares of other events of the event's group */
	bool has_callers;
	const char *hottest; /* VIEW_TYPES: the field with the most; NULL: none */
	double hottest_share;
	uint64_t hottest_weight;
};

/* A member of a layout. */
struct browse_field {
	int64_t first, end; /* bytes of the type */
	const char *path;   /* "lock.owner"; "" is the type itself */
};

/* An instruction of a listing. */
struct browse_insn {
	const char *type; /* NULL: it accesses none */
	int64_t offset;
	double weight; /* share in percent of what is charged, or else sampled; negative: none */
	uint64_t address;
	uint64_t target; /* of a jump in the function; 0: not a jump */
};

/* ---- making views: tables.c ---- */

/* Fills in the table of a view by kind and zoom. `whole` is 100 percent; 0: rows' sum. */
void browse_fill_groups(struct browse_view *view, const struct browse_source *source,
			enum browse_weight weight, uint64_t whole);
/* Adds the callers of the group at `row` below it, folded, the heaviest branches first. Does
 * nothing if they are there already, or if there are none. */
void browse_add_callers(struct browse_view *view, const struct browse_source *source,
			enum browse_weight weight, size_t row);
/* Fills in the cells that all rows of a table have. Returns the index of the next cell. */
size_t browse_set_figures(struct browse_row *row, const struct browse_figures *figures,
			  enum browse_weight weight, const struct browse_view *view,
			  const struct browse_source *source);
/* Returns whether two entries are in one group of such a table. */
bool browse_same_group(enum browse_view_kind kind, const struct browse_entry *a,
		       const struct browse_entry *b);
bool browse_accepts(const struct browse_zoom *zoom, const struct browse_entry *entry);
void browse_add_figures(struct browse_figures *figures, const struct browse_entry *entry);
/* Fill in the tables of shared cachelines, and of the uses of one. */
void browse_fill_sharing(struct browse_view *view, const struct browse_shared_line *lines,
			 size_t count);
void browse_fill_line(struct browse_view *view, const struct browse_shared_line *line);
struct browse_figures browse_sum(const struct browse_source *source,
				 const struct browse_zoom *zoom);

/* Adds the layout of a type below those that the view has. */
void browse_fill_layout(struct browse_view *view, const struct annotated_type *type,
			uint64_t cacheline, enum browse_weight weight, bool unicode);
/* Adds the code of a function. The cursor goes to the hottest line that accesses the `type` and
 * offsets of the view's zoom; without a type, to the hottest line. */
void browse_fill_code(struct browse_view *view, const struct code_listing *listing,
		      enum browse_weight weight);
void browse_fill_text(struct browse_view *view, const char *text);

/* ---- tables: view.c ---- */

struct browse_row *browse_add_row(struct browse_view *view, enum browse_row_kind kind);
/* Adds a column: the members of struct browse_column in their order. */
void browse_add_column(struct browse_view *view, const char *name, enum browse_cell_kind kind,
		       unsigned int width, unsigned int weight, unsigned int from, bool cut_end);
/* Removes rows, columns and lists; the place of the cursor, the filter and the order are kept. */
void browse_view_empty(struct browse_view *view);
void browse_view_deinit(struct browse_view *view);
/* Chooses and sorts the rows that are seen. Keeps the cursor on its row. */
void browse_arrange(struct browse_view *view);
/* Returns the row at `index` of view->shown, or NULL if there are fewer. */
struct browse_row *browse_row_at(const struct browse_view *view, size_t index);
/* Moves the cursor to the row `row`, or the nearest one that is seen. */
void browse_move_to(struct browse_view *view, size_t row);
/* Moves the cursor by `by` rows, up to the first or the last one. */
void browse_move(struct browse_view *view, int64_t by);
/* Reverses the order of the rows. Rows in their own order are sorted by the first column first. */
void browse_reverse_order(struct browse_view *view);
/* Returns the index in view->rows of the first row that is not below `row`. */
size_t browse_rows_below(const struct browse_view *view, size_t row);
/* Folds or unfolds the record that the cursor is on, or in. */
void browse_fold(struct browse_view *view);
/* Returns whether the row at `index` of view->shown has the text of the search. */
bool browse_matches(const struct browse_view *view, size_t index);
/* Orders rows of code by their share, those with equal shares by address. Returns the row after
 * `row` in this order, or before it if `step` is negative; SIZE_MAX: there is none. */
size_t browse_next_hottest(const struct browse_view *view, size_t row, int step);
/* Returns the row of code with the largest share of those that access the zoom's type; without a
 * zoom, or if there are none, of all. */
size_t browse_hottest_row(const struct browse_view *view, const struct browse_zoom *zoom);
/* Hides the source lines of code, or shows them. */
void browse_toggle_source(struct browse_view *view);

struct browse_screen {
	unsigned int columns, rows;
	bool unicode;
};

/* Sets *line to the names of the columns. */
void browse_heading_line(const struct browse_view *view, const struct browse_screen *screen,
			 struct browse_line *line);
/* Sets *line to the row at `index` of view->shown, which must exist. */
void browse_row_line(const struct browse_view *view, const struct browse_screen *screen,
		     size_t index, struct browse_line *line);
/* Returns the width that shows all texts of the view in full. */
unsigned int browse_natural_width(const struct browse_view *view);

/* ---- lines ---- */

void browse_line_reset(struct browse_line *line);
/* Appends text in a style, cut or padded to `columns` (0: as it is), without controls. */
void browse_line_add(struct browse_line *line, const struct browse_screen *screen,
		     enum browse_style style, const char *text, unsigned int columns);
void browse_line_end(struct browse_line *line, const struct browse_screen *screen);
