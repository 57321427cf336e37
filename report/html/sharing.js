// SPDX-License-Identifier: GPL-2.0-or-later
//
// Cachelines that threads share, from the document of `dtprof c2c report --json`, and differences between recordings, from that
// of `dtprof diff --json`.

const verdictTexts = {
	"false": "false sharing", "true": "true sharing", both: "false and true sharing", "latent-cpu": "latent: one processor at a time", "latent-true": "latent true sharing: one processor at a time",
	"latent-place": "latent: other addresses would share", few: "too few samples", "private": "one thread or no writer",
};
const kindTexts = {
	"one-object": "fields of one object", neighbours: "objects side by side", elements: "elements of an array",
	"one-type": "fields of one or two objects", unlike: "unlike or unknown objects",
};

// Addresses are numbers or, above 2^53, BigInts.
const hex = value => "0x" + value.toString(16);

const fieldOf = row => row.type ? row.type + (row.field ? " " + row.field : "") : row.variable || "+" + row.offset;

function namesOf(line) {
	return [...new Set(line.rows.map(fieldOf))];
}

function verdictText(line) {
	const false_sharing = line.verdict === "false" || line.verdict === "both";

	return verdictTexts[line.verdict] + (false_sharing && kindTexts[line.kind] ? ", " + kindTexts[line.kind] : "");
}

function lineTable(id, lines) {
	const all = profile.c2c.lines;

	return sortable(id, [
		{ name: "Share", n: true, value: line => line.percent, text: line => shown(line.percent) },
		{ name: "", value: line => line.percent, text: line => bar(line.percent) },
		{ name: "Samples", n: true, value: line => line.samples, text: line => count(line.samples) },
		{ name: "HITM", n: true, value: line => line.hitm, text: line => count(line.hitm) },
		{ name: "Threads", n: true, value: line => line.threads.length, text: line => String(line.threads.length) },
		{ name: "Verdict", short: true, value: verdictText, text: verdictText },
		{ name: "Gain", n: true, value: line => line.gain || 0, text: line => line.gain ? line.gain.toFixed(2) + "x" : line.gain_at_most ? "\u2264 " + line.gain_at_most.toFixed(2) + "x" : "-" },
		{ name: "Cacheline", short: true, value: line => Number(line.address), text: line => hex(line.address) },
		{ name: "Fields", value: line => namesOf(line).join(), text: line => cut(namesOf(line).join(", "), 120) },
	], lines, line => go("line", all.indexOf(line)));
}

function sharingView() {
	const c2c = profile.c2c || { lines: [], functions: [] }, search = $("search").value.toLowerCase();
	const lines = c2c.lines.filter(line => !search || namesOf(line).join(" ").toLowerCase().includes(search));

	return [el("h1", {}, "Shared cachelines"), recording(),
		profile.c2c ? el("p", { class: "dim" }, `${count(c2c.addressed)} of ${count(c2c.samples)} samples have a data address \u00b7 lines of ${c2c.cacheline} bytes \u00b7 ` +
			`${count(c2c.private_lines)} lines are used by one thread or only read \u00b7 shares are of ${c2c.cost}`) : null,
		lines.length ? lineTable("lines", lines) : el("p", {}, "No line with samples is shared by threads."),
		c2c.functions.length ? el("div", {}, el("h2", {}, "Functions that contend"), sortable("contests", [
			{ name: "Samples", n: true, value: item => item.samples, text: item => count(item.samples) },
			{ name: "Lines", n: true, value: item => item.lines, text: item => count(item.lines) },
			{ name: "Sharing", value: item => item.kind, text: item => item.kind },
			{ name: "Disturbed, or sharing", value: item => item.other || "", text: item => item.other || "[unknown]" },
			{ name: "Writer", value: item => item.writer || "", text: item => item.writer || "[unknown]" },
		], c2c.functions)) : null];
}

