// CSV (RFC 4180), protected against formula injection.

// Characters that start a formula, including full-width forms.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const QUOTED = /[",\r\n]/;

// Numbers are written in machine notation; only text can contain a formula.
export function cell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  const text = String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv(header, rows) {
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
