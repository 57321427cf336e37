#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Pages of --html have the figures of --json and no markup from names. In a browser, where there is one, three clicks lead from the
# overview to the code that uses a field, and the slider moves a field to its proposed place. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
data=$folder/perf.data page=$folder/page.html
names=("there is a page" "the page has the table of report --json" "the page has the types of annotate --json"
	"no name becomes markup" "the page names nothing outside of itself" "--html refuses keys" "an unwritable page is an error"
	"a device that is full is an error, and stays"
	"the page has the advice of layout --json" "a page of some samples has no advice" "annotate's page has its types and functions"
	"layout's page is its JSON" "c2c's page is its JSON" "diff's page is its JSON" "store's page is its JSON" "--html of layout refuses --json"
	"a type of the page has its objects within others"
	"three clicks lead to the code of a field" "a hostile name is shown as text" "the slider moves fields to their proposed places"
	"print has no controls, but what they choose" "each view is drawn without an error" "the pages of other commands are drawn without an error")
browsed=6 # of these at the end
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { names=("${names[@]:0:${#names[@]}-browsed}" "$browsed tests of the page in a browser") browsed=1; }
plan ${#names[@]}

# The name of the program, and so of its threads, is markup.
program="$folder/<b>hot<i>"
# Records until there are samples of both types that are compared.
recorded() {
	local rounds
	for rounds in 2000000 8000000 32000000; do
		"$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$data" -- "$program" $rounds >/dev/null 2>"$folder/log" || return 1
		"$DTPROF" report -q -i "$data" --stdio -s type 2>/dev/null | grep -q 'struct list' && return 0
	done
	return 0
}
if ! ${CC:-gcc} -O2 -g -o "$program" tests/workloads/cache.c 2>"$folder/log" || ! recorded; then
	for name in "${names[@]}"; do
		skip "$name" "cannot record here: $(head -1 "$folder/log")"
	done
	finish
fi

check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}

