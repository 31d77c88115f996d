// The script of a report page. Text becomes text nodes only: nothing here parses HTML.
'use strict';
(() => {

const byId = id => document.getElementById(id);

// el makes an element. Children are elements or texts.
function el(name, attributes, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {})) {
		if (value !== undefined && value !== '') e.setAttribute(key, value);
	}
	e.append(...children.filter(c => c)); // what is missing is left out
	return e;
}

// unpack reads the JSON of a block: base64, gzip.
async function unpack(id) {
	const bytes = Uint8Array.from(atob(byId(id).textContent), c => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Response(stream).json();
}

function duration(ms) {
	if (ms < 10) return ms.toFixed(1) + ' ms';
	if (ms < 1000) return ms.toFixed(0) + ' ms';
	if (ms < 10000) return (ms / 1000).toFixed(2) + ' s';
	if (ms < 60000) return (ms / 1000).toFixed(1) + ' s';
	const s = Math.round(ms / 1000);
	return Math.floor(s / 60) + ' min ' + s % 60 + ' s';
}

const number = n => n.toLocaleString('en-US');
const count = (n, what) => number(n) + ' ' + what + (n === 1 ? '' : 's');

const filters = ['q', 'status', 'task', 'tag', 'tool'];
const page = 100; // rows that are added at a time

let list;        // see list.go
let rows = [];   // every episode, as an object
let found = [];  // the rows that the filters let through
let shown = 0;   // how many of these are in the table
let state = new URLSearchParams();
const chunks = new Map();

function readRows() {
	const texts = list.whys;
	rows = list.rows.map(([task, repetition, status, why, cause, steps, calls, errors, drifts, tokens, micros, tools], index) => ({
		index, task: list.tasks[task], repetition, status: list.statuses[status], why: texts[why], cause: list.causes[cause],
		steps, calls, errors, drifts, tokens, ms: micros / 1000, tools: list.toolsets[tools],
		key: list.tasks[task].key + '#' + repetition, name: list.tasks[task].id + '#' + repetition,
	}));
}

// --- the list ---

function fill(select, all, options) {
	const e = byId(select);
	e.append(new Option(all, ''), ...options.map(([value, text]) => new Option(text, value)));
	e.addEventListener('change', () => change(select, e.value));
}

function fillFilters() {
	const by = new Map();
	for (const r of rows) by.set(r.status.name, (by.get(r.status.name) || 0) + 1);
	const statuses = [...by].map(([name, n]) => [name, name + ' (' + number(n) + ')']);
	const lost = rows.filter(r => r.status.class !== 'pass').length;
	const drifted = rows.filter(r => r.drifts > 0).length;
	if (lost) statuses.unshift(['not-passed', 'not passed (' + number(lost) + ')']);
	if (drifted) statuses.push(['drift', 'with changed answers (' + number(drifted) + ')']);
	fill('status', 'All statuses', statuses);
	fill('task', 'All tasks', list.tasks.map(t => [t.key, t.id]).sort((a, b) => a[1] < b[1] ? -1 : 1));
	fill('tag', 'All tags', [...new Set(list.tasks.flatMap(t => t.tags))].sort().map(t => [t, t]));
	fill('tool', 'All tools', list.tools.slice(1).sort().map(t => [t, t]));
	byId('q').addEventListener('input', e => change('q', e.target.value));
	byId('clear').addEventListener('click', () => { go(new URLSearchParams()); byId('q').focus(); });
}

// change sets a filter and keeps it in the address, so that it can be shared.
function change(name, value) {
	const next = new URLSearchParams(state);
	if (value) next.set(name, value); else next.delete(name);
	go(next, true);
}

function go(params, replace) {
	params.delete('episode');
	params.delete('step');
	const text = params.toString();
	const hash = text ? '#' + text : location.pathname + location.search;
	if (replace) history.replaceState(null, '', hash); else history.pushState(null, '', hash);
	route();
}

function matches(r, words, toolNumber) {
	const status = state.get('status');
	if (status === 'not-passed' ? r.status.class === 'pass' : status === 'drift' ? !r.drifts : status && r.status.name !== status) return false;
	if (state.has('task') && r.task.key !== state.get('task')) return false;
	if (state.has('tag') && !r.task.tags.includes(state.get('tag'))) return false;
	if (state.has('tool') && !r.tools.includes(toolNumber)) return false;
	if (state.has('cause') && (r.status.class === 'pass' || r.cause !== state.get('cause'))) return false;
	r.text ??= [r.name, r.task.title, r.status.name, r.why].join('\n').toLowerCase();
	return words.every(w => r.text.includes(w));
}

function showList() {
	for (const name of filters) {
		const e = byId(name);
		if (e.value !== (state.get(name) || '')) e.value = state.get(name) || '';
		e.classList.toggle('on', e.value !== '');
	}
	const words = (state.get('q') || '').toLowerCase().split(/\s+/).filter(w => w);
	const tool = list.tools.indexOf(state.get('tool'));
	found = rows.filter(r => matches(r, words, tool));
	shown = 0;
	byId('rows').tBodies[0].replaceChildren();
	showMore();
	const filtered = found.length !== rows.length || state.has('cause');
	byId('clear').hidden = !filtered;
	byId('found').textContent = filtered ? number(found.length) + ' of ' + count(rows.length, 'episode') : count(rows.length, 'episode');
	byId('rows').hidden = found.length === 0;
}

function showMore(least = page) {
	const next = found.slice(shown, shown + Math.max(least, page));
	byId('rows').tBodies[0].append(...next.map(row));
	shown += next.length;
	const more = byId('more');
	more.hidden = shown === found.length;
	more.textContent = 'Show more: ' + number(found.length - shown) + ' left';
}

function address(r) {
	const params = new URLSearchParams(withoutEpisode());
	params.set('episode', r.key);
	return '#' + params;
}

function row(r) {
	const cell = (n, always) => el('td', { class: n || always ? 'num' : 'num zero' }, number(n));
	return el('tr', {},
		el('td', {}, el('span', { class: 'status ' + r.status.class }, r.status.name)),
		el('th', { scope: 'row' }, el('a', { href: address(r) }, r.name), el('span', { class: r.why ? 'why' : 'about' }, r.why || r.task.title)),
		cell(r.steps, true), cell(r.calls, true), cell(r.errors), cell(r.drifts), cell(r.tokens, true),
		el('td', { class: 'num' }, duration(r.ms)));
}

const links = () => [...byId('rows').querySelectorAll('tbody a')];

function focusRow(n) {
	if (n < 0 || n >= found.length) return;
	if (n >= shown) showMore(n - shown + 1);
	links()[n].focus();
}

// --- one episode ---

async function details(r) {
	const n = list.chunks.findIndex((first, i) => r.index >= first && r.index < list.chunks[i + 1]);
	if (n < 0) return null;
	if (!chunks.has(n)) chunks.set(n, unpack('chunk-' + n));
	const chunk = await chunks.get(n);
	return { ...chunk.episodes[r.index - list.chunks[n]], chunk };
}

async function showEpisode(r) {
	const d = await details(r);
	if (current() !== r) return; // another one was opened meanwhile
	const text = n => d.chunk.texts[n || 0];
	const where = found.indexOf(r);
	const parts = [nav(r, where), ...title(r, d, text)];
	if (d) {
		parts.push(section('Steps', timeline(d, text)), section('Contract', contract(d, text)), section('Page at the end', kept(d, text)));
		const commands = (d.commands || []).map(c => el('li', {}, el('pre', { tabindex: 0 }, text(c))));
		parts.push(section('Run it again', el('ul', { class: 'commands' }, ...commands)));
	} else {
		parts.push(el('p', { class: 'note' }, 'This page would be too large with the details of all episodes. The event log has them.'));
	}
	parts.push(section('Files', el('p', {}, el('a', { href: list.log }, 'Event log of the run'))));
	byId('episode').replaceChildren(...parts.filter(p => p));
	document.title = r.name + ': ' + r.status.name;
	scrollTo(0, 0);
	const picked = byId('step-' + state.get('step'));
	if (picked) {
		picked.open = true;
		picked.scrollIntoView();
	}
	(picked?.firstChild || byId('episode').querySelector('h1')).focus({ preventScroll: true });
}

const section = (name, content) => content && el('section', {}, el('h2', {}, name), content);

function nav(r, where) {
	const step = (to, name) => to ? el('a', { href: address(to) }, name) : el('a', { 'aria-disabled': 'true', role: 'link' }, name);
	return el('nav', { class: 'nav', 'aria-label': 'Episodes' },
		el('a', { href: '#' + withoutEpisode() }, 'All episodes'),
		step(found[where - 1], 'Previous'), step(where < 0 ? undefined : found[where + 1], 'Next'),
		el('p', { class: 'keys' }, el('kbd', {}, 'j'), el('kbd', {}, 'k'), ' next, previous ', el('kbd', {}, '↓'), el('kbd', {}, '↑'), ' steps ', el('kbd', {}, 'Esc'), ' all episodes'));
}

function withoutEpisode() {
	const params = new URLSearchParams(state);
	params.delete('episode');
	params.delete('step');
	return params.toString();
}

function title(r, d, text) {
	const meta = [r.task.title, r.steps + ' of ' + count(r.task.maxSteps, 'step'), count(r.calls, 'call'), count(r.errors, 'error')];
	if (r.drifts) meta.push(count(r.drifts, 'changed answer'));
	meta.push(number(r.tokens) + ' tokens', duration(r.ms) + ' of ' + duration(r.task.maxMs));
	if (d && d.stalls) meta.push(count(d.stalls, 'time') + ' without progress');
	if (r.task.tags.length) meta.push('tags ' + r.task.tags.join(', '));
	const words = r.status.name.replaceAll('_', ' ');
	return [
		el('h1', { tabindex: -1 }, el('span', { class: 'status ' + r.status.class }, r.status.class === 'void' ? 'void (' + words + ')' : words), ' ', r.name),
		r.task.goal && el('p', { class: 'goal' }, el('b', {}, 'Goal: '), r.task.goal, ' ', el('span', { class: 'title' }, 'Start: ' + r.task.start)),
		d && d.story ? definitions({ class: 'reason ' + r.status.class }, ...d.story.map(line => line.map(text))) : r.why && el('p', { class: 'reason ' + r.status.class }, r.why),
		el('p', { class: 'meta' }, ...meta.map(m => el('span', {}, m))),
	];
}

const box = text => el('pre', { tabindex: 0 }, text);

// definitions makes a list of names and values; values that are missing are left out.
function definitions(attributes, ...pairs) {
	const dl = el('dl', attributes);
	for (const [name, value] of pairs) {
		if (value) dl.append(el('dt', {}, name), el('dd', {}, value));
	}
	return dl.children.length ? dl : undefined;
}

// table shows rows of texts; nothing without rows.
function table(header, rows) {
	if (!rows) return undefined;
	const cells = (name, row) => el('tr', {}, ...row.map(cell => el(name, name === 'th' ? { scope: 'col' } : {}, cell)));
	return el('table', {}, el('thead', {}, cells('th', header)), el('tbody', {}, ...rows.map(row => cells('td', row))));
}

const firstLine = text => text.split('\n', 1)[0].slice(0, 300);

// timeline shows what was asked, said and done in each step, with the rest behind it.
function timeline(d, text) {
	const calls = d.calls || [];
	if (!calls.length) return el('p', { class: 'meta' }, 'No tool was called.');
	const total = calls.reduce((sum, c) => sum + c.ms, 0) || 1;
	let before = 0;
	const items = calls.map((c, i) => {
		const drifts = (d.drifts || []).filter(x => (x.step || 0) === (c.step || 0));
		const bar = el('span');
		bar.style.left = 100 * before / total + '%';
		bar.style.width = 100 * c.ms / total + '%';
		before += c.ms;
		const flags = el('span', { class: 'flags' });
		if (c.failure) flags.append(el('span', { class: 'flag error' }, 'no answer'));
		else if (c.error) flags.append(el('span', { class: 'flag error' }, 'error'));
		const lies = (c.parts || []).map(p => p[2]);
		if (c.untrue && lies.includes(2) && !lies.includes(1)) flags.append(el('span', { class: 'flag error', title: 'the answer leaves out what else happened' }, 'unreported side effect'));
		else if (c.untrue) flags.append(el('span', { class: 'flag error', title: 'no error, but the page got something else, and the answer does not say what' }, 'false success'));
		if (c.other) flags.append(el('span', { class: 'flag error', title: 'the page got something else, and the answer says so' }, 'not as asked'));
		if (drifts.length) flags.append(el('span', { class: 'flag drift' }, 'changed answer'));
		if (c.hint) flags.append(el('span', { class: 'flag hint' }, 'hint'));
		const more = el('details', { id: 'step-' + (c.step || 0), class: c.wrong || c.error || c.failure ? 'error' : '' }, el('summary', {},
			el('span', { class: 'step' }, String(c.step || 0)), el('span', { class: 'tool' }, text(c.tool)), el('span', { class: 'args' }, text(c.args)),
			flags, el('span', { class: 'track', 'aria-hidden': 'true' }, bar), el('span', { class: 'num' }, duration(c.ms)),
			el('span', { class: 'said' }, el('small', {}, 'said'), ' ', firstLine(text(c.failure || c.answer))),
			el('span', { class: c.untrue || c.other ? 'did untrue' : 'did' }, c.did && el('small', {}, 'did'), ' ', text(c.did))));
		const words = row => row.map(n => text(n) || '(empty)');
		more.append(definitions({ class: 'body' },
			['Look here', c.wrong && el('p', { class: 'plain' }, text(c.wrong))],
			['Arguments', text(c.args) && box(text(c.args))],
			['No answer', text(c.failure) && box(text(c.failure))],
			[c.error ? 'Error' : 'Answer', text(c.answer) && box(text(c.answer))],
			['Not kept', c.omitted && el('p', { class: 'plain' }, 'The texts of this call are only in the event log.')],
			...drifts.flatMap(x => [
				['Expected', box(text(x.expected) + (x.at ? '\n(' + text(x.at) + ')' : ''))],
				['Got', box(text(x.actual))],
			]),
			['Page got', table(['asked for', 'got'], c.parts && c.parts.map(([asked, got, untrue]) => [text(asked), ['', 'FALSE SUCCESS: ', 'UNREPORTED SIDE EFFECT: '][untrue] + text(got)]))],
			['Sent', c.requests && el('div', {}, ...c.requests.map(([line, body]) => el('div', {}, el('p', { class: 'plain' }, text(line)), text(body) && box(text(body)))))],
			['Conditions', table(['of the goal', 'wanted', 'got'], c.unmet && c.unmet.map(row => row.map(text)))],
			['Fields', table(['field', 'before', 'after'], c.changed && c.changed.map(words))],
			['Page', picture(c, 'Screenshot after step ' + (c.step || 0))],
			['Events', c.heard && el('details', {}, el('summary', {}, count(c.heard.length, 'event') + ' of the page'), box(c.heard.map(text).join('\n')))],
			['Hint', c.hint && box(text(c.hint) + (c.hintText ? '\n' + text(c.hintText) : ''))],
			['Tokens', el('p', { class: 'plain' }, number(c.argTokens || 0) + ' of arguments, ' + number(c.answerTokens || 0) + ' of the answer')]));
		more.open = Boolean(c.wrong || c.failure || drifts.length || calls.length === 1 || current().status.class === 'pass' && (c.error || c.untrue));
		return el('li', {}, more);
	});
	if (d.untold) return el('div', {}, el('p', { class: 'note' }, text(d.untold)), el('ol', { class: 'calls' }, ...items));
	return el('ol', { class: 'calls' }, ...items);
}

const verdicts = new Map([
	['pass', ['✓', 'holds']], ['fail', ['✕', 'does not hold']], ['inconclusive', ['○', 'could not be judged']], ['not reached', ['·', 'not judged']],
]);

function contract(d, text) {
	if (!d.tree) return el('p', { class: 'meta' }, 'The contract was not judged.');
	return el('ul', { class: 'tree' }, node(d.chunk.trees[d.tree - 1], d, text));
}

function node(n, d, text) {
	const verdict = text(n.verdict) || 'not reached';
	const [mark, words] = verdicts.get(verdict) || ['?', verdict];
	const name = ['pass', 'fail', 'inconclusive'].includes(verdict) ? verdict : 'none';
	const would = n.would && (text(n.would) === 'pass' ? ', would hold' : ', would fail');
	const culprit = d.failed && n.path === d.failed;
	const preview = culprit && text(d.preview);
	return el('li', {},
		el('div', { class: 'node ' + (culprit ? 'culprit ' : '') + name },
			el('span', { class: 'verdict' }, el('span', { class: 'mark', 'aria-hidden': 'true' }, mark), words, would),
			el('span', {}, el('small', {}, 'expected'), text(n.expected)),
			el('span', {}, text(n.observed) && el('small', {}, 'observed'), text(n.observed),
				n.note && el('small', { class: 'remark' }, text(n.note)),
				preview && el('small', { class: 'remark' }, 'text on the page: ' + preview)),
			el('span', { class: 'kind' }, text(n.kind) + ' ' + text(n.path))),
		n.children && el('ul', {}, ...n.children.map(c => node(c, d, text))));
}

// picture shows a screenshot that is in the page, or beside it.
function picture(p, alt) {
	if (!p.shot && !p.file) return undefined;
	const image = el('img', { alt, loading: 'lazy', src: p.shot ? 'data:image/png;base64,' + byId(p.shot).textContent : p.file });
	return el('div', {}, p.file ? el('a', { href: p.file }, image) : image);
}

function kept(d, text) {
	const p = d.page || {};
	const several = numbers => numbers && el('ul', {}, ...numbers.map(n => el('li', {}, el('code', {}, text(n)))));
	const words = definitions({},
		['URL', text(p.url || d.url)], ['Title', text(p.title)], ['Dialogs', several(p.dialogs)], ['Console', several(p.console)],
		['Requests', several(p.requests)], ['Missing', text(p.missing)], ['Not kept', text(d.noPage)],
		['Earlier', text(d.earlier)], ['Server', text(d.ended)], ['Facts', text(d.server)], ['Waited', text(d.waited)], ['Text', p.text && box(text(p.text))]);
	if (!words && !p.file) return undefined;
	const shot = picture(p, 'Screenshot of the page at the end');
	return el('div', { class: 'kept' }, words || '', shot);
}

// --- addresses and keys ---

function current() {
	const key = state.get('episode');
	return key === null ? undefined : rows.find(r => r.key === key);
}

let last; // the row that was opened last

function route() {
	state = new URLSearchParams(location.hash.slice(1));
	const missing = byId('trouble');
	missing.hidden = true;
	showList();
	const r = current();
	if (state.has('episode') && !r) {
		missing.textContent = 'This run has no episode ' + state.get('episode') + '.';
		missing.hidden = false;
	}
	document.querySelector('.top').hidden = byId('run').hidden = Boolean(r);
	byId('episode').hidden = !r;
	if (r) {
		last = r;
		showEpisode(r);
		return;
	}
	document.title = titleOfRun;
	byId('episode').replaceChildren();
	if (last) {
		focusRow(found.indexOf(last));
		last = undefined;
	} else if (location.hash) {
		byId('episodes').scrollIntoView();
	}
}

const titleOfRun = document.title;

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
	if (e.key === '/' && !typing && !open) {
		byId('q').focus();
		byId('q').select();
		e.preventDefault();
		return;
	}
	const steps = [...document.querySelectorAll('.calls > li > details > summary')];
	if (steps.includes(target) && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) {
		steps[steps.indexOf(target) + (e.key === 'ArrowDown' ? 1 : -1)]?.focus();
		e.preventDefault();
		return;
	}
	const inList = target.closest('#rows') !== null;
	const down = e.key === 'j' && !typing || e.key === 'ArrowDown' && (inList || target.id === 'q');
	const up = e.key === 'k' && !typing || e.key === 'ArrowUp' && inList;
	if (!down && !up) return;
	if (open) {
		const next = found[found.indexOf(open) + (down ? 1 : -1)];
		if (next) location.hash = address(next);
	} else {
		const now = links().indexOf(document.activeElement);
		focusRow(now < 0 ? 0 : now + (down ? 1 : -1));
	}
	e.preventDefault();
}