// The bytes of a line, a lane for each thread: R reads, W writes.
function linePicture(line, cacheline) {
	const span = line.verdict === "latent-place" ? Math.max(cacheline, ...line.rows.map(row => row.offset + row.size)) : cacheline;
	const unit = Math.min(14, 896 / span), left = 110, height = 32, most = Math.max(1, ...line.rows.map(row => row.samples));
	const node = el("svg", { width: left + span * unit + 8, height: 18 + line.threads.length * (height + 4), role: "img",
				 "aria-label": "Bytes of the line by thread; the table has the same figures" });

	for (let byte = 0; byte < span; byte += 8)
		node.append(el("text", { x: left + byte * unit, y: 11 }, String(byte)));
	line.threads.forEach((thread, i) => {
		const y = 18 + i * (height + 4);

		node.append(el("text", { x: 2, y: y + 14 }, `thread ${thread.tid}`), el("text", { x: 2, y: y + 27 }, `cpu ${thread.cpu}`),
			    el("rect", { x: left, y, width: span * unit, height, fill: "none" }));
		for (const row of line.rows.filter(item => item.tid === thread.tid)) {
			const width = Math.max(1, row.size) * unit, letters = (row.reads ? "R" : "") + (row.writes ? "W" : "");

			node.append(el("rect", { x: left + row.offset * unit, y, width, height,
						 fill: `rgba(var(${row.writes ? "--write" : "--heat"}), ${0.15 + 0.6 * row.samples / most})` },
				       el("title", {}, `${fieldOf(row)}\n+${row.offset}, ${row.size} bytes, ${row.function || "[unknown]"} ${row.source || ""}\n` +
						`${count(row.samples)} samples, ${count(row.loads)} loads, ${count(row.stores)} stores`)));
			if (width > 20)
				node.append(el("text", { x: left + row.offset * unit + 3, y: y + 13 }, cut(row.field || fieldOf(row), Math.max(2, Math.floor((width - 4) / 6.7)))),
					    el("text", { x: left + row.offset * unit + 3, y: y + 26 }, letters));
		}
	});
	return el("div", { class: "scroll" }, node);
}

function sharedLineView(number) {
	const line = profile.c2c && profile.c2c.lines[number];

	if (!line)
		return missing();
	const facts = [verdictText(line), `${count(line.samples)} samples, ${shown(line.percent)} of ${profile.c2c.cost}`, `process ${line.pid}`,
		       `${count(line.turns)} turns`];

	/* samples beside the line may wait for it, too: the gain is a lower bound */
	if (line.gain)
		facts.push(`its threads would be ${line.gain.toFixed(2)} times as fast without false sharing, the process ${line.whole_gain.toFixed(2)} times`);
	else if (line.gain_at_most)
		facts.push(`its threads would be at most ${line.gain_at_most.toFixed(2)} times as fast without false sharing`);
	if (line.maybe_in_turn)
		facts.push("no gain if one of them always waits while the other one runs: these samples do not tell");
	for (const lock of line.locks || [])
		facts.push(`threads waited for ${lock.lock} (${lock.type}) in ${count(lock.waits)} waits${line.beside.length ? `, and use ${line.beside.join(", ")} beside it` : ""}`);
	if (line.distance)
		facts.push(`objects ${line.distance} bytes apart share a line if the first begins at ${line.sharing_offsets.join(", ")} of a line`);
	return [el("h1", { class: "name" }, `Cacheline ${hex(line.address)}`), el("p", {}, facts.join(" \u00b7 ")), linePicture(line, profile.c2c.cacheline),
		sortable("uses", [
			{ name: "Samples", n: true, value: row => row.samples, text: row => count(row.samples) },
			{ name: "Loads", n: true, value: row => row.loads, text: row => count(row.loads) },
			{ name: "Stores", n: true, value: row => row.stores, text: row => count(row.stores) },
			{ name: "Disturbed", n: true, value: row => row.disturbed, text: row => count(row.disturbed) },
			{ name: "Offset", n: true, value: row => row.offset, text: row => String(row.offset) },
			{ name: "Thread", n: true, value: row => row.tid, text: row => String(row.tid) },
			{ name: "Use", value: row => row.writes, text: row => [row.reads ? "reads" : "", row.writes ? "writes" : ""].filter(Boolean).join(", ") },
			{ name: "Field", value: fieldOf, text: row => {
				const number = row.type ? typeNumber(row.type, null) : -1;
				return number >= 0 ? el("a", { href: "#/type/" + number + "/" + encodeURIComponent(row.field || "") }, fieldOf(row)) : fieldOf(row);
			} },
			{ name: "Function", value: row => row.function || "", text: row => row.function || "[unknown]" },
			{ name: "Source", value: row => row.source || "", text: row => row.source || "" },
		], line.rows)];
}