# One line without blanks between members, as the page has it.
compact() { sed 's/^ *//' | tr -d '\n' | sed 's/\([]"}0-9el]\),"/\1,"/g; s/": /":/g'; }
# Prints the page's JSON: between the marks there is packed JSON, compressed, in base64.
contents() { # [FILE]
	sed -n '/id="data">/,/<\/script>/p' "${1:-$page}" | sed '1d;$d' | base64 -d | gzip -dc | "${OUT:-build}/tests/report/test_html_pack" --unpack
}
# Tells whether the page FILE has the JSON of standard input as its member NAME.
has_document() { # FILE NAME
	local json
	json=$(compact)
	contents "$1" >"$folder/other"
	[ ${#json} -gt 100 ] && grep -qF "\"$2\":$json" "$folder/other"
}

message=$("$DTPROF" report -q -i "$data" --html "$page" 2>&1)
[ -s "$page" ] && contents >"$folder/contents" 2>/dev/null
check $? "$message"

table=$("$DTPROF" report -i "$data" --json -s type,typeoff,acc,sym,dso,pid -F +weight1 2>/dev/null | compact)
[ ${#table} -gt 1000 ] && grep -qF "\"report\":$table" "$folder/contents"
check $? "$(head -c 300 "$folder/contents")"

# The JSON of a type that is asked for alone; as such it counts wherever it is.
type_of() { # RECORDING TYPE
	"$DTPROF" annotate -q -i "$1" --json --layout --elements --data-type="$2" 2>/dev/null | compact | sed 's/.*"types":\[//; s/\]}$//'
}
# "list" is the type of a member of "entry", too
types=$(type_of "$data" entry) list=$(type_of "$data" list)
[ ${#types} -gt 1000 ] && [ ${#list} -gt 300 ] && grep -qF "$types" "$folder/contents" && grep -qF "$list" "$folder/contents"
check $? "$(printf '%s' "$types" | head -c 300)"

grep -q '<b>hot' "$folder/contents" && ! grep -q '<b>hot' "$page"
check $?
! grep -v '^[A-Za-z0-9+/=]*$' "$page" | grep -v 'www.w3.org/2000/svg' | grep -E '(src|href)="?(https?:)?//|https?://|@import|url\((["'\'']?)(https?:)?//'
check $?

message=$("$DTPROF" report -i "$data" --html "$page" -s type 2>&1)
[ $? -eq 129 ] && printf '%s' "$message" | grep -q 'cannot be combined'
check $? "$message"
message=$("$DTPROF" report -i "$data" --html "$folder/none/page.html" 2>&1)
[ $? -eq 1 ] && printf '%s' "$message" | grep -q "cannot create"
check $? "$message"

ln -s /dev/full "$folder/full"
message=$("$DTPROF" report -i "$data" --html "$folder/full" 2>&1)
[ $? -eq 1 ] && printf '%s' "$message" | grep -q "cannot write" && [ -L "$folder/full" ]
check $? "$message"

"$DTPROF" layout -q -i "$data" --json --top 40 2>/dev/null | has_document "$page" layout
check $? "$(head -c 300 "$folder/other")"
"$DTPROF" report -q -i "$data" --html "$folder/some.html" --types 'struct entry'
contents "$folder/some.html" >"$folder/other"
grep -q '"report":' "$folder/other" && ! grep -q '"layout":{' "$folder/other"
check $?

message=$("$DTPROF" annotate -q -i "$data" --html "$folder/annotate.html" 2>&1)
contents "$folder/annotate.html" >"$folder/other"
grep -q '^{"format":"dtprof-html","version":2,"command":"annotate",' "$folder/other" && grep -qF "$types" "$folder/other" &&
	grep -q '"functions":\[{"name":' "$folder/other"
check $? "$message"
"$DTPROF" layout -q -i "$data" --html "$folder/layout.html" 2>&1
"$DTPROF" layout -q -i "$data" --json | has_document "$folder/layout.html" layout
check $? "$(head -c 300 "$folder/other")"
# verdicts need data addresses
"$DTPROF" c2c record -q -u -F 2000 -o "$folder/c2c.data" -- "$program" 2000000 >/dev/null 2>&1
"$DTPROF" c2c report -q -i "$folder/c2c.data" --html "$folder/c2c.html" 2>&1
"$DTPROF" c2c report -q -i "$folder/c2c.data" --json | has_document "$folder/c2c.html" c2c
check $? "$(head -c 300 "$folder/other")"
"$DTPROF" diff -q --layout entry "$data" "$data" --html "$folder/diff.html" 2>&1
"$DTPROF" diff -q --layout entry "$data" "$data" --json | has_document "$folder/diff.html" diff
check $? "$(head -c 300 "$folder/other")"
mkdir -m 700 "$folder/store"
"$DTPROF" store add -q --store "$folder/store/s.db" "$data" 2>"$folder/log"
"$DTPROF" store report -q --store "$folder/store/s.db" --html "$folder/store.html" 2>>"$folder/log"
"$DTPROF" store report --store "$folder/store/s.db" -s event,type,typeoff,dso --json 2>>"$folder/log" | has_document "$folder/store.html" store
check $? "$(cat "$folder/log"; head -c 300 "$folder/other")"
message=$("$DTPROF" layout -i "$data" --html "$folder/none.html" --json 2>&1)
[ $? -eq 129 ] && [ ! -e "$folder/none.html" ]
check $? "$message"

# most persons are parts of items
${CC:-gcc} -O2 -g -o "$folder/places" tests/workloads/places.c 2>"$folder/log" &&
	"$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$folder/places.data" -- "$folder/places" 600 >/dev/null 2>"$folder/log"
"$DTPROF" report -q -i "$folder/places.data" --html "$folder/places.html" 2>&1
types=$(type_of "$folder/places.data" person)
contents "$folder/places.html" >"$folder/other"
printf '%s' "$types" | grep -qF '"within":[{"type":"struct item","field":"person"' && grep -qF "$types" "$folder/other"
check $? "$(printf '%s' "$types" | head -c 300)"

if [ -z "$browser" ]; then
	for name in "${names[@]: -browsed}"; do
		skip "$name" "there is no Chromium here"
	done
	finish
fi

# The page, followed by a script that does what a user does and writes down what it finds.
cat >"$folder/user.js" <<'EOF_USER'
(async () => {
	const errors = [], wait = () => new Promise(done => setTimeout(done, 60));
	const note = (name, value) => document.body.setAttribute("data-" + name, value);

	addEventListener("error", event => errors.push(event.message));
	addEventListener("unhandledrejection", event => errors.push(String(event.reason)));
	while (!document.body.dataset.ready)
		await wait();
	note("threads", document.getElementById("thread").textContent);
	const row = (table, text) => [...document.querySelectorAll(table + " tbody tr")].find(line => line.textContent.includes(text));
	row("#table-types", "struct entry").click();
	await wait();
	row("#members", "key").click();
	await wait();
	document.querySelector("#table-users tbody tr").click();
	await wait();
	note("code", (document.querySelector(".listing tr.chosen") || document.body).textContent.slice(0, 300));
	// advice that does not depend on the samples: `next` moves to the front
	const member = (name, offset, samples) => ({ name, offset, size: 8, samples, loads: samples, stores: 0 });
	const type = profile.annotate.types.findIndex(item => item.name === "struct entry"), entry = profile.annotate.types[type];
	profile.layout.types = [{ name: entry.name, object: entry.object, size: 128, cacheline: 64, samples: 30, total_samples: 40, objects_seen: 0,
		advice: "reorder", refusal: null, lines_per_visit: 2, members: [member("key", 0, 10), member("next", 120, 20)], regions: [], constraints: [],
		affinity: [{ first: "key", second: "next", weight: 0.5 }],
		proposals: [{ kind: "reorder", verdict: "gain", reason: "one line", whole: { low: 1.1, high: 1.3 }, old_lines_per_visit: 2, new_lines_per_visit: 1,
			parts: [{ name: "entry", size: 128, members: [{ name: "next", offset: 0 }, { name: "key", offset: 8 }] }] }] }];
	location.hash = "#/type/" + type;
	await wait();
	const places = () => [...document.querySelectorAll("main g[transform]")].map(g => g.getAttribute("transform")).join(" ");
	const before = places(), slider = document.getElementById("slider");
	slider.value = 100;
	slider.dispatchEvent(new Event("input"));
	note("moved", `${before} to ${places()}, ${document.querySelectorAll("#affinity circle").length} fields`);
	// the rules of print, on the screen for a moment
	const print = [...document.styleSheets[0].cssRules].find(rule => rule.media && rule.media.mediaText === "print");
	const display = id => getComputedStyle(document.getElementById(id)).display;
	print.media.mediaText = "all";
	note("print", `${display("choice")} ${display("scope")}`);
	print.media.mediaText = "print";
	for (const view of ["layouts", "sharing", "advice/0", "line/0", "", "flame", "functions", "help", "type/0", "code/0", "type/99999", "nonsense/<b>"]) {
		location.hash = "#/" + view;
		await wait();
		if (!document.getElementById("main").textContent)
			errors.push("nothing is drawn for " + view);
	}
	for (const id of ["weight", "thread", "object"])
		for (const option of document.getElementById(id).options) {
			document.getElementById(id).value = option.value;
			document.getElementById(id).onchange();
			await wait();
		}
	note("errors", errors.join("; ") || "none");
})();
EOF_USER
# Prints the body's tag after SCRIPT ran in PAGE.
drive() { # PAGE SCRIPT
	sed '/<\/body>/{
r '"$2"'
s/.*/<script>/
}' "$1" >"$folder/driven.html" 2>/dev/null
	echo '</script></body></html>' >>"$folder/driven.html"
	sed -i '/^<\/html>$/d' "$folder/driven.html"
	HOME=$folder timeout 60 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=20000 --dump-dom \
		"file://$folder/driven.html" >"$folder/dom" 2>"$folder/log"
	grep -o '<body[^>]*>' "$folder/dom" | head -1
}
body=$(drive "$page" "$folder/user.js")
if [ -z "$body" ]; then
	for name in "${names[@]: -browsed}"; do
		skip "$name" "the browser does not start here: $(tail -1 "$folder/log")"
	done
	finish
fi
printf '%s' "$body" | grep -q 'data-code="[^"]*struct entry +8 (key)'
check $? "$body"
printf '%s' "$body" | grep -q 'data-threads="[^"]*&lt;b&gt;hot&lt;i&gt;'
check $? "$body"
# 14 pixels a byte, 30 a line
printf '%s' "$body" | grep -q 'data-moved="translate(64 18) translate(848 48) to translate(176 18) translate(64 18), 2 fields"'
check $? "$body"
printf '%s' "$body" | grep -q 'data-print="none block"'
check $? "$body"
printf '%s' "$body" | grep -q 'data-errors="none"'
check $? "$body"

# All views of the page, and each row that opens something.
cat >"$folder/walk.js" <<'EOF_WALK'
(async () => {
	const errors = [], wait = () => new Promise(done => setTimeout(done, 60));
	let drawn = 0;

	addEventListener("error", event => errors.push(event.message));
	addEventListener("unhandledrejection", event => errors.push(String(event.reason)));
	while (!document.body.dataset.ready)
		await wait();
	for (const link of [...document.querySelectorAll("nav a")]) {
		location.hash = link.getAttribute("href");
		await wait();
		for (let i = 0; i < 3 && document.querySelectorAll("main tr[tabindex]")[i]; i++) {
			document.querySelectorAll("main tr[tabindex]")[i].click();
			await wait();
			drawn += Boolean(document.querySelector("main h1"));
			location.hash = link.getAttribute("href");
			await wait();
		}
		drawn += Boolean(document.querySelector("main h1"));
	}
	document.body.setAttribute("data-drawn", drawn);
	document.body.setAttribute("data-errors", errors.join("; ") || "none");
})();
EOF_WALK
bodies=
for other in annotate layout c2c diff store; do
	bodies+="$other: $(drive "$folder/$other.html" "$folder/walk.js")"$'\n'
done
[ "$(printf '%s' "$bodies" | grep -c 'data-drawn="[1-9][0-9]*" data-errors="none"')" -eq 5 ]
check $? "$bodies"
finish