async function start() {
	list = await unpack('list');
	readRows();
	fillFilters();
	if (list.left.passed + list.left.others > 0) {
		const parts = [list.left.others && count(list.left.others, 'episode') + ' that did not pass', list.left.passed && count(list.left.passed, 'passed episode')].filter(p => p);
		byId('rows').before(el('p', { class: 'note' }, 'To keep this page small, the details of ' + parts.join(' and ') + ' are only in ', el('a', { href: list.log }, 'the event log'), '.'));
	}
	byId('more').addEventListener('click', () => showMore());
	new IntersectionObserver(seen => { if (seen[0].isIntersecting) showMore(); }, { rootMargin: '600px' }).observe(byId('more'));
	byId('rows').tBodies[0].addEventListener('click', e => {
		if (e.target.closest('a') || String(getSelection())) return;
		const tr = e.target.closest('tr');
		if (tr) tr.querySelector('a').click();
	});
	addEventListener('hashchange', route);
	addEventListener('keydown', keys);
	route();
	performance.mark('list');
	document.documentElement.dataset.ready = 'true';
}

// The head is painted first.
requestAnimationFrame(() => setTimeout(() => start().catch(err => {
	byId('trouble').textContent = 'The list of episodes cannot be shown: ' + err.message + '. A newer browser, or the Markdown report, can show it.';
	byId('trouble').hidden = false;
})));

})();
