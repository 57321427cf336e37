#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Holds the answers of a current ClickHouse against those of a file: the engine of npm's package chdb (VERSION, default 3.4.0, whose
# engine is 26.7) behind as much of the HTTP interface as a store needs. Installs the package in a temporary folder (550 MB).
#
#   newer_clickhouse.sh [HOSTS [BATCHES]]     (20, 10); FLEET is the program that fills stores, DTPROF is dtprof
#
# Prints the engine's version, the bytes of a fact on disk, and "same" or the difference.
set -u

hosts=${1:-20} batches=${2:-10}
fleet=$(realpath "${FLEET:-build/tests/bench/fleet}") dtprof=$(realpath "${DTPROF:-build/dtprof}")
command -v npm >/dev/null || { echo "newer_clickhouse: there is no npm" >&2; exit 77; }
folder=$(mktemp -d) || exit 1
cd "$folder" || exit 1
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$folder"' EXIT
npm install "chdb@${VERSION:-3.4.0}" >npm.log 2>&1 || { tail -5 npm.log; exit 77; }
cat >serve.js <<'END'
const http = require("http"), fs = require("fs");
const { Session } = require("chdb");
const session = new Session("data");
async function answer(url, body) {
	const database = url.searchParams.get("database"), insert = url.searchParams.get("query");
	if (database)
		await session.queryAsync(`USE ${database}`);
	if (!insert)
		return (await session.queryAsync(body.toString().replace(/ FORMAT RowBinary$/, ""), { format: "RowBinary" })).bytes();
	const table = /INTO (\w+)/.exec(insert)[1];
	const columns = (await session.queryAsync(`SELECT arrayStringConcat(groupArray(name || ' ' || type), ', ') FROM (SELECT name, type FROM
		system.columns WHERE database = '${database}' AND table = '${table}' ORDER BY position)`, { format: "TSVRaw" })).text().trim();
	fs.writeFileSync("rows", body);
	await session.queryAsync(`INSERT INTO ${table} SELECT * FROM file('${process.cwd()}/rows', 'RowBinary', '${columns}')`);
	return "";
}
let last = Promise.resolve();
const server = http.createServer((request, response) => {
	const parts = [];
	request.on("data", part => parts.push(part)).on("end", () => {
		last = last.then(() => answer(new URL(request.url, "http://host"), Buffer.concat(parts))).then(
			bytes => response.end(Buffer.from(bytes)),
			problem => { response.statusCode = 500; response.end(problem.message); });
	});
});
server.listen(0, "127.0.0.1", () => { fs.writeFileSync("new", String(server.address().port)); fs.renameSync("new", "port"); });
END
node serve.js >serve.log 2>&1 &
for _ in $(seq 300); do [ -e port ] || sleep 0.1; done
[ -e port ] || { cat serve.log; exit 1; }
store=clickhouse://127.0.0.1:$(cat port)/fleet
ask() { curl -s "http://127.0.0.1:$(cat port)/" --data-binary "$1 FORMAT RowBinary" | tail -c +2; }
echo "engine $(ask 'SELECT version()')"
"$fleet" "$store" "$hosts" "$batches" || exit 1
"$fleet" "$store" "$hosts" "$batches" || exit 1 # which adds nothing
"$fleet" file.db "$hosts" "$batches" || exit 1
ask "OPTIMIZE TABLE fleet.fact FINAL"
echo "bytes of a fact: $(ask "SELECT toString(sum(bytes_on_disk) / sum(rows)) FROM system.parts WHERE database = 'fleet' AND table = 'fact' AND active")"
where="host like '%1' and not (type in (type_1, type_2) or sym = function_7) or image = ''"
for keys in typeoff,host type,sym day,host build,event cgroup,image; do
	for condition in "host != ''" "$where"; do
		"$dtprof" store report -q -s $keys --csv --where "$condition" --store file.db >expected
		"$dtprof" store report -q -s $keys --csv --where "$condition" --store "$store" >shown
		cmp -s expected shown || { diff expected shown | head -5; echo "it differs by $keys, $condition"; exit 1; }
	done
done
[ -s expected ] && echo same
