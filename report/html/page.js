// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page of --html: draws the documents that stand in the page as packed, compressed JSON.
//
// They are those of `report --json` and other commands, unchanged (Documentation/json.md); a page has those of its command.
// Each view is drawn when it is opened, and its address (#/type/3/flags) can be kept and gone back to. Names come from files
// that nobody trusts, so they only ever become text nodes and attributes of the page, never markup.

const $ = id => document.getElementById(id);
const svgNames = new Set(["svg", "g", "rect", "text", "title", "path", "pattern", "defs", "line", "circle"]);

// Returns a new element. `props`: attributes; onclick and other functions become listeners.
function el(tag, props, ...children) {
	const node = svgNames.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag)
				       : document.createElement(tag);

	for (const [name, value] of Object.entries(props || {})) {
		if (typeof value === "function")
			node.addEventListener(name.slice(2), value);
		else if (value !== null && value !== undefined && value !== false)
			node.setAttribute(name, value === true ? "" : value);
	}
	for (const child of children.flat())
		if (child !== null && child !== undefined)
			node.append(child);
	return node;
}

const base = path => path.slice(path.lastIndexOf("/") + 1);
const count = number => Math.round(number).toLocaleString("en-US");
const percent = (part, whole) => whole ? (100 * part / whole).toFixed(2) + "%" : "-";
// A share as dtprof prints it: the JSON's own digits.
const shown = value => value.toFixed(2) + "%";

// Cuts the middle out of a name.
function cut(name, width) {
	if (name.length <= width)
		return name;
	const tail = Math.floor((width - 1) / 2);
	return name.slice(0, width - 1 - tail) + "\u2026" + name.slice(name.length - tail);
}

// ---- the profile ----

let profile;         // the JSON
let rows = [];       // all rows of the chosen table, flat
let chosen = [];     // those that pass the filters
let filtered = false;

const weights = {
	period: { label: "time or events", of: figure => figure.period },
	samples: { label: "samples", of: figure => figure.samples },
	latency: { label: "latency", of: figure => figure.weight },
	loads: { label: "loads", of: figure => figure.loads },
	stores: { label: "stores", of: figure => figure.stores },
};
const state = { table: 0, event: 0, weight: "period", thread: "", object: "", name: "", order: {} };

async function readProfile() {
	const text = $("data").textContent.trim();
	const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));

	return unpack(JSON.parse(await new Response(stream).text()));
}

// Members with addresses, which need all of their 64 bits. Other large integers become numbers.
const exactNames = new Set(["address", "target", "object", "base"]);

// Returns a function that gives the values of a packed column one after the other (html_page.h).
function columnReader(column, name) {
	let at = 0, sum = 0;

	if (Array.isArray(column))
		return () => column[at++];
	if ("c" in column)
		return () => column.c;
	if ("u" in column)
		return () => column.u[column.i[at++]];
	if ("d" in column)
		return () => sum += column.d[at++];
	sum = 0n;
	return () => {
		sum = BigInt.asUintN(64, sum + BigInt(column.b[at++]));
		return exactNames.has(name) ? sum : Number(sum);
	};
}

// Returns the document that html_pack_destroy() wrote by columns.
function unpack({ shapes, columns }) {
	let met = 0;
	const placeOf = name => ({ next: columnReader(columns[met++], name), below: new Map() });
	const below = (place, name) => {
		if (!place.below.has(name))
			place.below.set(name, placeOf(name));
		return place.below.get(name);
	};
	const read = place => {
		const value = place.next();

		if (!Array.isArray(value))
			return value;
		if (value[0] < 0)
			return Array.from({ length: -1 - value[0] }, () => read(below(place, null)));
		return Object.fromEntries(shapes[value[0]].map(name => [name, read(below(place, name))]));
	};

	return read(placeOf(null));
}

// The table of `report`; a page without one has its types and events as tables (tablesOfTypes).
let tables = [];
const table = () => tables[state.table];

// Returns the figures of a type or member in the form of rows.
function figuresOfMember(member) {
	return member.figures.map(figure => ({ samples: figure.samples, period: figure.period, weight: figure.weight, loads: figure.loads, stores: figure.stores }));
}

// Returns tables whose rows are the fields of the annotated types, for pages without the document of report.
function tablesOfTypes() {
	const made = new Map();

	for (const type of profile.annotate.types || []) {
		const name = type.events.join(", "), rest = figuresOfMember(type), { leaves } = leavesOf(type), own = [];
		if (!made.has(name))
			made.set(name, { events: type.events.map(event => ({ name: event, total: 0 })), flat: [] });
		const row = (offset, field, figures) => ({ type: type.name, typed: !type.name.startsWith("("), offset, field, symbol: "", address: 0,
							   dso: base(type.object), tid: 0, comm: "", chains: [], figures });

		for (const leaf of leaves.filter(item => item.path && item.member.figures.some(figure => figure.samples))) {
			own.push(row(leaf.first >> 3, leaf.path, figuresOfMember(leaf.member)));
			leaf.member.figures.forEach((figure, i) => Object.keys(rest[i]).forEach(key => { rest[i][key] -= figure[key]; }));
		}
		if (rest.some(figure => figure.samples > 0) || !own.length)
			own.push(row(0, null, rest));
		made.get(name).flat.push(...own);
		type.figures.forEach((figure, i) => { made.get(name).events[i].total += figure.period; });
	}
	return [...made.values()];
}

// Returns tables of a store's rows, one for each event.
function tablesOfStore() {
	return groups(profile.store.rows.map(row => ({ ...row, figures: [{ samples: row.samples, period: row.period, weight: row.latency, loads: row.loads, stores: row.stores }] })),
		      row => row.event).map(({ key, rows: members }) => ({
		events: [{ name: key, total: members.reduce((all, row) => all + row.period, 0) }],
		flat: members.map(row => {
			const [, , offset, field] = /^(.*) ([+-]\d+) \((.*)\)$/.exec(row.typeoff) || [];

			return { type: row.type, typed: offset !== undefined, offset: Number(offset || 0), field: field === "no field" ? null : field,
				 symbol: "", address: 0, dso: base(row.dso), tid: 0, comm: "", chains: [], hosts: row.hosts, figures: row.figures };
		}),
	}));
}

// Returns the accesses of annotated functions as rows, for pages without the document of report.
function rowsOfCode() {
	const none = { samples: 0, period: 0, weight: 0, loads: 0, stores: 0 };

	return (profile.annotate.functions || []).flatMap(code => code.instructions.filter(insn => insn.type && insn.type.name && (insn.charged || insn.figures))
		.map(insn => ({ type: insn.type.name, typed: true, offset: insn.type.offset, field: insn.type.field, symbol: code.name, address: code.address,
				dso: base(code.object), tid: 0, comm: "", chains: [],
				figures: (insn.charged || insn.figures).map(figure => ({ ...none, samples: figure.samples, period: figure.period })) })));
}

