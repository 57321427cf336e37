/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of `dtprof report --html`: one HTML file that needs nothing else.
 *
 * page.html is the frame, page.css its style and page.js draws the profile, which the page holds as
 * packed JSON (below), compressed by gzip (RFC 1952) and written in base64 (RFC 4648). Base64 has
 * no character that HTML gives a meaning to, so no name in the profile can become markup.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct html_page;

/* Begins a page, which html_page_close() puts at `path`, but never at `input` (or NULL). */
struct error *html_page_open(const char *path, const char *input, struct html_page **page);
/* Adds JSON, as `flush` of struct json does. Errors are kept for html_page_close(). */
void html_page_add(void *page, const char *text, size_t length);
/* Ends the page and frees it. After an error, or if it is not `wanted`, the path is left as it was
 * (a device or a pipe has what was written until then). */
struct error *html_page_close(struct html_page *page, bool wanted);

/*
 * ---- packed JSON ----
 *
 * A document by columns, from which the page's script makes the document again, value
 * for value.
 *
 * A profile has many objects with the same members. Here all values of one place (the member
 * "samples" of the elements of the member "rows" of ...) are one column, which compresses to about
 * half of what the document does.
 *
 *   { "shapes": [["name", "size"], ...], "columns": [column, ...] }
 *
 * A place is the outermost value, a member of a place, or the elements of a place. Columns are in
 * the order in which a reader of the document comes to their places. Each visit takes the next
 * value of the place's column: a string, number, boolean or null; [N] for an object, whose members
 * are those of shape N; or [-1 - N] for an array of N elements. A column has one of these forms:
 *
 *   [value, ...]             all values
 *   { "c": value }           they are all the same
 *   { "u": [...], "i": [] }  distinct values, and the index of each value among them
 *   { "d": [...] }           integers: the first one, then each one minus the one before it
 *   { "b": [...] }           the same modulo 2^64, as at least one is larger than 2^53; differences
 *                            above 2^53 are strings. Scripts need BigInt for these.
 */

struct html_pack;

/* Receives the packed text in order. */
typedef void html_pack_receiver(void *data, const char *text, size_t length);

struct html_pack *html_pack_create(html_pack_receiver *receive, void *data);
/* Adds text of one JSON document, valid and of at most JSON_DEPTH_MAX levels, as by report/json.h.
 * `pack` is a struct html_pack. Has the form of `flush` in struct json. */
void html_pack_add(void *pack, const char *text, size_t length);
/* Gives the packed document to the receiver and frees `pack`. */
void html_pack_destroy(struct html_pack *pack);
