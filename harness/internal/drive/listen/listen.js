// Runs in a world of our own in each document. name is the binding, which only this world has.
((name) => {
if (typeof self[name] !== "function") return;
const send = self[name];
delete self[name];

// A form's fields hide its own properties, and a document's images the document's. So everything
// that could be a form or the document is read with the functions of the prototypes.
const getter = (proto, key) => { const get = Object.getOwnPropertyDescriptor(proto, key).get; return e => Reflect.apply(get, e, []) };
const method = (proto, key) => { const f = proto[key]; return (e, ...args) => Reflect.apply(f, e, args) };
const tagOf = getter(Element.prototype, "localName"), rootOf = getter(Element.prototype, "shadowRoot");
const attribute = method(Element.prototype, "getAttribute"), has = method(Element.prototype, "hasAttribute");
const closest = method(Element.prototype, "closest"), matches = method(Element.prototype, "matches");
const rect = method(Element.prototype, "getBoundingClientRect"), treeRoot = method(Node.prototype, "getRootNode");
const walker = method(Document.prototype, "createTreeWalker"), ready = getter(Document.prototype, "readyState");
const typeOf = getter(Node.prototype, "nodeType"), parent = getter(Node.prototype, "parentElement");
const owner = getter(Node.prototype, "ownerDocument");
const hostOf = getter(ShadowRoot.prototype, "host"), first = getter(Node.prototype, "firstChild");
const listen = method(EventTarget.prototype, "addEventListener"), path = method(Event.prototype, "composedPath");
const all = (root, s) => (root === document ? Document : root instanceof ShadowRoot ? DocumentFragment : Element).prototype.querySelectorAll.call(root, s);
const byID = (root, id) => (root instanceof ShadowRoot ? DocumentFragment : Document).prototype.getElementById.call(root instanceof ShadowRoot ? root : document, id);
const squash = s => String(s).replace(/\s+/g, " ").trim();
const cut = (s, max = 200) => s.length > max ? s.substring(0, max) + "…" : s;

const numbers = new WeakMap();
let last = 0;
const numberOf = e => numbers.get(e) ?? (numbers.set(e, ++last), last);

// textOf returns the first words in an element.
const textOf = (e, max = 100) => {
	let s = "", n = 0;
	const w = walker(document, e, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, node =>
		typeOf(node) === 1 && /^(script|style|select|textarea|noscript|template)$/.test(tagOf(node)) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
	for (let node; s.length < max && n < 300 && (node = w.nextNode()); n++) {
		if (typeOf(node) === 3) s += node.data.substring(0, 4 * max);
		else if (tagOf(node) === "img") s += " " + (attribute(node, "alt") ?? "") + " ";
		else if (!/^(b|i|em|strong|span|a|small|mark|code|abbr|sub|sup|u|s)$/.test(tagOf(node))) s += " ";
	}
	return cut(squash(s), max);
};

const inputRoles = {checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", submit: "button", button: "button", reset: "button", image: "button", file: "file", hidden: "hidden", password: "password", date: "date", time: "time", month: "month", week: "week", "datetime-local": "date and time", color: "colour"};
const roles = {button: "button", textarea: "textbox", option: "option", summary: "summary", form: "form", dialog: "dialog", li: "listitem", tr: "row", td: "cell", th: "columnheader", img: "img", label: "label", h1: "heading", h2: "heading", h3: "heading", body: "body", html: "page", ul: "list", table: "table"};
const roleOf = e => {
	const own = squash(attribute(e, "role") ?? "").split(" ")[0], tag = tagOf(e);
	if (own) return cut(own, 30);
	if (tag === "input") return inputRoles[e.type] ?? "textbox";
	if (tag === "select") return e.multiple ? "listbox" : "combobox";
	if (tag === "a") return has(e, "href") ? "link" : "a";
	if (e.isContentEditable === true && tag !== "form") return "textbox";
	return roles[tag] ?? cut(tag, 30);
};

const nameOf = e => {
	const tag = tagOf(e), root = treeRoot(e);
	const by = squash(attribute(e, "aria-labelledby") ?? "");
	if (by) {
		const s = squash(by.split(" ").slice(0, 10).map(id => { const l = byID(root, id); return l ? textOf(l) : "" }).join(" "));
		if (s) return s;
	}
	const own = squash(attribute(e, "aria-label") ?? "");
	if (own) return cut(own, 100);
	if (tag === "input" && /^(submit|button|reset|image)$/.test(e.type)) return cut(squash((e.type === "image" ? e.alt : e.value) || attribute(e, "title") || {submit: "Submit", reset: "Reset"}[e.type] || ""), 100);
	if (/^(input|select|textarea)$/.test(tag)) {
		const labels = e.labels ? squash([...e.labels].slice(0, 5).map(l => textOf(l)).join(" ")) : "";
		return labels || cut(squash(attribute(e, "title") ?? attribute(e, "placeholder") ?? ""), 100);
	}
	if (tag === "img") return cut(squash(attribute(e, "alt") ?? ""), 100);
	if (e.isContentEditable === true && tag !== "form") return cut(squash(attribute(e, "title") ?? ""), 100);
	if (/^(form|fieldset|table|body|html|main|ul|ol|select)$/.test(tag)) return "";
	return textOf(e) || cut(squash(attribute(e, "title") ?? ""), 100);
};

// placeOf returns the first words of what an element stands in.
const placeOf = e => {
	const up = parent(e) && closest(parent(e), "tr,li,[role=row],[role=listitem],[role=option],[role=gridcell],article,fieldset,dialog,[role=dialog],[role=group],[role=radiogroup],form,section");
	if (!up) return "";
	return cut(squash(attribute(up, "aria-label") ?? ""), 60) || textOf(up, 60);
};

// stateOf returns the value of a field and, of a list, the value that a form sends; null if the
// element is no field. was is the value that the document gave it.
const stateOf = e => {
	const tag = tagOf(e);
	const on = v => v ? "on" : "off";
	if (tag === "input") switch (e.type) {
	case "checkbox": case "radio": return {v: on(e.checked), w: on(e.defaultChecked), o: e.value};
	case "submit": case "button": case "reset": case "image": return null;
	case "file": return {v: [...e.files].map(f => f.name).join(", "), w: ""};
	case "hidden": return {v: e.value, w: attribute(e, "value") ?? ""};
	case "range": case "color": return {v: e.value, w: e.defaultValue || e.value};
	default: return {v: e.value, w: e.defaultValue};
	}
	if (tag === "textarea") return {v: e.value, w: e.defaultValue};
	if (tag === "select") {
		const chosen = [...e.selectedOptions].slice(0, 20), given = [...e.options].slice(0, 500).filter(o => o.defaultSelected);
		const first = e.multiple ? [] : [...e.options].slice(0, 1);
		return {v: chosen.map(o => squash(o.text)).join(", "), o: chosen.map(o => o.value).join(", "), w: (given.length ? given : first).map(o => squash(o.text)).join(", ")};
	}
	if (tag === "form") return null;
	if (e.isContentEditable === true) return {v: textOf(e, 500), w: null};
	for (const a of ["aria-checked", "aria-pressed", "aria-selected", "aria-valuenow"]) if (has(e, a)) {
		const v = attribute(e, a);
		return {v: v === "true" ? "on" : v === "false" ? "off" : v, w: null};
	}
	return null;
};

const fields = "input,select,textarea,[contenteditable],[role=textbox],[role=checkbox],[role=radio],[role=switch],[role=option],[role=slider],[role=spinbutton],[aria-pressed],[aria-checked]";
const others = "a[href],button,summary,label,[role=button],[role=link],[role=tab],[role=menuitem],[role=treeitem],[role=gridcell],[role=combobox],[onclick],[tabindex]";
const controls = fields + "," + others;

const describe = (e, more) => {
	const s = stateOf(e), d = {i: numberOf(e), r: roleOf(e), g: cut(tagOf(e), 30), n: nameOf(e), ...more};
	if (s) Object.assign(d, {v: cut(s.v, 500), w: s.w === null ? null : cut(s.w, 500)}, s.o === undefined ? null : {o: cut(s.o)});
	const tag = tagOf(e);
	if (/^(input|select|textarea|button)$/.test(tag) && e.name) d.f = cut(e.name, 60);
	if (matches(e, ":disabled") || attribute(e, "aria-disabled") === "true") d.d = true;
	const also = [attribute(e, "id"), attribute(e, "placeholder"), attribute(e, "title"), attribute(e, "data-testid")].filter(s => s).map(s => cut(squash(s), 60));
	if (also.length) d.a = also;
	const shown = has(e, "aria-label") || has(e, "aria-labelledby") ? textOf(e, 60) : "";
	if (shown && shown !== d.n) d.x = shown;
	if (!s && mayHost(e) && !shut.has(e) && (tag.includes("-") || (missed || !first(e)) && !asked.has(e))) d.c = true; // its shadow root may be closed
	d.p = placeOf(e);
	return d;
};

// A closed shadow root hides itself from us, until somebody who may see it hands it to us: shut has those by
// their hosts, and asked the elements that had none.
const shut = new WeakMap(), asked = new WeakSet(), inRoot = {};
let hosts = []; // whom nobody has asked yet
let turns = 0; // how many readings there were: only the hosts of the last one are in hosts
let missed = false; // not all closed shadow roots were handed to us
for (const key of ["elementFromPoint", "activeElement"]) inRoot[key] = key === "activeElement" ? getter(ShadowRoot.prototype, key) : method(ShadowRoot.prototype, key);
const mayHost = e => /-|^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$/.test(tagOf(e)) && !rootOf(e);

// inside returns the element in closed shadow roots that an event went to.
const inside = (e, event) => {
	for (let root; event.isTrusted && (root = shut.get(e)); ) {
		const byPoint = event.type === "click" ? event.detail > 0 : /^(pointer|mouse|contextmenu)/.test(event.type); // a click of the keyboard has no point
		const inner = byPoint ? inRoot.elementFromPoint(root, event.clientX, event.clientY) : inRoot.activeElement(root);
		if (!inner || treeRoot(inner) !== root) break;
		e = inner;
	}
	return e;
};

// controlOf returns the control that an element is a part of, or the element.
const controlOf = e => {
	for (let up = e; up; up = treeRoot(up) instanceof ShadowRoot ? treeRoot(up).host : null) {
		const c = closest(up, controls);
		if (c) return c;
	}
	return e;
};

const say = message => send(JSON.stringify(message));
const values = () => {
	const list = [];
	for (const root of [document, ...roots]) for (const e of all(root, "input,select,textarea,[contenteditable]")) {
		if (list.length >= 100) return list;
		if (!/^(submit|button|reset|image)$/.test(tagOf(e) === "input" ? e.type : "")) list.push(describe(e));
	}
	return list;
};

const kinds = {pointerdown: "pointer", mousedown: "pointer", click: "click", contextmenu: "click", keydown: "key", input: "input", change: "change", submit: "submit", invalid: "invalid", dragstart: "drag", drop: "drop", scroll: "scroll", pointerover: "over"};
const maxForged = 50;
let forged = 0, pressed = 0, scrolled, hovered;
// Trusted input events are also made by document.execCommand. While a script runs, no microtask does; else one
// runs between two listeners.
let free;
const unscripted = event => { queueMicrotask(() => { free = event }) };
const heard = event => {
	try {
		const trusted = event.isTrusted, type = event.type;
		if (!trusted && ++forged > maxForged) {
			if ((forged & (forged - 1)) === 0) say({k: "forged", n: forged});
			return;
		}
		const steps = path(event);
		for (const node of steps) if (node instanceof ShadowRoot) arm(node);
		let e = steps[0];
		if (e === document || e === self) e = document.documentElement;
		if (!(e instanceof Element)) return;
		e = inside(e, event);
		const m = {k: kinds[type], t: trusted};
		if (type === "pointerdown") pressed = event.timeStamp;
		if (type === "mousedown" && pressed === event.timeStamp) return; // the same press
		if (type === "scroll") {
			if (scrolled === e) return; // until the next reading
			scrolled = e;
		}
		const target = e;
		e = controlOf(e);
		if (type === "pointerover") {
			if (hovered === e) return;
			hovered = e;
		}
		m.e = describe(e);
		if (m.k === "pointer" || m.k === "click" && event.detail > 0) {
			const b = rect(target);
			m.b = [b.x, b.y, b.width, b.height].map(Math.round);
			m.x = [Math.round(event.clientX), Math.round(event.clientY)];
			if (event.clientX > innerWidth || event.clientY > innerHeight || event.clientX < 0 || event.clientY < 0) m.z = true;
		}
		if (m.k === "key") m.s = event.key;
		if (type === "input" && typeof event.data === "string") m.s = cut(event.data, 500);
		if (type === "input" && free !== event) m.j = true;
		say(m);
	} catch (e) { say({k: "fault", s: cut(String(e), 200)}) }
};

const roots = new Set();
let crowded = false; // there are more
const quiet = {capture: true, passive: true};
const arm = root => {
	if (root !== self) {
		if (roots.has(root)) return;
		if (roots.size >= 200) { crowded = true; return }
		roots.add(root);
		observe(); // its elements are not below the document
	}
	if (root === self) listen(self, "input", unscripted, quiet); // before heard
	// In a root only what does not leave it.
	for (const type of root === self ? Object.keys(kinds) : ["change", "submit", "invalid"]) listen(root, type, heard, quiet);
	listen(root, "toggle", () => { changed = true }, quiet); // a popover changes no node
};
let changed = false;
const watch = new MutationObserver(() => { changed = true; watch.disconnect() });
const observe = () => { for (const root of [document, ...roots]) watch.observe(root, {subtree: true, childList: true, attributes: true, characterData: true}) };

const navigates = event => {
	try { say({k: "navigate", t: event.userInitiated, s: cut(event.destination.url, 500), l: values()}) } catch {}
};
const start = () => {
	arm(self);
	observe();
	if (self.navigation) listen(navigation, "navigate", navigates);
	say({k: "armed", s: ready(document), u: location.href});
};

// read returns the controls of the document, and at most what it can read in budget ms.
const read = budget => {
	const end = performance.now() + budget, list = [];
	const was = changed || watch.takeRecords().length > 0;
	changed = false;
	watch.disconnect();
	observe();
	const n = forged;
	forged = 0, scrolled = hovered = undefined;
	let full = true;
	const everything = document.getElementsByTagName ? Document.prototype.getElementsByTagName.call(document, "*") : [];
	hosts = [], turns++;
	for (let i = 0; i < everything.length && i < 20000; i++) {
		if ((i & 1023) === 1023 && performance.now() > end) { full = false; break }
		const e = everything[i], root = rootOf(e);
		if (root) arm(root);
		else if (everything.length <= 2000 && !asked.has(e) && mayHost(e)) hosts.push(e); // in a large page it takes too long
	}
	const seen = new Set();
	reading: for (const selector of [fields, others]) for (const root of [document, ...roots]) for (const e of all(root, selector)) {
		if (seen.has(e)) continue;
		seen.add(e);
		if (list.length >= 3000 || (list.length & 7) === 0 && performance.now() > end) { full = false; break reading }
		list.push(describe(e));
	}
	return JSON.stringify({list, full: full && !crowded, forged: n, changed: was, hosts: hosts.length, size: everything.length, turn: turns});
};
Object.defineProperty(self, name, {value: Object.freeze({read, start, asked: turn => { if (turn !== turns) return; hosts.forEach(e => asked.add(e)); hosts = []; missed = false }, missed: () => { missed = true }, open: root => { if (root instanceof ShadowRoot) { shut.set(hostOf(root), root); arm(root) } }, describe: e => e instanceof Element && owner(e) === document ? JSON.stringify(describe(controlOf(e))) : ""})});
start();
})