function flatten() {
	if (!profile.report) {
		rows = table().flat;
		return;
	}
	// A row of many events has figures only for those with samples.
	const ofEachEvent = figures => {
		const all = table().events.map(() => ({ samples: 0, period: 0 }));

		figures.forEach((figure, i) => { all[figure.event ?? i] = figure; });
		return all;
	};

	rows = table().rows.map(row => {
		const keys = row.keys, acc = keys.acc || "";
		const write = acc.startsWith("store") || acc.startsWith("rmw");
		const read = acc.startsWith("load") || acc.startsWith("rmw");

		return {
			type: keys.type, typed: keys.typeoff.type !== null && !keys.type.startsWith("("),
			offset: keys.typeoff.offset, field: keys.typeoff.field, how: keys.how,
			symbol: keys.symbol.symbol || "[unknown]", address: keys.symbol.address, dso: keys.dso,
			tid: keys.pid.tid, comm: keys.pid.comm, chains: row.chains || [],
			figures: ofEachEvent(row.figures).map(figure => ({
				samples: figure.samples, period: figure.period,
				weight: (figure.mean_weight1 || 0) * figure.samples,
				loads: read ? figure.samples : 0, stores: write ? figure.samples : 0,
			})),
		};
	});
}

const weigh = row => weights[state.weight].of(row.figures[state.event]);
const sum = list => list.reduce((total, row) => total + weigh(row), 0);

function choose() {
	const name = state.name.toLowerCase();

	filtered = Boolean(state.thread || state.object || name);
	chosen = rows.filter(row => (!state.thread || String(row.tid) === state.thread) &&
				    (!state.object || row.dso === state.object) &&
				    (!name || row.symbol.toLowerCase().includes(name)));
}

// Groups rows by a key. Returns [{ key, rows, weight }], the heaviest first.
function groups(list, key) {
	const map = new Map();

	for (const row of list) {
		const k = key(row);
		if (!map.has(k))
			map.set(k, []);
		map.get(k).push(row);
	}
	return [...map].map(([k, members]) => ({ key: k, rows: members, weight: sum(members) }))
		.sort((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1));
}

// 100 percent: all samples of the event, as in `dtprof report`, or the chosen ones.
function whole() {
	if (filtered || state.weight !== "period")
		return sum(chosen);
	return table().events[state.event].total;
}

// Returns the number of the annotated type of this name, or -1. The same name may stand for a type of each object.
function typeNumber(name, dso) {
	const types = (profile.annotate || {}).types || [];
	let other = -1;

	for (let i = 0; i < types.length; i++) {
		if (types[i].name !== name || (table() && !types[i].events.includes(table().events[0].name)))
			continue;
		if (!dso || base(types[i].object) === dso)
			return i;
		other = i;
	}
	return other;
}

function functionNumber(symbol, dso, address) {
	const functions = profile.annotate.functions || [];

	// an address may be a number in one document and a BigInt in the other
	return functions.findIndex(item => item.name === symbol && String(item.address) === String(address) &&
					   (!dso || base(item.object).startsWith(dso) || dso.startsWith("[")));
}

// ---- tables with columns that sort ----

// columns: [{ name, n: numeric, value(item), text(item) -> string or node }]
function sortable(id, columns, items, open, limit) {
	const order = state.order[id] || { column: -1, up: false };
	const sorted = order.column < 0 ? items : [...items].sort((a, b) => {
		const x = columns[order.column].value(a), y = columns[order.column].value(b);
		return (x < y ? -1 : x > y ? 1 : 0) * (order.up ? 1 : -1);
	});
	const head = el("tr", {}, columns.map((column, i) => el("th", {
		class: column.n ? "n" : null,
		"aria-sort": order.column === i ? (order.up ? "ascending" : "descending") : null,
	}, el("button", { type: "button", onclick: () => {
		state.order[id] = { column: i, up: order.column === i ? !order.up : !column.n };
		draw();
	} }, column.name + (order.column === i ? (order.up ? " \u25b2" : " \u25bc") : "")))));
	const body = el("tbody");
	const add = (from, to) => sorted.slice(from, to).forEach(item => body.append(
		el("tr", open ? { tabindex: 0, onclick: () => open(item),
				  onkeydown: event => { if (event.key === "Enter") open(item); } } : {},
		   columns.map(column => el("td", { class: column.n ? "n" : column.short ? "name short" : "name" }, column.text(item))))));
	const first = limit || 200;

	add(0, first);
	const result = el("div", { class: "scroll" }, el("table", { id: "table-" + id }, el("thead", {}, head), body));
	if (sorted.length > first) {
		const more = el("button", { type: "button", onclick: () => { add(first, sorted.length); more.remove(); } },
				`Show the other ${count(sorted.length - first)}`);
		result.append(more);
	}
	return result;
}

const bar = share => el("span", { class: "bar", style: `width:${Math.max(0, Math.min(100, share)) * 1.2}px` });

function go(...parts) {
	location.hash = "#/" + parts.map(encodeURIComponent).join("/");
}

// ---- overview ----

// Squarified treemap (Bruls, Huizing, van Wijk 2000): items { weight } in descending order into a rectangle.
function squarify(items, x, y, width, height, place) {
	let total = items.reduce((all, item) => all + item.weight, 0), start = 0;

	while (start < items.length && total > 0 && width > 0.5 && height > 0.5) {
		const side = Math.min(width, height), scale = width * height / total;
		let end = start, area = 0, worst = Infinity;

		while (end < items.length) {
			const next = area + items[end].weight * scale;
			const ratio = Math.max(side * side * items[start].weight * scale / (next * next),
					       next * next / (side * side * items[end].weight * scale));
			if (ratio > worst)
				break;
			worst = ratio;
			area = next;
			end++;
		}
		const depth = area / side;
		let along = 0;
		for (let i = start; i < end; i++) {
			const length = items[i].weight * scale / depth;
			if (width >= height)
				place(items[i], x, y + along, depth, length);
			else
				place(items[i], x + along, y, length, depth);
			along += length;
			total -= items[i].weight;
		}
		if (width >= height) {
			x += depth;
			width -= depth;
		} else {
			y += depth;
			height -= depth;
		}
		start = end;
	}
}

