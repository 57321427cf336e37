#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The picture of the house: its rooms and which of them uses which, from the includes of the sources.
#
#   picture.sh            print the SVG
#   picture.sh --write    write it to Documentation/house.svg
#   picture.sh --check    exit with 1 if that is not what would be written
#
# From the project's root. Rooms and their words come from rooms.txt, arrows from the includes alone. A dark arrow leads to a
# room that is used; a pale one to a room that a used room uses as well. The rooms of annotate/ are drawn as one.
set -eu -o pipefail
export LC_ALL=C

lint=${LINT:-tests/lint}
picture=Documentation/house.svg

sources() { find . -type d -name build\* -prune -o -name .git -prune -o -path ./tests -prune -o -type f -name '*.[ch]' -print | sed 's,^\./,,' | sort; }

draw() {
	grep -H '^#include "' $(sources) | awk -F '"' -v ROOMS="$lint/rooms.txt" '
	function room(path,   i, best) {
		best = ""
		for (i = 1; i <= count; i++)
			if ((path == name[i] || index(path, name[i] "/") == 1) && length(name[i]) > length(best)) best = name[i]
		return best
	}
	# The number of rooms on the longest way down.
	function depth(from,   i, most) {
		if (from in depths) return depths[from]
		most = 0
		for (i = 1; i <= count; i++)
			if ((from, name[i]) in uses && depth(name[i]) + 1 > most) most = depths[name[i]] + 1
		return depths[from] = most
	}
	function reaches(from, to,   i) {
		if ((from, to) in uses) return 1
		for (i = 1; i <= count; i++) if ((from, name[i]) in uses && reaches(name[i], to)) return 1
		return 0
	}
	function implied(from, to,   i) {
		for (i = 1; i <= count; i++)
			if (name[i] != to && (from, name[i]) in uses && reaches(name[i], to)) return 1
		return 0
	}
	function arrow(from, to, style) {
		printf "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\" marker-end=\"url(#%s)\"/>\n",
			x[from] + WIDTH / 2, y[from] + HEIGHT, x[to] + WIDTH / 2, y[to] - 2, style, style
	}
	BEGIN {
		WIDTH = 320; HEIGHT = 58; GAP = 34
		while ((getline line < ROOMS) > 0) {
			if (line ~ /^#/ || line ~ /^[ \t]*$/) continue
			split(line, halves, / *[|] */)
			split(halves[1], parts, /:/)
			if (parts[1] ~ /^annotate\//) continue
			name[++count] = parts[1]
			words[parts[1]] = parts[1] == "annotate" ? "types of memory accesses, by data flow" : halves[2]
		}
	}
	{
		from = room(substr($1, 1, index($1, ":") - 1)); to = room($2)
		if (from != "" && to != "" && from != to) uses[from, to] = 1
	}
	END {
		for (i = 1; i <= count; i++) { row[name[i]] = depth(name[i]); if (row[name[i]] > rows) rows = row[name[i]]; in_row[row[name[i]]]++ }
		for (i = 1; i <= count; i++) {
			at = taken[row[name[i]]]++
			x[name[i]] = in_row[row[name[i]]] == 1 ? 20 + (WIDTH + GAP) / 2 : 20 + at * (WIDTH + GAP)
			y[name[i]] = 20 + (rows - row[name[i]]) * (HEIGHT + GAP)
			if (at * (WIDTH + GAP) + WIDTH > widest) widest = at * (WIDTH + GAP) + WIDTH
		}
		printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n",
			widest + 40, (rows + 1) * (HEIGHT + GAP) + 20
		print "<!-- SPDX-License-Identifier: GPL-2.0-or-later. Made by tests/lint/picture.sh from the includes: do not edit. -->"
		print "<style>line { stroke-width: 1.5 } .used { stroke: #333 } .implied { stroke: #ccc } rect { fill: #f4f7fb; stroke: #456 }</style>"
		print "<defs>"
		split("used implied", styles, " "); split("#333 #ccc", colours, " ")
		for (i = 1; i <= 2; i++)
			printf "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"%s\"/></marker>\n", styles[i], colours[i]
		print "</defs>"
		print "<rect width=\"100%\" height=\"100%\" style=\"fill: white; stroke: none\"/>"
		for (i = count; i >= 1; i--) for (k = count; k >= 1; k--)
			if ((name[i], name[k]) in uses && implied(name[i], name[k])) arrow(name[i], name[k], "implied")
		for (i = count; i >= 1; i--) for (k = count; k >= 1; k--)
			if ((name[i], name[k]) in uses && !implied(name[i], name[k])) arrow(name[i], name[k], "used")
		for (i = count; i >= 1; i--) {
			printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", x[name[i]], y[name[i]], WIDTH, HEIGHT
			printf "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", x[name[i]] + 14, y[name[i]] + 24, name[i]
			printf "<text x=\"%d\" y=\"%d\" font-size=\"13\">%s</text>\n", x[name[i]] + 14, y[name[i]] + 45, words[name[i]]
		}
		print "</svg>"
	}'
}

case ${1:-} in
--write) draw >"$picture" ;;
--check)
	draw | cmp -s - "$picture" || {
		echo "$picture is not up to date: tests/lint/picture.sh --write"
		exit 1
	}
	;;
*) draw ;;
esac