// Returns what c2c says about the lines with fields of a type; null if there are none.
function sharingOf(type) {
	const lines = (profile.c2c ? profile.c2c.lines : []).filter(line => line.rows.some(row => row.type === type.name));

	return lines.length ? el("div", {}, el("h2", {}, "Sharing between threads"), lineTable("shared", lines)) : null;
}

// ---- differences ----

const sureness = figure => figure.within_noise === undefined ? "" : figure.within_noise ? "within noise" : `sure (${figure.deviations.toFixed(1)} deviations)`;

function diffLayouts(layouts) {
	const [old, young] = layouts || [];

	if (!old || !young)
		return null;
	const sizes = new Map(), samples = new Map();

	for (const type of [old, young])
		for (const member of type.members) {
			sizes.set(member.name, Math.max(member.size, sizes.get(member.name) || 0));
			samples.set(member.name, Math.max(member.samples, samples.get(member.name) || 0));
		}
	return el("div", {}, el("h2", {}, `Layout of ${young.name}: in the first file and in the second`),
		  el("p", { class: "dim" }, `${old.size} bytes, ${visits(old.lines_per_visit)} cachelines a visit; then ${young.size} bytes, ${visits(young.lines_per_visit)}`),
		  morph(layoutOf(old), layoutOf(young), young.cacheline, sizes, samples, Math.max(old.samples, young.samples)));
}

function diffView() {
	const diff = profile.diff, search = $("search").value.toLowerCase();

	if (!diff)
		return missing();
	const names = diff.rows.length ? Object.keys(diff.rows[0].keys) : [], unit = diff.unit === "share" ? "%" : "";
	const value = (row, i) => row.figures[i] && row.figures[i].value !== undefined ? row.figures[i].value : 0;
	const digits = diff.unit === "share" ? 2 : 0, number = (item, i) => item.figures[i] ? value(item, i).toFixed(digits) + unit : "-";
	const delta = (row, i) => row.figures[i] && row.figures[i].delta !== undefined ? row.figures[i].delta : 0;
	const most = Math.max(1e-9, ...diff.rows.flatMap(row => diff.files.map((file, i) => Math.abs(delta(row, i)))));
	const moved = row => {
		const offsets = row.figures.map(figure => figure && figure.offset).filter(offset => offset !== undefined && offset !== null);
		return new Set(offsets).size > 1 ? offsets.join(" \u2192 ") : offsets.length ? String(offsets[0]) : "";
	};
	const columns = [{ name: base(diff.files[0].path), n: true, value: row => value(row, 0), text: row => number(row, 0) }];

	for (let i = 1; i < diff.files.length; i++)
		columns.push({ name: base(diff.files[i].path), n: true, value: row => value(row, i), text: row => number(row, i) },
			     { name: "Delta", n: true, value: row => delta(row, i), text: row => (delta(row, i) > 0 ? "+" : "") + delta(row, i).toFixed(digits) + unit },
			     { name: "", value: row => Math.abs(delta(row, i)), text: row => el("span", { class: delta(row, i) < 0 ? "bar less" : "bar",
				style: `width:${100 * Math.abs(delta(row, i)) / most}px` }) },
			     { name: "Noise", value: row => row.figures[i] ? sureness(row.figures[i]) : "", text: row => row.figures[i] ? sureness(row.figures[i]) : "" });
	const mark = row => row.figures.map(figure => figure && figure.mark).filter(Boolean).join(", ");
	columns.push({ name: "Change", value: mark, text: mark }, { name: "Offset", value: moved, text: moved });
	for (const name of names)
		columns.push({ name, value: row => String(row.keys[name]), text: row => el("b", {}, String(row.keys[name])) });
	return [el("h1", {}, "Differences"),
		el("ul", {}, diff.files.map(file => el("li", {}, `${file.path}: ${count(file.samples)} samples`))),
		diffLayouts(diff.layouts),
		sortable("diff", columns, diff.rows.filter(row => !search || Object.values(row.keys).join(" ").toLowerCase().includes(search)))];
}
