// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on layouts, from the document of `dtprof layout --json`: the layout before and after with a slider between, the
// fields that are used together as a graph, and the code that uses them.
"use strict";

const GRAPH_NODES = 24;       // more labels on the circle would overlap
const PICTURE_BYTES = 16384;  // longer types have no picture here

const times = range => !range ? "" : Math.abs(range.high - range.low) < 0.005 ? range.low.toFixed(2) + "x"
	: `${range.low.toFixed(2)}x to ${range.high.toFixed(2)}x`;

// Lines of types that no code with samples visits are not known.
const visits = lines => lines ? lines.toFixed(2) : "-";

const gains = proposal => proposal.verdict === "gain";

// Returns the number of the advice for an annotated type, or -1.
function adviceNumber(type) {
	return (profile.layout ? profile.layout.types : []).findIndex(item => item.name === type.name && item.object === type.object);
}

// ---- before and after ----

// A layout is [{ name, size, members: [{ name, offset }] }], a part for each record.
const layoutOf = type => [{ name: type.name, size: type.size, members: type.members }];

// Returns the height of the parts, and where each line of each part is.
function linesOf(layout, cacheline, height) {
	const lines = [], starts = [];
	let y = 0;

	for (const part of layout) {
		y += 18;
		starts.push(y);
		for (let at = 0; at < Math.max(part.size, 1); at += cacheline) {
			lines.push({ y, at, bytes: Math.min(cacheline, part.size - at) });
			y += height;
		}
		y += 8;
	}
	return { lines, starts, height: y };
}

function placesOf(layout) {
	const places = new Map();

	layout.forEach((part, i) => part.members.forEach(member => places.set(member.name, { part: i, offset: member.offset })));
	return places;
}

// Returns the pieces [from, to] of a member, cut so that each lies in one line before and after.
function piecesOf(size, offsets, cacheline) {
	const cuts = new Set([0, size]);

	for (const offset of offsets)
		for (let cut = cacheline - offset % cacheline; cut < size; cut += cacheline)
			cuts.add(cut);
	const sorted = [...cuts].sort((a, b) => a - b);

	return sorted.slice(0, -1).map((from, i) => [from, sorted[i + 1]]);
}

/*
 * Draws a layout, and moves its members to where another one has them: the slider is the way between them. `sizes` and
 * `samples` are maps from members' names; a member that one of the layouts lacks fades.
 */
