// Maps names of countries and languages to ISO codes. The names are in the page (crates/web/src/pages/markets.rs).
const ALIASES = { uk: 'gb', usa: 'us', uae: 'ae', holland: 'nl' };
const fold = (text) => text.normalize('NFKD').replace(/\p{M}+/gu, '').toLowerCase().split(/\s+/).filter(Boolean).join(' ');

// `pairs` are `[name, code]`; null if nothing matches.
export function findCode(pairs, text) {
  const wanted = fold(text);
  if (wanted === '') return null;
  const code = ALIASES[wanted] ?? wanted;
  const found = pairs.find(([name]) => fold(name) === wanted) ?? pairs.find((it) => it[1] === code);
  return found?.[1] ?? null;
}

// Up to three names with the same prefix, else containing the text, else with the same first letters.
export function suggestNames(pairs, text) {
  const wanted = fold(text);
  const names = pairs.map(([name]) => name);
  const found = [(name) => fold(name).startsWith(wanted), (name) => fold(name).includes(wanted), (name) => wanted.length > 1 && fold(name).startsWith(wanted.slice(0, 2))].flatMap((fits) => names.filter(fits));
  return wanted === '' ? [] : [...new Set(found)].slice(0, 3);
}

// Throws a field error for an unknown name.
export function parseCode(kind, field) {
  const pairs = [...document.getElementById(field.getAttribute('list')).options].map((it) => [it.value, it.dataset.code]);
  const code = findCode(pairs, field.value);
  if (code !== null) return code;
  const error = new Error(`Choose a ${kind} from the list.`);
  const text = field.value.trim();
  error.problem = { errors: [{ name: field.name, detail: text === '' ? error.message : `No ${kind} is called “${text}”. ${error.message}`, nearest: suggestNames(pairs, text) }] };
  throw error;
}
