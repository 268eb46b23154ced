// Countries and languages: people choose a name, the API takes an ISO code. Which names there are is in the page
// (crates/web/src/pages/markets.rs).
const ALIASES = { uk: 'gb', usa: 'us', uae: 'ae', holland: 'nl' };
const folded = (text) => text.normalize('NFKD').replace(/\p{M}+/gu, '').toLowerCase().split(/\s+/).filter(Boolean).join(' ');

// The code of a name or a code among `[name, code]`; null of anything else.
export function codeAmong(pairs, text) {
  const wanted = folded(text);
  if (wanted === '') return null;
  const code = ALIASES[wanted] ?? wanted;
  const found = pairs.find(([name]) => folded(name) === wanted) ?? pairs.find((it) => it[1] === code);
  return found?.[1] ?? null;
}

// Names that begin with the text, or hold it, or else share its first letters; at most three.
export function alike(pairs, text) {
  const wanted = folded(text);
  const names = pairs.map(([name]) => name);
  const found = [(name) => folded(name).startsWith(wanted), (name) => folded(name).includes(wanted), (name) => wanted.length > 1 && folded(name).startsWith(wanted.slice(0, 2))].flatMap((fits) => names.filter(fits));
  return wanted === '' ? [] : [...new Set(found)].slice(0, 3);
}

// The code that a field of a form names. What no country or language has as its name is refused beside the field.
export function asCode(what, field) {
  const pairs = [...document.getElementById(field.getAttribute('list')).options].map((it) => [it.value, it.dataset.code]);
  const code = codeAmong(pairs, field.value);
  if (code !== null) return code;
  const error = new Error(`Choose a ${what} from the list.`);
  const text = field.value.trim();
  error.problem = { errors: [{ name: field.name, detail: text === '' ? error.message : `No ${what} is called “${text}”. ${error.message}`, nearest: alike(pairs, text) }] };
  throw error;
}