function morph(before, after, cacheline, sizes, samples, total) {
	const unit = Math.min(14, 896 / cacheline), left = 64, height = 30;
	const most = Math.max(1, ...samples.values()), old = placesOf(before), young = placesOf(after);
	const from = linesOf(before, cacheline, height), to = linesOf(after, cacheline, height);
	const node = el("svg", { width: left + cacheline * unit + 8, height: Math.max(from.height, to.height) + 4, role: "img",
				 "aria-label": "The members in their cachelines" });
	const fades = [], moves = [];

	node.append(el("defs", {}, el("pattern", { id: "gap", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
				      el("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: "var(--dim)", "stroke-width": 2 }))));
	for (const [layout, places, sign] of [[before, from, -1], [after, to, 1]]) {
		const group = el("g", {});

		layout.forEach((part, i) => group.append(el("text", { x: 2, y: places.starts[i] - 5 }, `${part.name}, ${part.size} bytes`)));
		for (const line of places.lines)
			group.append(el("text", { x: 2, y: line.y + 18 }, "+" + line.at),
				     el("rect", { x: left, y: line.y, width: Math.max(0, line.bytes) * unit, height: height - 3, fill: "url(#gap)" },
					el("title", {}, "hole or padding")));
		node.append(group);
		fades.push([group, sign]);
	}
	const point = (layout, places, place, byte) => {
		const at = place.offset + byte;
		return { x: left + at % cacheline * unit, y: places.starts[place.part] + Math.floor(at / cacheline) * height };
	};
	for (const name of new Set([...old.keys(), ...young.keys()])) {
		const size = sizes.get(name) || 0, a = old.get(name), b = young.get(name);
		const share = samples.get(name) || 0;

		piecesOf(size, [a, b].filter(Boolean).map(place => place.offset), cacheline).forEach(([first, end], i) => {
			const width = (end - first) * unit, group = el("g", {});

			group.append(el("rect", { width, height: height - 3, fill: "var(--back)" }),
				     el("rect", { width, height: height - 3, fill: share ? `rgba(var(--heat), ${0.12 + 0.75 * share / most})` : "none" },
					el("title", {}, `${name}\n${size} bytes, ${a ? "at +" + a.offset : "not before"}, ` +
						`${b ? "then at +" + b.offset : "not after"}\n${count(share)} samples, ${percent(share, total)}`)));
			if (width > 16)
				group.append(el("text", { x: 3, y: 12 }, cut(name, Math.max(2, Math.floor((width - 4) / 6.7)))));
			if (width > 36 && share && !i)
				group.append(el("text", { x: 3, y: 24 }, percent(share, total)));
			node.append(group);
			moves.push([group, a && point(before, from, a, first), b && point(after, to, b, first)]);
		});
	}
	const show = part => {
		for (const [group, sign] of fades)
			group.setAttribute("opacity", sign < 0 ? 1 - part : part);
		for (const [group, a, b] of moves) {
			const start = a || b, end = b || a;

			group.setAttribute("transform", `translate(${start.x + (end.x - start.x) * part} ${start.y + (end.y - start.y) * part})`);
			if (!a || !b)
				group.setAttribute("opacity", a ? 1 - part : part);
		}
	};
	const slider = el("input", { type: "range", id: "slider", min: 0, max: 100, value: 0, "aria-label": "from the layout before to the one after",
				     oninput: () => show(slider.value / 100) });
	const jump = (text, value) => el("button", { type: "button", onclick: () => { slider.value = value; show(value / 100); } }, text);

	show(0);
	return el("div", {}, el("p", { class: "slide" }, jump("before", 0), slider, jump("after", 100)), el("div", { class: "scroll" }, node));
}

function proposalView(type, proposal) {
	const before = layoutOf(type);
	const sizes = new Map(type.members.map(member => [member.name, member.size]));
	const samples = new Map(type.members.map(member => [member.name, member.samples]));

	// parts that are reached through a pointer have members that the type lacks
	for (const part of proposal.parts)
		for (const member of part.members)
			if (!sizes.has(member.name))
				sizes.set(member.name, 8);
	return morph(before, proposal.parts, type.cacheline, sizes, samples, type.samples);
}

let shownProposal = 0;

function proposals(type) {
	const index = Math.min(shownProposal, type.proposals.length - 1), proposal = type.proposals[index];
	const facts = [`${proposal.verdict}${gains(proposal) ? ": " + times(proposal.whole) + " for the whole program" : ""}`, proposal.reason,
		       `${visits(proposal.old_lines_per_visit)} cachelines a visit before, ${visits(proposal.new_lines_per_visit)} after`];

	return el("div", {}, el("h2", {}, "Layout: before and after"),
		el("fieldset", {}, el("legend", {}, "Proposal"), type.proposals.map((item, i) => el("label", {},
			el("input", { type: "radio", name: "proposal", checked: i === index, onchange: () => { shownProposal = i; draw(); } }),
			` ${item.kind} (${item.verdict})`))),
		el("p", { class: "dim" }, facts.join(" \u00b7 ")),
		type.size > PICTURE_BYTES ? el("p", {}, "The type is too long for a picture here.") : proposalView(type, proposal));
}

// ---- fields that are used together ----

// Nodes lie on a circle in the order of their offsets, so a line across is one between distant fields.
function affinityGraph(type, open) {
	const strength = new Map();

	for (const pair of type.affinity)
		for (const name of [pair.first, pair.second])
			strength.set(name, (strength.get(name) || 0) + pair.weight);
	const members = type.members.filter(member => strength.has(member.name) || member.samples)
		.sort((a, b) => (strength.get(b.name) || 0) - (strength.get(a.name) || 0) || b.samples - a.samples)
		.slice(0, GRAPH_NODES).sort((a, b) => a.offset - b.offset);
	const most = Math.max(1, ...members.map(member => member.samples)), heaviest = Math.max(...type.affinity.map(pair => pair.weight), 1e-9);
	const radius = Math.min(130, 40 + 14 * members.length), width = 620, height = 2 * radius + 100, centre = { x: width / 2, y: height / 2 }, places = new Map();
	const node = el("svg", { width, height, id: "affinity", role: "img",
				 "aria-label": "Fields that are used together; the table has the same figures" });

	members.forEach((member, i) => {
		const angle = 2 * Math.PI * i / members.length - Math.PI / 2;
		places.set(member.name, { x: centre.x + radius * Math.cos(angle), y: centre.y + radius * Math.sin(angle), angle });
	});
	for (const pair of type.affinity) {
		const a = places.get(pair.first), b = places.get(pair.second);
		if (a && b)
			node.append(el("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, class: "edge", "stroke-width": 1 + 7 * pair.weight / heaviest },
				       el("title", {}, `${pair.first} and ${pair.second}: ${percent(pair.weight, 1)}`)));
	}
	for (const member of members) {
		const place = places.get(member.name), right = Math.cos(place.angle) > -0.01;
		const size = 5 + 11 * Math.sqrt(member.samples / most), choose = open ? () => open(member.name) : null;

		node.append(el("circle", { cx: place.x, cy: place.y, r: size, "data-go": Boolean(open), tabindex: open ? 0 : null, onclick: choose,
					   onkeydown: open ? event => { if (event.key === "Enter") choose(); } : null,
					   fill: member.samples ? `rgba(var(--heat), ${0.2 + 0.7 * member.samples / most})` : "var(--panel)" },
				el("title", {}, `${member.name}\n+${member.offset}, ${member.size} bytes\n${count(member.samples)} samples`)),
			    el("text", { x: place.x + (right ? size + 4 : -size - 4), y: place.y + 4, "text-anchor": right ? "start" : "end" },
			       `${cut(member.name, 24)} ${percent(member.samples, type.samples)}`));
	}
	return node;
}

function affinityView(type, open) {
	if (!type.affinity.length)
		return null;
	return el("div", {}, el("h2", {}, "Fields that are used together"),
		el("p", { class: "dim" }, "A line joins two fields that one loop or function uses through one pointer; its width is the share of the samples in code that uses the type."),
		el("div", { class: "columns" }, el("div", {}, affinityGraph(type, open)),
			sortable("pairs", [
				{ name: "Together", n: true, value: pair => pair.weight, text: pair => percent(pair.weight, 1) },
				{ name: "Field", value: pair => pair.first, text: pair => pair.first },
				{ name: "Field", value: pair => pair.second, text: pair => pair.second },
			], type.affinity, null, 15)));
}

// ---- the code that uses it, and what speaks against a change ----

function memberAt(type, offset) {
	const member = type.members.find(item => offset >= item.offset && offset < item.offset + Math.max(item.size, 1));

	return member ? member.name : "+" + offset;
}

function regionView(type) {
	const fields = region => [...new Set(region.uses.map(use => memberAt(type, use.offset) + (use.write ? " (write)" : "")))].join(", ");
	const walks = region => [...new Set(region.uses.map(use => use.walk))].join(", ");

	if (!type.regions.length)
		return null;
	return el("div", {}, el("h2", {}, "Code that uses it"), sortable("regions", [
		{ name: "Samples", n: true, value: item => item.samples, text: item => count(item.samples) },
		{ name: "Of these for the type", n: true, value: item => item.charged, text: item => count(item.charged) },
		{ name: "Function", value: item => item.function, text: item => item.function },
		{ name: "Line", value: item => item.line || "", text: item => item.line || "" },
		{ name: "Loop", value: item => item.loop, text: item => item.loop ? "loop" : "" },
		{ name: "Walk", value: walks, text: walks },
		{ name: "Fields", value: fields, text: fields },
	], type.regions, null, 15));
}

function constraintView(type) {
	return type.constraints.length ? el("div", {}, el("h2", {}, "What speaks against a change"),
		el("ul", {}, type.constraints.map(item => el("li", {}, item.text,
			item.respected ? el("span", { class: "dim" }, " (the proposals keep to it)") : " (check this yourself)")))) : null;
}

function adviceFacts(type) {
	const facts = [`${visits(type.lines_per_visit)} cachelines a visit`];

	if (type.objects_seen)
		facts.push(`${count(type.objects_seen)} objects seen, ${type.objects_most > 10 * type.objects_estimated ? "at least " :
			type.objects_at_most ? "at most " : ""}${count(type.objects_estimated)} estimated`);
	if (type.refusal)
		facts.push(`no proposal: ${type.refusal}`);
	else if (type.advice)
		facts.push(`advice: ${type.advice}, ${times(type.proposals[0].whole)} for the whole program`);
	else
		facts.push("no other layout is advised");
	return facts.join(" \u00b7 ");
}

// Returns all advice on a type, as elements. `open` shows the field of a name; null: nothing does.
function advicePart(type, open) {
	return [el("h2", {}, "Advice on the layout"), el("p", {}, adviceFacts(type)), type.proposals.length ? proposals(type) : null,
		affinityView(type, open), regionView(type), constraintView(type)];
}

function adviceView(number) {
	const type = profile.layout && profile.layout.types[number];

	if (!type)
		return missing();
	return [el("h1", { class: "name" }, type.name),
		el("p", { class: "dim" }, `${type.size} bytes \u00b7 ${count(type.samples)} of ${count(type.total_samples)} samples \u00b7 ${type.object}`),
		...advicePart(type, null)];
}

function advicesView() {
	const types = profile.layout ? profile.layout.types : [];
	const first = type => type.proposals[0], search = $("search").value.toLowerCase();
	const open = type => {
		const number = typeNumber(type.name, base(type.object));
		shownProposal = 0;
		number >= 0 ? go("type", number) : go("advice", types.indexOf(type));
	};
	const gain = type => type.advice && first(type) ? first(type).whole.low : 0;

	return [el("h1", {}, "Layouts"), recording(),
		el("p", { class: "dim" }, profile.layout ? `Caches: ${["l1", "l2", "l3"].map(level => `${level.toUpperCase()} ${count(profile.layout.caches[level] / 1024)} KB`).join(", ")} (${profile.layout.caches.source})` : ""),
		sortable("layouts", [
			{ name: "Samples", n: true, value: type => type.samples, text: type => count(type.samples) },
			{ name: "", value: type => type.samples, text: type => bar(100 * type.samples / (type.total_samples || 1)) },
			{ name: "Bytes", n: true, value: type => type.size, text: type => count(type.size) },
			{ name: "Lines a visit", n: true, value: type => type.lines_per_visit, text: type => visits(type.lines_per_visit) },
			{ name: "Advice", value: type => type.advice || "", text: type => type.advice || "keep" },
			{ name: "Gain", n: true, value: gain, text: type => type.advice && first(type) ? times(first(type).whole) : "-" },
			{ name: "Type", value: type => type.name, text: type => el("b", {}, type.name) },
			{ name: "Reason", value: type => type.refusal || "", text: type => type.refusal || (first(type) ? first(type).reason : "") },
		], types.filter(type => !search || type.name.toLowerCase().includes(search)), open)];
}
