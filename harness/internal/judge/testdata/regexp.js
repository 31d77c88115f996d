// Writes regexp.jsonl: what Node 20's regular expressions, without flags,
// answer to curated and to random patterns. Run: node regexp.js > regexp.jsonl
'use strict';

let seed = 20;
function random(n) {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  let x = seed ^ (seed >>> 15);
  x = Math.imul(x, 0x2c1b3c6d) >>> 0;
  return ((x ^ (x >>> 12)) >>> 0) % n;
}
const pick = (list) => list[random(list.length)];

// Tokens for patterns that may well be invalid.
const tokens = String.raw`a b c 1 0 8 - ] } { {2} {1,2} {,3} {0} {0,0} {2,} {3,1} {99999999999} . ^ $ | ( ) (?: (?= (?! (?<= (?<!
 (?<n> (?<m> \k<n> \k<m> \k \k< * + ? *? +? ?? \1 \2 \3 \8 \10 \0 \00 \012 \377 \400 \d \D \w \W \s \S \b \B \x61 \x6 \u0061
 \u006 \u{61} \ca \c \c1 \cJ [abc] [^a] [a-c] [ [^ [] [^] [a-\d] [\w-] [-a] [\c1] [\c_] [\b] [\1] [\08] [z-a] [\k] \p{L} \- \_ \
 \/ \t \n \v \f \r \e \z \A \Z \G (?i) (?i: (?-i: (?> (?# (?P<n> (?'n' (?<1> (?<\u0061> (?<\u{61}> (?<π> (?<$> (?<> \Q # &&
 [[:alpha:]] [a&&b] [a-[b]] \R \h \X`.split(/\s+/).concat(
  ['\u{1f600}', '\ud83d', '\ude00', '[\u{1f600}]', '[^\u{1f600}]', '[\ud83d-a]', '[a-\ud83d\ude00]', '[\ud800-\udfff]',
   '\u00e9', '\n', '\u2028', '\u00a0', '\ufeff', ' ', 'K', '\u212a', '\u017f']);
// Atoms for patterns that are mostly valid.
const atoms = ['a', 'b', 'c', '.', '\\d', '\\w', '[ab]', '[^a]', '[a-c]', '\\1', '\\2', 'ab', '\\b', '^', '$', '\\s', '\ud83d',
  '\u00e9', '(?:)', '()', '[^]', 'x', '\\B', '\\k<n>'];
const letters = ['a', 'b', 'c', 'ab', '1', ' ', '\n', '\u00e9', '\u{1f600}', '\ud83d', '\ude00', 'x', '_', '\u2028', '\ufeff',
  '\u0085', '\u00a0', '8', '{', '}', '-', ']', '[', '\\', 'k', '<', 'n', '>', 'u', 'K', '\u212a', '\u0001', '\b', 'p', 'L', '&',
  ':', 'e', '\u180e'];

function grow(depth) {
  let out = '';
  for (let n = 1 + random(3); n > 0; n--) {
    let t = pick(atoms);
    if (depth > 0 && random(12) < 5) {
      const other = random(3) === 0 ? '|' + grow(depth - 1) : '';
      t = pick(['(', '(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?<n>']) + grow(depth - 1) + other + ')';
    }
    out += t + (random(3) === 0 ? pick(['*', '+', '?', '{1,2}', '{2}', '{0}', '*?', '+?', '??', '{1,}?']) : '');
  }
  return out;
}

function subject() {
  let s = '';
  for (let n = random(8); n > 0; n--) s += random(3) ? pick(letters.slice(0, 6)) : pick(letters);
  return s;
}

function write(pattern, subjects) {
  const out = {pattern};
  try {
    const re = new RegExp(pattern);
    out.match = subjects.filter((s) => re.test(s));
    out.miss = subjects.filter((s) => !re.test(s));
  } catch (e) {
    out.error = e.message;
  }
  console.log(JSON.stringify(out));
}

const fixed = ['', 'a', 'b', 'ab', 'aab', 'abc', 'A', '1', '_', '-', ' ', '\n', 'a\nb', '\r', '\u2028', '\u2029', '\u0085', '\u00a0',
  '\ufeff', '\u180e', '\u2003', '\u000b', '\u0000', '\u0001', '\u0011', '\b', '\u001b', '\u00e9', 'e\u0301', '\u00df', '\u212a',
  '\u017f', 'K', 's', '\u{1f600}', '\ud83d', '\ude00', '\u{1f600}\u{1f600}', '\\', '\\c', 'c1', 'k', 'k<n>', 'u0041', 'x4', 'p{L}',
  'a{,3}', 'a{', '{', '}', ']', 'u'.repeat(41), '8', '18', '\n8', '"', "'", '/', '$', 'aaa', 'aaaa', 'xx', 'abab', 'login'];
for (const p of [...new Set([...tokens, ...atoms])]) write(p, fixed);
for (const p of String.raw`^a$ a.b ^.$ ^..$ ^[^x]$ ^\w+$ ^\W$ ^\s$ ^\S$ ^\d+$ \bcaf\b \Bx ^[\s\S]$ [\d-x] [a-] [^-] [.] [\B] a|
 (|a)b a||b ^|$ a$b (a)|b (?<n>a)\k<n> \k<n>(?<n>a) (?<n>a)(?<n>b) (?<n>a)|(?<n>b) (?=(a))\1b (?!(a))\1b (?<=^a{2})b (?<=\1(a))b
 (?<=(a)\1)b (?=a)*b (?=a)+b (?!a){2}b (?=(a))?\1b (?<=a)* (?<!a)? (a*)* (a*)+ (a?)+? (?:a|ab)(?:c|bcd)(?:d*)$ (z)((a+)?(b+)?(c))*
 (\1a) (a\1)+ (?:\1(a))+ ()* ()+$ (?:)*a ^*a $+ \b? x{2,3}? a{0} (a){0}\1b [^a]{2} ^(?!.*(?:login|signin)).*$ ^(?=.*a)(?=.*b).*$
 [\u{1F600}] ^[\uD83D\uDE00]{2}$ \ud83d\ude00 ^\ud83d. (?:a\b|b)+ [^\W] [^\s\S] [\d\D] \u{41} \8 \08 \18 \11 (a)\11 \0a [\b-a]
 \cA \c[ [\cA] [\c] [\ca-\cz] a{2,1} a{1}{2} a?? a*+ (? (?a (?<a (?<a>x)\k (?<a>x)[\k] \k<a \u \x [\u [\x5]`.split(/\s+/)) write(p, fixed);
for (const p of ['X|[^\ud83d]', '[^\uffff]|X', 'ab[^\ude00]|aX', '(?:\ud83d|\ude00)+$', '[\ude00\ud83d]x?']) write(p, fixed);
for (let i = 0; i < 1500; i++) {
  let p = '';
  if (i % 2) for (let n = 1 + random(6); n > 0; n--) p += pick(tokens);
  else p = grow(3);
  write(p, Array.from({length: 6}, subject));
}
