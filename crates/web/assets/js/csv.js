// CSV as RFC 4180 has it, that no spreadsheet takes for a formula.

// What makes a spreadsheet calculate: also full-width forms, which some turn into plain ones.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const QUOTED = /[",\r\n]/;

// Numbers are written as machines read them; only text can hold a formula.
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
