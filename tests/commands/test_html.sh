#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `dtprof report --html`: the page has the figures of --json and no markup from names; in a browser, where there is one, three
# clicks lead from the overview to the code that uses a field. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
data=$folder/perf.data page=$folder/page.html
names=("there is a page" "the page has the table of report --json" "the page has the types of annotate --json"
	"no name becomes markup" "the page names nothing outside of itself" "--html refuses keys" "an unwritable page is an error"
	"a device that is full is an error, and stays"
	"three clicks lead to the code of a field" "a hostile name is shown as text" "each view is drawn without an error")
plan ${#names[@]}

# The name of the program, and so of its threads, is markup.
program="$folder/<b>hot<i>"
if ! ${CC:-gcc} -O2 -g -o "$program" tests/workloads/cache.c 2>"$folder/log" ||
	! "$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$data" -- "$program" 200000 >/dev/null 2>"$folder/log"; then
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
# The page's JSON: what stands between the marks is gzip in base64.
contents() { sed -n '/id="data">/,/<\/script>/p' "$page" | sed '1d;$d' | base64 -d | gzip -dc; }

message=$("$DTPROF" report -q -i "$data" --html "$page" 2>&1)
[ -s "$page" ] && contents >"$folder/contents" 2>/dev/null
check $? "$message"

table=$("$DTPROF" report -i "$data" --json -s type,typeoff,acc,sym,dso,pid -F +weight1 2>/dev/null | compact)
[ ${#table} -gt 1000 ] && grep -qF "\"report\":$table" "$folder/contents"
check $? "$(head -c 300 "$folder/contents")"

types=$("$DTPROF" annotate -i "$data" --json --layout 2>/dev/null | compact | sed 's/.*"types":/"types":/; s/}$//')
[ ${#types} -gt 1000 ] && grep -qF "$types" "$folder/contents"
check $? "$(printf '%s' "$types" | head -c 300)"

grep -q '<b>hot' "$folder/contents" && ! grep -q '<b>hot' "$page"
check $?
! grep -v '^[A-Za-z0-9+/=]*$' "$page" | grep -v 'www.w3.org/2000/svg' | grep -E '(src|href)="?(https?:)?//|https?://|@import|url\((["'\'']?)(https?:)?//'
check $?

message=$("$DTPROF" report -i "$data" --html "$page" -s type 2>&1)
[ $? -eq 129 ] && printf '%s' "$message" | grep -q 'leave out -s'
check $? "$message"
message=$("$DTPROF" report -i "$data" --html "$folder/none/page.html" 2>&1)
[ $? -eq 1 ] && printf '%s' "$message" | grep -q "cannot create"
check $? "$message"

ln -s /dev/full "$folder/full"
message=$("$DTPROF" report -i "$data" --html "$folder/full" 2>&1)
[ $? -eq 1 ] && printf '%s' "$message" | grep -q "cannot write" && [ -L "$folder/full" ]
check $? "$message"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
	for name in "${names[@]:8}"; do
		skip "$name" "there is no Chromium here"
	done
	finish
fi

# The page with a script behind it that does what a user does, and writes down what it met.
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
	for (const view of ["", "flame", "functions", "help", "type/0", "code/0", "type/99999", "nonsense/<b>"]) {
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
sed '/<\/body>/{
r '"$folder/user.js"'
s/.*/<script>/
}' "$page" >"$folder/driven.html" 2>/dev/null
echo '</script></body></html>' >>"$folder/driven.html"
sed -i '/^<\/html>$/d' "$folder/driven.html"
HOME=$folder timeout 60 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=20000 --dump-dom \
	"file://$folder/driven.html" >"$folder/dom" 2>"$folder/log"
body=$(grep -o '<body[^>]*>' "$folder/dom" | head -1)
if [ -z "$body" ]; then
	for name in "${names[@]:8}"; do
		skip "$name" "the browser does not start here: $(tail -1 "$folder/log")"
	done
	finish
fi
printf '%s' "$body" | grep -q 'data-code="[^"]*struct entry +8 (key)'
check $? "$body"
printf '%s' "$body" | grep -q 'data-threads="[^"]*&lt;b&gt;hot&lt;i&gt;'
check $? "$body"
printf '%s' "$body" | grep -q 'data-errors="none"'
check $? "$body"
finish