function treemap(types, all) {
	const width = Math.max(480, $("main").clientWidth - 24), height = 280;
	const node = el("svg", { viewBox: `0 0 ${width} ${height}`, style: "width:100%", role: "img",
				 "aria-label": "Types by weight; the table below has the same figures" });
	const heaviest = types.length ? types[0].weight : 1;

	squarify(types.filter(item => item.weight > all / 5000), 0, 0, width, height, (item, x, y, w, h) => {
		const typed = item.rows[0].typed;
		const open = () => openType(item);
		const label = `${item.key}\n${percent(item.weight, all)}`;

		node.append(el("rect", { x, y, width: w, height: h, "data-go": typed, tabindex: typed ? 0 : null,
					 fill: typed ? `rgba(var(--heat), ${0.15 + 0.7 * item.weight / heaviest})` : "var(--panel)",
					 onclick: typed ? open : null,
					 onkeydown: typed ? event => { if (event.key === "Enter") open(); } : null },
				el("title", {}, label)));
		if (w > 60 && h > 16)
			node.append(el("text", { x: x + 4, y: y + 13 }, cut(item.key, Math.floor((w - 8) / 6.7))));
		if (w > 60 && h > 32)
			node.append(el("text", { x: x + 4, y: y + 26 }, percent(item.weight, all)));
	});
	return node;
}

// The fields of a type in a store's page, which has no layouts.
function storedType(type) {
	const all = whole(), fields = groups(chosen.filter(row => row.type === type), row => `${row.dso}+${row.offset} ${row.field || ""}`);

	return fields.length ? [
		el("h1", {}, type),
		sortable("fields", [
			...figureColumns(all),
			{ name: "Hosts", n: true, value: g => g.rows[0].hosts, text: g => count(g.rows[0].hosts) },
			{ name: "Offset", n: true, value: g => g.rows[0].offset, text: g => String(g.rows[0].offset) },
			{ name: "Field", value: g => g.rows[0].field || "", text: g => el("b", {}, g.rows[0].field || "(no field)") },
			{ name: "Object", value: g => g.rows[0].dso, text: g => g.rows[0].dso },
		], fields),
	] : missing();
}

function openType(group) {
	if (profile.store) {
		if (group.rows[0].typed)
			go("stored", group.key);
		return;
	}
	const number = typeNumber(group.key, group.rows[0].dso);

	if (number >= 0)
		go("type", number);
}

function summary() {
	const now = table(), coverage = now.coverage;

	if (!coverage)
		return null;
	const facts = [["samples", coverage.samples], ["of memory accesses", coverage.memory_accesses],
		       ["of these with a type", coverage.typed]];

	if (coverage.charged !== undefined)
		facts.push(["charged to the access that was waited for", coverage.charged]);
	if (coverage.interrupts_off)
		facts.push(["interrupts were off", coverage.interrupts_off]);
	return el("div", {},
		  el("ul", { class: "numbers" }, facts.map(([label, value], i) => el("li", {},
			el("b", {}, count(value)), ` ${label}`,
			i ? el("span", { class: "dim" }, ` (${percent(value, i === 2 ? coverage.memory_accesses : coverage.samples)})`)
			  : null))),
		  profile.report.lost_samples ? el("p", {}, `${count(profile.report.lost_samples)} samples were lost while recording.`) : null,
		  coverage.reasons.length ? el("details", {},
			el("summary", {}, `Memory accesses without a type: ${count(coverage.memory_accesses - coverage.typed)}`),
			el("table", {}, coverage.reasons.map(reason => el("tr", {},
				el("td", { class: "n" }, count(reason.samples)), el("td", {}, reason.reason))))) : null);
}

function recording() {
	const facts = profile.store ? [["samples", count(profile.store.samples)], ["hosts", count(profile.store.hosts)]] : profile.recording || [];

	return el("p", { class: "dim" }, facts.map(([name, value]) => `${name}: ${value}`).join(" \u00b7 "));
}

function figuresOf(group) {
	const event = state.event;
	return group.rows.reduce((all, row) => {
		const figure = row.figures[event];
		all.samples += figure.samples;
		all.loads += figure.loads;
		all.stores += figure.stores;
		all.weight += figure.weight;
		return all;
	}, { samples: 0, loads: 0, stores: 0, weight: 0 });
}

function figureColumns(all) {
	return [
		{ name: "Share", n: true, value: g => g.weight, text: g => percent(g.weight, all) },
		{ name: "", n: false, value: g => g.weight, text: g => bar(100 * g.weight / all) },
		{ name: "Samples", n: true, value: g => figuresOf(g).samples, text: g => count(figuresOf(g).samples) },
		{ name: "Loads", n: true, value: g => figuresOf(g).loads, text: g => count(figuresOf(g).loads) },
		{ name: "Stores", n: true, value: g => figuresOf(g).stores, text: g => count(figuresOf(g).stores) },
	].concat(rows.some(row => row.figures[state.event].weight) ? [
		{ name: "Mean latency", n: true, value: g => figuresOf(g).weight / figuresOf(g).samples,
		  text: g => figuresOf(g).weight ? (figuresOf(g).weight / figuresOf(g).samples).toFixed(1) : "-" },
	] : []);
}

function overview() {
	const search = $("search").value.toLowerCase(), all = whole();
	const match = row => !search || row.type.toLowerCase().includes(search) || (row.field || "").toLowerCase().includes(search);
	const types = groups(chosen.filter(match), row => row.type);

	return [
		el("h1", {}, "Where the memory accesses go"), recording(), summary(), treemap(types, all),
		el("h2", {}, "Types"),
		sortable("types", [
			...figureColumns(all),
			{ name: "Hottest field", value: g => hottest(g), text: g => hottest(g) },
			{ name: "Type", value: g => g.key, text: g => g.rows[0].typed ? el("b", {}, g.key) : g.key },
		], types, openType),
	];
}

function hottest(group) {
	if (!group.rows[0].typed)
		return "";
	const best = groups(group.rows, row => row.field || "(no field)")[0];
	return `${best.key} ${percent(best.weight, group.weight)}`;
}

// ---- a struct ----

// Returns the elements of an array that are accessed one by one, and the rest of it, as leaves.
function elementsOf(leaf) {
	const parts = leaf.member.parts.filter(part => part.offset !== undefined).sort((a, b) => a.offset - b.offset);
	const rest = leaf.member.parts.find(part => part.offset === undefined), end = leaf.first + leaf.bits, elements = [];
	const add = (first, to, label, figures) => {
		if (to > first)
			elements.push({ ...leaf, first, bits: to - first, label, whole: leaf, member: { ...leaf.member, figures, threads: [] } });
	};
	const nothing = leaf.member.figures.map(() => ({ samples: 0, period: 0, weight: 0, loads: 0, stores: 0, percent: 0 }));
	let at = leaf.first;

	for (const part of parts) {
		if (part.offset * 8 < at)
			continue;
		add(at, part.offset * 8, rest ? leaf.path + rest.label : leaf.path, rest ? rest.figures : nothing);
		at = Math.min(end, (part.offset + part.size) * 8);
		add(part.offset * 8, at, leaf.path + part.label, part.figures);
	}
	add(at, end, rest ? leaf.path + rest.label : leaf.path, rest ? rest.figures : nothing);
	return elements;
}

