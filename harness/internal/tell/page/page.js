// The script of a page. Text becomes text nodes only: nothing here parses HTML.
'use strict';

const byId = id => document.getElementById(id);

// el makes an element. Children are elements or texts.
function el(name, attributes, ...children) {
	const space = ['svg', 'rect'].includes(name) ? 'http://www.w3.org/2000/svg' : 'http://www.w3.org/1999/xhtml';
	const e = document.createElementNS(space, name);
	for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
	e.append(...children);
	return e;
}

// build makes what a builder of html.go described.
const build = n => typeof n === 'string' ? n : el(n[0], n[1], ...n.slice(2).map(build));

// unpack reads the JSON of a block: base64, gzip.
async function unpack(id) {
	const bytes = Uint8Array.from(atob(byId(id).textContent), c => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

const filters = ['q', 'status', 'task', 'tag', 'tool'];

let rows;       // see row in file.go
let found = []; // the ones that the filters let through
let shown = 0;  // how many of these are in the table
let state = new URLSearchParams();
let last;       // the row that was opened last

// --- the list ---

// change sets a filter and keeps it in the address, so that it can be shared.
function change(name, value) {
	const next = withoutEpisode();
	if (value) next.set(name, value); else next.delete(name);
	const text = next.toString();
	history.replaceState(null, '', text ? '#' + text : location.pathname + location.search);
	route();
}

function matches(r, words) {
	r.text ??= [r.name, r.title, r.status, r.why].join('\n').toLowerCase();
	return words.every(w => r.text.includes(w))
		&& Object.keys(r.is).every(name => !state.has(name) || r.is[name].includes(state.get(name)));
}

function withoutEpisode() {
	const params = new URLSearchParams(state);
	params.delete('episode');
	params.delete('step');
	return params;
}

function address(r) {
	const params = withoutEpisode();
	params.set('episode', r.name);
	return '#' + params;
}

function showList() {
	for (const name of filters) {
		const e = byId(name);
		if (e.value !== (state.get(name) || '')) e.value = state.get(name) || '';
		e.classList.toggle('on', e.value !== '');
	}
	const words = (state.get('q') || '').toLowerCase().split(/\s+/);
	found = rows.filter(r => matches(r, words));
	shown = 0;
	byId('rows').tBodies[0].replaceChildren();
	showMore();
	const all = rows.length + (rows.length === 1 ? ' episode' : ' episodes');
	const filtered = found.length !== rows.length || state.has('cause');
	byId('clear').hidden = !filtered;
	byId('found').textContent = filtered ? found.length + ' of ' + all : all;
	byId('rows').hidden = found.length === 0;
}

// showMore adds some hundred rows to the table: thousands of them would take seconds.
function showMore(least = 0) {
	const next = found.slice(shown, shown + Math.max(least, 100));
	byId('rows').tBodies[0].append(...next.map(row));
	shown += next.length;
	byId('more').hidden = shown === found.length;
}

function row(r) {
	r.link = el('a', { href: address(r) }, r.name);
	return el('tr', {}, el('td', {}, el('span', { class: 'status ' + r.class }, r.status)),
		el('th', { scope: 'row' }, r.link, el('span', { class: r.why ? 'why' : 'faint' }, r.why || r.title)),
		...r.cells.map(text => el('td', { class: 'num' }, String(text))));
}

function focusRow(n) {
	if (n >= shown) showMore(n - shown + 1);
	found[n]?.link.focus();
}

// value is what a cell is sorted by: a duration, a number, else its text.
function value(text) {
	const ms = { h: 36e5, m: 6e4, s: 1e3, ms: 1 };
	const times = [...text.matchAll(/([\d.]+)(h|ms|m|s)/g)];
	if (!/^[-+]?\d/.test(text)) return text;
	return times.length ? times.reduce((sum, [, n, unit]) => sum + n * ms[unit], 0) : parseFloat(text);
}

// sorted sorts rows by one of their texts.
function sorted(all, text, up) {
	const keyed = all.map(r => [value(String(text(r))), r]);
	keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
	return keyed.map(([, r]) => r);
}

// sortable lets a click on a header sort the rows of its table, and another one turn them.
function sortable(table) {
	for (const th of table.querySelectorAll('thead th')) {
		const button = el('button', { type: 'button' }, ...th.childNodes);
		button.addEventListener('click', () => {
			const up = th.getAttribute('aria-sort') !== 'ascending';
			for (const other of th.parentNode.cells) other.removeAttribute('aria-sort');
			th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
			if (table.id === 'rows') {
				rows = sorted(rows, r => [r.status, r.name, ...r.cells][th.cellIndex], up);
				return showList();
			}
			const body = table.tBodies[0];
			body.append(...sorted([...body.rows], tr => tr.cells[th.cellIndex].textContent, up));
		});
		th.replaceChildren(button);
	}
}

// --- one episode ---

async function showEpisode(r) {
	const note = 'This page would be too large with the details of all episodes. The event log has them.';
	const nodes = byId(r.details) ? await unpack(r.details)
		: [['h1', { tabindex: -1 }, r.status.toUpperCase() + '  ' + r.name], ['p', { class: 'note' }, note]];
	if (current() !== r) return; // another one was opened meanwhile
	byId('episode').replaceChildren(nav(found.indexOf(r)), ...nodes.map(build));
	for (const image of byId('episode').querySelectorAll('[data-shot]')) {
		image.src = 'data:image/png;base64,' + byId(image.dataset.shot).textContent;
	}
	for (const pre of byId('episode').querySelectorAll('pre')) {
		const copy = el('button', { type: 'button', class: 'copy' }, 'Copy');
		const done = () => { copy.textContent = 'Copied'; };
		copy.addEventListener('click', () => navigator.clipboard.writeText(pre.textContent).then(done));
		pre.before(copy);
	}
	document.title = r.name + ': ' + r.status;
	scrollTo(0, 0);
	const picked = byId('step-' + state.get('step'));
	if (picked) picked.open = true;
	picked?.scrollIntoView();
	(picked?.firstChild || byId('episode').querySelector('h1')).focus({ preventScroll: true });
}

function nav(where) {
	const step = (to, name) => to ? el('a', { href: address(to) }, name) : '';
	return el('nav', { class: 'nav', 'aria-label': 'Episodes' }, el('a', { href: '#' + withoutEpisode() }, 'All episodes'),
		step(found[where - 1], 'Previous'), step(where < 0 ? undefined : found[where + 1], 'Next'),
		el('p', { class: 'keys' }, 'Keys: j next, k previous, ↓ and ↑ steps, Esc all episodes'));
}

const current = () => rows.find(r => r.name === state.get('episode'));
const titleOfRun = document.title;

function route() {
	state = new URLSearchParams(location.hash.slice(1));
	showList();
	const r = current();
	trouble(state.has('episode') && !r ? 'This run has no episode ' + state.get('episode') + '.' : '');
	document.querySelector('.top').hidden = byId('run').hidden = Boolean(r);
	byId('episode').hidden = !r;
	document.title = titleOfRun;
	if (!r) byId('episode').replaceChildren();
	if (r) showEpisode(r);
	else if (last) focusRow(found.indexOf(last));
	else if (location.hash) byId('episodes').scrollIntoView();
	last = r;
}

function keys(e) {
	if (e.ctrlKey || e.metaKey || e.altKey) return;
	const target = e.target;
	const typing = target.matches('input, select');
	const open = current();
	if (e.key === 'Escape') {
		if (open) location.hash = withoutEpisode();
		else if (typing) target.blur();
		return;
	}
	const steps = [...document.querySelectorAll('.steps > li > details > summary')];
	const inList = target.closest('#rows') !== null || target.id === 'q';
	const way = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[e.key];
	const arrow = e.key.startsWith('Arrow');
	if (e.key === '/' && !typing && !open) {
		byId('q').focus();
		byId('q').select();
	} else if (way && arrow && steps.includes(target)) {
		steps[steps.indexOf(target) + way]?.focus();
	} else if (way && (arrow ? inList : !typing)) {
		const now = found.findIndex(r => open ? r === open : r.link === document.activeElement);
		const next = now < 0 && !open ? 0 : now + way;
		if (open && found[next]) location.hash = address(found[next]);
		else if (!open) focusRow(next);
	} else {
		return;
	}
	e.preventDefault();
}

async function start() {
	rows = await unpack('list');
	rows.forEach((r, i) => { r.details = 'details-' + i; });
	for (const name of filters.slice(1)) {
		const counts = new Map();
		for (const value of rows.flatMap(r => r.is[name])) counts.set(value, (counts.get(value) || 0) + 1);
		byId(name).append(...[...counts].sort().map(([value, n]) => el('option', { value }, value + ' (' + n + ')')));
	}
	for (const name of filters) {
		byId(name).addEventListener(name === 'q' ? 'input' : 'change', e => change(name, e.target.value));
	}
	byId('clear').addEventListener('click', () => { location.hash = ''; byId('q').focus(); });
	byId('rows').tBodies[0].addEventListener('click', e => {
		if (!e.target.closest('a') && !String(getSelection())) e.target.closest('tr')?.querySelector('a').click();
	});
	document.querySelectorAll('table').forEach(sortable);
	new IntersectionObserver(seen => seen[0].isIntersecting && showMore(), { rootMargin: '600px' }).observe(byId('more'));
	addEventListener('hashchange', route);
	addEventListener('keydown', keys);
	route();
	document.documentElement.dataset.ready = 'true';
}

function trouble(text) {
	byId('trouble').textContent = text;
	byId('trouble').hidden = !text;
}

// The head is painted first.
requestAnimationFrame(() => setTimeout(() => start().catch(err => {
	trouble('The list of episodes cannot be shown: ' + err.message + '. A newer browser can show it.');
})));