// Returns the leaf fields of a type: { path, label, first and bits, member }, and all members with their depth. Elements of
// arrays are leaves of their array's path; `whole` is the array then.
function leavesOf(type) {
	const leaves = [], members = [];
	const addLeaf = leaf => leaves.push(...(leaf.member.parts && leaf.member.parts.some(part => part.offset !== undefined) ? elementsOf(leaf) : [leaf]));

	// the accesses of which it is not known to which member of the union they go
	const addUnion = (union, path) => {
		const figures = figuresOfMember(union);

		for (const member of union.members)
			member.figures.forEach((figure, i) => Object.keys(figures[i]).forEach(key => { figures[i][key] -= figure[key]; }));
		if (figures.some(figure => figure.samples > 0))
			leaves.push({ path, first: union.offset * 8, bits: union.size * 8, member: { ...union, figures } });
	};
	const walk = (list, path, depth) => {
		for (const member of list || []) {
			const name = member.name ? (path ? path + "." : "") + member.name : path;

			members.push({ member, path: name, depth });
			for (const part of member.parts || [])
				members.push({ member: { ...part, name: part.label, type: "element" }, path: name, depth: depth + 1 });
			if (member.members && member.members.length) {
				walk(member.members, name, depth + 1);
				if (member.type.startsWith("union"))
					addUnion(member, name);
			} else if (member.bit_size)
				leaves.push({ path: name, first: member.offset * 8 + (member.bit_offset || 0), bits: member.bit_size, member });
			else if (member.size && !member.base) // an empty base class takes no bytes
				addLeaf({ path: name, first: member.offset * 8, bits: member.size * 8, member });
		}
	};
	walk(type.members, "", 0);
	if (!leaves.length && type.size)
		leaves.push({ path: "", first: 0, bits: type.size * 8, member: type });
	return { leaves, members };
}

const modes = {
	all: { label: "time or events", of: figure => figure.period },
	samples: { label: "samples", of: figure => figure.samples },
	reads: { label: "reads", of: figure => figure.loads },
	writes: { label: "writes", of: figure => figure.stores, colour: "--write" },
	latency: { label: "latency", of: figure => figure.weight },
	threads: { label: "threads", of: figure => figure.period },
};
let mode = "all";

// Returns the modes for which the type has figures.
function usefulModes(type) {
	const total = type.figures[state.event] || type.figures[0], { leaves } = leavesOf(type);

	return Object.entries(modes).filter(([name, item]) =>
		name === "threads" ? leaves.some(leaf => (leaf.member.threads || []).length > 1) : item.of(total));
}

// Returns the colour of a field: by heat, or in the mode "threads" by who writes it.
function colourOf(leaf, hottestField) {
	const figure = leaf.member.figures[state.event] || leaf.member.figures[0];

	if (mode === "threads") {
		const threads = leaf.member.threads || [], writers = threads.filter(thread => thread.stores).length;
		if (!threads.length)
			return "none";
		return writers > 1 ? "rgba(var(--heat), .8)" : writers && threads.length > 1 ? "rgba(var(--heat), .4)"
		       : writers ? "rgba(var(--write), .45)" : "rgba(var(--write), .15)";
	}
	const value = modes[mode].of(figure);
	return value ? `rgba(var(${modes[mode].colour || "--heat"}), ${0.12 + 0.75 * value / hottestField})` : "none";
}

function threadText(member) {
	const threads = member.threads || [];

	if (!threads.length)
		return "";
	const writers = threads.filter(thread => thread.stores).length;
	return `${threads.length} thread${threads.length > 1 ? "s" : ""}, ${writers || "none"} writing`;
}

// The same in a few letters: "3T 1W" for 3 threads, one of which writes.
function threadLetters(member) {
	const threads = member.threads || [], writers = threads.filter(thread => thread.stores).length;

	return (threads.length ? `${threads.length}T` : "") + (writers ? ` ${writers}W` : "");
}

// Returns one drawn cacheline: pieces of fields, those of unions in lanes of their own.
function lineOf(leaves, number, size, typeBits) {
	const first = number * size * 8, last = Math.min(first + size * 8, typeBits), lanes = [];

	for (const leaf of [...leaves].sort((a, b) => a.first - b.first)) {
		const from = Math.max(leaf.first, first), to = Math.min(leaf.first + leaf.bits, last);
		if (from >= to)
			continue;
		let lane = lanes.findIndex(list => list[list.length - 1].to <= from);
		if (lane < 0)
			lane = lanes.push([]) - 1;
		lanes[lane].push({ leaf, from, to });
	}
	return { first, last, lanes };
}

// Returns the ranges of bits of a drawn line that no field has.
function gapsOf(line) {
	const gaps = [];
	let at = line.first;

	for (const piece of line.lanes.flat().sort((a, b) => a.from - b.from)) {
		if (piece.from > at)
			gaps.push([at, piece.from]);
		at = Math.max(at, piece.to);
	}
	if (line.last > at)
		gaps.push([at, line.last]);
	return gaps;
}

// Returns the runs of bitfields of a drawn line that lie side by side. Accesses to several fields that are not told apart
// ("unit") are below those of the fields, each in a run of its own.
function bitRunsOf(line) {
	const pieces = line.lanes.flat().filter(item => item.leaf.member.bit_size).sort((a, b) => a.from - b.from), runs = [];

	for (const piece of pieces.filter(item => !item.leaf.member.unit)) {
		const run = runs[runs.length - 1];
		if (run && run.to >= piece.from && run.to - run.from < 64)
			run.pieces.push(piece), run.to = Math.max(run.to, piece.to);
		else
			runs.push({ from: piece.from, to: piece.to, pieces: [piece] });
	}
	for (const piece of pieces.filter(item => item.leaf.member.unit))
		runs.push({ from: piece.from, to: piece.to, pieces: [piece] });
	return runs.sort((a, b) => a.from - b.from);
}

function layoutPicture(type, number, selected) {
	const size = type.cacheline || 64, unit = Math.min(14, 896 / size), left = 64, laneHeight = 34;
	const { leaves } = leavesOf(type);
	/* a flexible array follows the type's own bytes */
	const bits = Math.max(type.size * 8, ...leaves.map(leaf => leaf.first + leaf.bits));
	const total = type.figures[state.event] || type.figures[0];
	const top = Math.max(1, ...leaves.map(leaf => modes[mode].of(leaf.member.figures[state.event] || leaf.member.figures[0])));
	const lineCount = Math.ceil(bits / 8 / size), hot = new Map(type.cachelines.filter(line => !line.somewhere_in).map(line => [line.number, line]));
	// samples in arrays, whose lines are not known: drawn over all of them
	const somewhere = type.cachelines.filter(line => line.somewhere_in);
	const node = el("svg", { width: left + size * unit + 150 });
	let y = 16, skipped = 0;

	node.append(el("defs", {}, el("pattern", { id: "hole", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
				      el("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: "var(--dim)", "stroke-width": 2 }))));
	for (let byte = 0; byte < size; byte += 8)
		node.append(el("text", { x: left + byte * unit, y: 11 }, String(byte)));
	const flush = () => {
		if (skipped)
			node.append(el("text", { x: left, y: y + 12 }, `${skipped} cachelines without samples`)), y += 18;
		skipped = 0;
	};
	for (let i = 0; i < lineCount; i++) {
		const within = somewhere.filter(({ somewhere_in: [from, to] }) => i >= from && (to === null || i <= to));
		if (lineCount > 12 && !hot.has(i) && !within.some(({ somewhere_in: [from] }) => i === from)) {
			skipped++;
			continue;
		}
		flush();
		const line = lineOf(leaves, i, size, bits), lanes = Math.max(1, line.lanes.length);
		const figure = hot.has(i) ? hot.get(i).figures[state.event] || hot.get(i).figures[0] : null;
		const height = lanes * laneHeight, runs = bitRunsOf(line);
		// a field's rectangle, of any scale: bits are too narrow for a text where bytes are drawn
		const field = (piece, x, at, width) => {
			const own = piece.leaf.member.figures[state.event] || piece.leaf.member.figures[0];
			const share = own.percent === undefined ? 100 * own.period / (total.period || 1) : own.percent;
			const path = piece.leaf.path || type.name, label = piece.leaf.label || path, open = () => go("type", number, piece.leaf.path);

			node.append(el("rect", { x, y: at, width, height: laneHeight, fill: "var(--back)" }));
			node.append(el("rect", { x, y: at, width, height: laneHeight, "data-go": true, tabindex: 0,
						 class: selected !== null && path === selected ? "chosen" : null,
						 fill: colourOf(piece.leaf, top), onclick: open,
						 onkeydown: event => { if (event.key === "Enter") open(); } },
					el("title", {}, `${piece.leaf.member.type || ""} ${label}\n+${piece.leaf.first / 8 | 0}, ${piece.leaf.bits % 8 ? piece.leaf.bits + " bits" : piece.leaf.bits / 8 + " bytes"}\n` +
						`${shown(share)}: ${count(own.samples)} samples, ${count(own.loads)} loads, ${count(own.stores)} stores` +
						`${own.weight ? ", latency " + count(own.weight) : ""}\n${threadText(piece.leaf.member)}`)));
			if (width > 16)
				node.append(el("text", { x: x + 3, y: at + 14 }, cut(label, Math.max(2, Math.floor((width - 4) / 6.7)))));
			// the share is that of the whole field, which may go on in the next line
			if (width > 36 && own.samples && piece.from === piece.leaf.first)
				node.append(el("text", { x: x + 3, y: at + 28 }, mode === "threads" ? threadLetters(piece.leaf.member)
					: width > 50 ? shown(share) : share.toFixed(1)));
		};

		node.append(el("text", { x: 2, y: y + 20 }, "+" + i * size));
		for (const [from, to] of gapsOf(line))
			node.append(el("rect", { x: left + (from - line.first) / 8 * unit, y, width: (to - from) / 8 * unit, height, fill: "url(#hole)" },
					el("title", {}, `hole or padding of ${(to - from) % 8 ? to - from + " bits" : (to - from) / 8 + " bytes"}`)));
		line.lanes.forEach((lane, k) => lane.forEach(piece =>
			field(piece, left + (piece.from - line.first) / 8 * unit, y + k * laneHeight, (piece.to - piece.from) / 8 * unit)));
		if (figure)
			node.append(el("text", { x: left + size * unit + 6, y: y + 20 }, `${percent(figure.period, total.period)} of the type`));
		for (const { somewhere_in: [from, to], figures } of within) {
			const share = (figures[state.event] || figures[0]).period;
			node.append(el("text", { x: left + size * unit + 6, y: y + 32, class: "dim" }, `${percent(share, total.period)} somewhere in ${from}-${to === null ? "" : to}`));
		}
		y += height + 4;
		for (const run of runs) {
			const scale = Math.min(40, size * unit / (run.to - run.from));
			node.append(el("text", { x: 2, y: y + 14 }, `bits of`), el("text", { x: 2, y: y + 27 }, `+${run.from >> 3}`));
			for (const piece of run.pieces)
				field(piece, left + (piece.from - run.from) * scale, y, (piece.to - piece.from) * scale);
			y += laneHeight + 4;
		}
	}
	flush();
	node.setAttribute("height", y + 4);
	return el("div", { class: "scroll" }, node);
}

function usersOf(type, leaf) {
	const first = leaf ? leaf.first >> 3 : 0, end = leaf ? Math.ceil((leaf.first + leaf.bits) / 8) : Infinity;
	const list = (profile.report ? chosen : rowsOfCode()).filter(row => row.type === type.name && row.offset >= first && row.offset < end);

	return groups(list, row => row.symbol + "\u0000" + row.dso + "\u0000" + row.address);
}

// Returns the table of members, or null for a type without members (int).
function memberTable(type, number, selected) {
	const { members } = leavesOf(type), folded = new Set(), total = type.figures[state.event] || type.figures[0];
	const body = el("tbody"), folds = [];

	if (!members.length)
		return null;
	members.forEach((item, i) => {
		const own = item.member.figures[state.event] || item.member.figures[0], arrays = item.member.parts && item.member.parts.length;
		const nested = arrays || item.member.members && item.member.members.length;
		const open = () => go("type", number, item.path);
		const mark = el("span", {}, nested ? "\u25be " : "");
		const line = el("tr", { tabindex: 0, class: item.path === selected ? "chosen" : null, onclick: open,
					onkeydown: event => {
						if (event.key === "Enter")
							open();
						if (event.key === " " && nested) {
							event.preventDefault();
							fold();
						}
					} },
				el("td", { class: "n" }, own.percent === undefined ? percent(own.period, total.period) : shown(own.percent)),
				el("td", {}, bar(100 * own.period / (total.period || 1))),
				el("td", { class: "n" }, count(own.samples)), el("td", { class: "n" }, count(own.loads)),
				el("td", { class: "n" }, count(own.stores)),
				el("td", { class: "n" }, own.weight ? (own.weight / own.samples).toFixed(1) : "-"),
				el("td", { class: "n" }, String(item.member.offset ?? "") + (item.member.bit_size ? ":" + (item.member.bit_offset || 0) : "")),
				el("td", { class: "n" }, item.member.bit_size ? item.member.bit_size + " bits" : String(item.member.size ?? "")),
				el("td", { class: "name" }, "\u00a0\u00a0".repeat(item.depth), mark,
				   `${item.member.type || ""} `, el("b", {}, item.member.name || ""),
				   item.member.unit ? el("span", { class: "dim" }, " not told apart") : null),
				el("td", { class: "dim short" }, threadText(item.member)));
		const fold = () => {
			const close = !folded.has(i);

			close ? folded.add(i) : folded.delete(i);
			mark.textContent = close ? "\u25b8 " : "\u25be ";
			for (let k = i + 1; k < members.length && members[k].depth > item.depth; k++)
				body.children[k].hidden = close;
		};
		if (nested)
			mark.addEventListener("click", event => { event.stopPropagation(); fold(); });
		body.append(line);
		if (arrays)
			folds.push(fold);
	});
	folds.forEach(fold => fold());
	return el("div", {}, el("h2", {}, "Members"), el("div", { class: "scroll" }, el("table", { id: "members" },
		el("thead", {}, el("tr", {}, ["Share", "", "Samples", "Loads", "Stores", "Latency", "Offset", "Size"].map(name =>
			el("th", { class: "n" }, name)), el("th", {}, "Member"), el("th", {}, "Threads"))), body)));
}

function typeView(number, selected) {
	const type = (profile.annotate.types || [])[number];

	if (!type)
		return missing();
	const advice = adviceNumber(type) >= 0 ? profile.layout.types[adviceNumber(type)] : null;
	if (!usefulModes(type).some(([name]) => name === mode))
		mode = "all";
	const { leaves } = leavesOf(type);
	const found = leaves.find(leaf => leaf.path === selected), exact = found && (found.whole || found);
	const inside = leaves.filter(leaf => selected && leaf.path.startsWith(selected + "."));
	const span = exact || (inside.length ? { first: Math.min(...inside.map(leaf => leaf.first)),
		bits: Math.max(...inside.map(leaf => leaf.first + leaf.bits)) - Math.min(...inside.map(leaf => leaf.first)) } : null);
	const users = usersOf(type, span), used = users.reduce((all, user) => all + user.weight, 0);
	const lines = type.cachelines.filter(line => !line.somewhere_in).length, total = Math.ceil(type.size / (type.cacheline || 64));
	const facts = [`${type.size} bytes`, `${count(type.samples)} samples`, `${lines} of ${total} cacheline${total > 1 ? "s" : ""} used`, type.object];
	const arrays = type.cachelines.filter(line => line.somewhere_in).reduce((all, line) => all + (line.figures[state.event] || line.figures[0]).samples, 0);

	if (arrays)
		facts.push(`${count(arrays)} samples somewhere in arrays`);
	if (type.holes && type.holes.length)
		facts.push(`${type.holes.reduce((all, hole) => all + hole.bytes, 0)} bytes in ${type.holes.length} holes`);
	if (type.padding && type.padding.bytes)
		facts.push(`${type.padding.bytes} bytes of padding`);
	if (advice && advice.lines_per_visit)
		facts.push(`${advice.lines_per_visit.toFixed(2)} cachelines expected a visit (an iteration of its loops)`);
	const wholes = (type.within || []).map(whole => `${percent(whole.samples, type.samples)} in ${whole.type}${whole.field ? ` (${whole.field})` : ""}`);

	if (wholes.length)
		facts.push(...wholes.slice(0, 3), ...(wholes.length > 3 ? [`and in ${wholes.length - 3} more`] : []));
	if (type.objects)
		facts.push(`${count(type.objects)} objects seen, ${count(type.aligned_objects)} begin a cacheline`);
	return [
		el("h1", { class: "name" }, type.name), el("p", { class: "dim" }, facts.join(" \u00b7 ")),
		el("fieldset", {}, el("legend", {}, "Colour by"), usefulModes(type).map(([name, item]) => el("label", {},
			el("input", { type: "radio", name: "mode", value: name, checked: name === mode, onchange: () => { mode = name; draw(); } }), " " + item.label))),
		layoutPicture(type, number, selected),
		(type.false_sharing || []).length ? el("div", {}, el("h2", {}, "False sharing that was seen"),
			el("ul", {}, type.false_sharing.map(item => el("li", {},
				`${item.field} is written by ${item.writers.length} thread(s) while ${item.threads.length} other(s) use ${item.neighbours.join(", ")}: ${count(item.cachelines)} cachelines${item.latent ? ", latent" : ""}`)))) : null,
		el("div", { class: "columns" },
		   el("div", {}, el("h2", {}, selected && span ? `Functions that use ${selected}` : "Functions that use it"),
		      sortable("users", [
			{ name: "Share", n: true, value: g => g.weight, text: g => percent(g.weight, used) },
			{ name: "Samples", n: true, value: g => figuresOf(g).samples, text: g => count(figuresOf(g).samples) },
			...(profile.report ? [
				{ name: "Loads", n: true, value: g => figuresOf(g).loads, text: g => count(figuresOf(g).loads) },
				{ name: "Stores", n: true, value: g => figuresOf(g).stores, text: g => count(figuresOf(g).stores) },
			] : []),
			{ name: "Function", value: g => g.key, text: g => g.rows[0].symbol },
			{ name: "Object", value: g => g.rows[0].dso, text: g => g.rows[0].dso },
		      ], users, group => openCode(group, type, span), 15)),
		   memberTable(type, number, selected)),
		sharingOf(type), ...(advice ? advicePart(advice, name => go("type", number, name)) : []),
	];
}

// ---- code ----

// Opens a function at its heaviest access to the field.
function openCode(group, type, span) {
	const row = group.rows[0], number = functionNumber(row.symbol, row.dso, row.address);

	if (number < 0) {
		go("nocode", row.symbol);
		return;
	}
	const first = span ? span.first >> 3 : 0, end = span ? Math.ceil((span.first + span.bits) / 8) : Infinity;
	const weightOf = insn => (insn.charged || insn.figures || [{ samples: 0 }]).reduce((all, figure) => all + figure.samples, 0);
	const best = profile.annotate.functions[number].instructions
		.filter(insn => type && insn.type && insn.type.name === type.name && insn.type.offset >= first && insn.type.offset < end)
		.sort((a, b) => weightOf(b) - weightOf(a))[0];

	best ? go("code", number, best.address.toString(16)) : go("code", number);
}

function codeView(number, at) {
	const code = (profile.annotate.functions || [])[number];

	if (!code)
		return missing();
	const sources = new Map();
	for (const line of code.source || [])
		sources.set(line.file + ":" + line.line, line.text);
	const figure = list => list && list[state.event] ? list[state.event] : null;
	const body = el("tbody");
	let place = "", file = "";

	for (const insn of code.instructions) {
		const here = insn.file ? insn.file + ":" + insn.line : place;
		if (here !== place) {
			place = here;
			if (insn.file !== file)
				body.append(el("tr", { class: "file" }, el("td", { colspan: 3 }), el("td", {}, insn.file)));
			file = insn.file;
			body.append(el("tr", { class: "source" }, el("td", { colspan: 3 }),
				       el("td", {}, `${insn.line}  ${sources.get(here) || ""}`)));
		}
		const sampled = figure(insn.figures), charged = figure(insn.charged);
		const line = el("tr", { id: "i" + insn.address.toString(16), class: insn.address.toString(16) === at ? "chosen" : null },
			el("td", { class: "n", style: charged && charged.percent ? `background:rgba(var(--heat),${Math.min(.8, charged.percent / 60 + .05)})` : null },
			   charged && charged.samples ? shown(charged.percent) : ""),
			el("td", { class: "n" }, sampled && sampled.samples ? shown(sampled.percent) : ""),
			el("td", { class: "dim" }, insn.address.toString(16)), el("td", {}, `    ${insn.mnemonic} ${insn.operands || ""}`));
		const cell = el("td");
		if (insn.type && insn.type.name) {
			const target = typeNumber(insn.type.name, base(code.object));
			const label = `${insn.type.name}${insn.type.field ? " +" + insn.type.offset + " (" + insn.type.field + ")" : ""}`;
			cell.append(target >= 0 ? el("a", { href: "#/type/" + target + "/" + encodeURIComponent(insn.type.field || "") }, label) : label);
		}
		line.append(cell);
		body.append(line);
	}
	setTimeout(() => {
		const target = at && $("i" + at);
		if (target)
			target.scrollIntoView({ block: "center" });
	}, 0);
	return [
		el("h1", { class: "name" }, code.name),
		el("p", { class: "dim" }, `${code.object} \u00b7 ${code.event} \u00b7 ${count(code.samples)} samples`),
		el("div", { class: "scroll" }, el("table", { class: "listing" },
			el("thead", {}, el("tr", {}, ["Charged", "Sampled", "Address", "Source and instruction", "Type and field"].map(name => el("th", {}, name)))), body)),
	];
}

// Returns the table of functions for a page without the document of report.
function annotatedFunctions() {
	const list = profile.annotate.functions || [], search = $("search").value.toLowerCase();

	return [el("h1", {}, "Functions"), recording(), sortable("functions", [
		{ name: "Samples", n: true, value: code => code.samples, text: code => count(code.samples) },
		{ name: "Function", value: code => code.name, text: code => code.name },
		{ name: "Object", value: code => code.object, text: code => base(code.object) },
		{ name: "Event", value: code => code.event, text: code => code.event },
	], list.filter(code => !search || code.name.toLowerCase().includes(search)), code => go("code", list.indexOf(code)))];
}

function functionsView() {
	if (!profile.report)
		return annotatedFunctions();
	const all = whole();
	const list = groups(chosen, row => row.symbol + "\u0000" + row.dso + "\u0000" + row.address);

	return [
		el("h1", {}, "Functions"),
		el("p", { class: "dim" }, profile.code_left_out ? `The code of ${count(profile.code_left_out.functions)} functions with few samples or too many instructions is left out of this page (${percent(profile.code_left_out.samples, table().coverage.samples)} of the samples).` : ""),
		sortable("functions", [
			...figureColumns(all),
			{ name: "Function", value: g => g.key, text: g => g.rows[0].symbol },
			{ name: "Object", value: g => g.rows[0].dso, text: g => g.rows[0].dso },
			{ name: "Hottest type", value: g => groups(g.rows, row => row.type)[0].key, text: g => groups(g.rows, row => row.type)[0].key },
		], list, group => openCode(group, null, null)),
	];
}

// ---- flame graph ----

let inverted = false;

function flameTree() {
	const root = { name: "all", weight: 0, children: new Map() };
	const add = (names, weight) => {
		let node = root;

		root.weight += weight;
		for (const name of names) {
			if (!node.children.has(name))
				node.children.set(name, { name, weight: 0, children: new Map() });
			node = node.children.get(name);
			node.weight += weight;
		}
	};
	for (const row of chosen) {
		const weight = weigh(row), leaf = [row.type, ...(row.typed ? [row.field || "(no field)"] : []), row.symbol];
		let left = weight;

		if (!weight)
			continue;
		for (const chain of row.chains) {
			const part = weight * chain.samples / row.figures[state.event].samples;
			const callers = chain.frames[0] === row.symbol ? chain.frames.slice(1) : chain.frames;

			add(inverted ? [...callers].reverse().concat([...leaf].reverse()) : leaf.concat(callers), part);
			left -= part;
		}
		if (left > weight / 1e6)
			add(inverted ? [...leaf].reverse() : leaf, left);
	}
	return root;
}

function flameView() {
	const holder = el("div", { class: "flame" }), search = $("search").value.toLowerCase();
	let shownRoot = flameTree();
	const all = shownRoot.weight;

	const drawFlame = () => {
		const width = Math.max(320, $("main").clientWidth - 24);
		let depth = 0;
		const put = (node, x, level, scale) => {
			const size = node.weight * scale;
			if (size < 1.5)
				return;
			depth = Math.max(depth, level);
			const hash = [...node.name].reduce((h, c) => (h * 31 + c.charCodeAt(0)) >>> 0, 7);
			const zoom = () => { shownRoot = node === shownRoot ? flameTree() : node; drawFlame(); };
			holder.append(el("div", { tabindex: 0, class: search && node.name.toLowerCase().includes(search) ? "found" : null,
						  style: `left:${x}px;top:${level * 18}px;width:${size}px;background:hsl(${18 + hash % 36} ${70 + hash % 20}% ${64 + hash % 12}%)`,
						  title: `${node.name}\n${percent(node.weight, all)}`, onclick: zoom,
						  onkeydown: event => { if (event.key === "Enter") zoom(); } },
					 size > 30 ? node.name : ""));
			let at = x;
			for (const child of [...node.children.values()].sort((a, b) => b.weight - a.weight)) {
				put(child, at, level + 1, scale);
				at += child.weight * scale;
			}
		};
		holder.replaceChildren();
		if (shownRoot.weight)
			put(shownRoot, 0, 0, width / shownRoot.weight);
		holder.style.height = (depth + 1) * 18 + "px";
	};
	setTimeout(drawFlame, 0);
	return [
		el("h1", {}, "Flame graph"),
		el("fieldset", {}, el("legend", {}, "Frames"),
		   [[false, "type, field, function, callers"], [true, "callers, function, field, type"]].map(([value, label]) => el("label", {},
			el("input", { type: "radio", name: "order", checked: inverted === value, onchange: () => { inverted = value; draw(); } }), " " + label))),
		el("p", { class: "dim" }, "A click zooms in; a click on the first frame zooms out. The field Search marks frames." +
		   (rows.some(row => row.chains.length) ? "" : " The samples have no call chains (dtprof record -g), so functions have no callers.")),
		holder,
	];
}

// ---- help, errors, navigation ----

function helpView() {
	const keys = [["/", "go to the search field"], ["Esc", "leave a field; go back"], ["\u2191 \u2193", "previous or next row"],
		      ["Enter", "open a row or a field"], ["Space", "fold a member with members"], ["o f c l s", "overview, functions, flame graph, layouts, sharing"],
		      ["t", "light or dark"], ["?", "this page"]];
	return [
		el("h1", {}, "Help"),
		el("p", {}, "Click a type to see its fields, a field to see the functions that use it, a function to see its code. The choices at the top hold for all views but the layout of a type, which shows all samples."),
		el("table", {}, keys.map(([key, text]) => el("tr", {}, el("td", {}, el("code", {}, key)), el("td", {}, text)))),
		el("p", {}, "Figures are those of dtprof report --json and dtprof annotate --json. A share is of all samples of the event, unless a thread, an object or a function is chosen."),
	];
}

// The views that this page has data for: [address, label].
function availableViews() {
	const tabled = Boolean(profile.report), views = [];

	if (tables.length)
		views.push(["", profile.annotate && !profile.report ? "Types" : "Overview"]);
	if (tabled)
		views.push(["flame", "Flame graph"]);
	if (tabled || profile.annotate)
		views.push(["functions", "Functions"]);
	if (profile.diff)
		views.push(["diff", "Differences"]);
	if (profile.layout)
		views.push(["layouts", "Layouts"]);
	if (profile.c2c)
		views.push(["sharing", "Sharing"]);
	return [...views, ["help", "Help"]];
}

const missing = () => [el("p", { id: "error" }, "The page has nothing of this name.")];

function scope() {
	const parts = [];

	if (filtered && table().coverage)
		parts.push(`${percent(chosen.reduce((all, row) => all + row.figures[state.event].samples, 0), table().coverage.samples)} of the samples chosen`);
	if (state.weight !== "period")
		parts.push(`weighed by ${weights[state.weight].label}`);
	$("scope").textContent = parts.join(" \u00b7 ");
}

function draw() {
	const [view, ...args] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
	const views = {
		"": tables.length ? overview : profile.diff ? diffView : profile.layout ? advicesView : sharingView,
		flame: flameView, functions: functionsView, help: helpView, layouts: advicesView, sharing: sharingView, diff: diffView,
		advice: () => adviceView(Number(args[0])), line: () => sharedLineView(Number(args[0])),
		type: () => typeView(Number(args[0]), args.slice(1).join("/") || null),
		code: () => codeView(Number(args[0]), args[1]),
		stored: () => storedType(args[0]),
		nocode: () => [el("p", { id: "error" }, `The code of ${args[0]} is not in this page: its file could not be read, or it has too few samples.`)],
	};

	scope();
	document.querySelectorAll("nav a").forEach(link => link.getAttribute("href") === "#/" + view
		? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current"));
	$("main").replaceChildren(...(Object.hasOwn(views, view) ? views[view]() : missing()).filter(Boolean));
}

function fill(select, choices, current) {
	select.replaceChildren(...choices.map(([value, label]) => el("option", { value, selected: String(value) === String(current) }, label)));
	select.parentElement.hidden = choices.length < 2;
}

function fillChoices() {
	const hide = ids => ids.forEach(id => { $(id).parentElement.hidden = true; });

	if (!tables.length) {
		hide(["event", "weight", "thread", "object", "function"]);
		return;
	}
	const threads = groups(rows, row => String(row.tid)), objects = groups(rows, row => row.dso);
	const useful = Object.keys(weights).filter(name => rows.some(row => weights[name].of(row.figures[state.event])));

	fill($("event"), tables.flatMap((item, t) => item.events.map((event, e) => [`${t}/${e}`, event.name])), `${state.table}/${state.event}`);
	fill($("weight"), useful.map(name => [name, weights[name].label]), state.weight);
	fill($("thread"), [["", "all"], ...threads.slice(0, 500).map(item => [item.key, `${item.rows[0].tid}:${item.rows[0].comm}`])], state.thread);
	fill($("object"), [["", "all"], ...objects.map(item => [item.key, item.key])], state.object);
	// rows of types are of no thread and no function
	if (!profile.report)
		hide(["thread", "function"]);
}

function onKey(event) {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

	if (event.key === "Escape") {
		typing ? event.target.blur() : history.back();
		return;
	}
	if (typing || event.ctrlKey || event.metaKey || event.altKey)
		return;
	const actions = { "/": () => $("search").focus(), "?": () => go("help"), o: () => go(""), f: () => go("functions"),
			  c: () => go("flame"), l: () => go("layouts"), s: () => go("sharing"), t: theme };
	if (event.key === "ArrowDown" || event.key === "ArrowUp") {
		const all = [...document.querySelectorAll("main tr[tabindex]:not([hidden])")], at = all.indexOf(document.activeElement);
		const next = all[at < 0 ? 0 : at + (event.key === "ArrowDown" ? 1 : -1)];
		if (next) {
			event.preventDefault();
			next.focus();
		}
	} else if (Object.hasOwn(actions, event.key)) {
		event.preventDefault();
		actions[event.key]();
	}
}

function theme() {
	const root = document.documentElement;

	root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
}

async function start() {
	try {
		profile = await readProfile();
	} catch (problem) {
		$("main").replaceChildren(el("p", { id: "error" }, `The profile in this page cannot be read (${problem.message}). The file is cut off, or the browser is older than 2023.`));
		return;
	}
	if (profile.report ? !profile.report.tables.length : profile.annotate && !(profile.annotate.types || []).length) {
		$("main").replaceChildren(el("p", { id: "error" }, "The recording has no samples."));
		return;
	}
	if (matchMedia("(prefers-color-scheme: dark)").matches)
		theme();
	tables = profile.report ? profile.report.tables : profile.annotate ? tablesOfTypes() : profile.store ? tablesOfStore() : [];
	document.title = "dtprof " + profile.command;
	$("views").replaceChildren(...availableViews().map(([address, label]) => el("a", { href: "#/" + address }, label)));
	if (tables.length) {
		flatten();
		choose();
	}
	fillChoices();
	$("event").onchange = () => {
		[state.table, state.event] = $("event").value.split("/").map(Number);
		state.thread = state.object = "";
		flatten();
		choose();
		fillChoices();
		draw();
	};
	for (const [id, name] of [["weight", "weight"], ["thread", "thread"], ["object", "object"]])
		$(id).onchange = () => { state[name] = $(id).value; choose(); draw(); };
	$("function").oninput = () => { state.name = $("function").value; choose(); draw(); };
	$("search").oninput = () => {
		if (!/^#\/(flame|functions|layouts|sharing|diff)?$/.test(location.hash || "#/"))
			go("");
		draw();
	};
	$("theme").onclick = theme;
	addEventListener("hashchange", draw);
	addEventListener("keydown", onKey);
	draw();
	document.body.dataset.ready = "yes";
}

start();
