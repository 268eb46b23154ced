// Sorting and pagination of rows. No DOM access.

const texts = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

// Unknown values come last in both directions; equal rows keep their order.
export function sortRows(rows, columns, order) {
  const isFalling = order.startsWith('-');
  const column = columns.find((it) => it.name === order.replace(/^-/, ''));
  if (!column?.value) return rows;
  const compare = (one, other) => (typeof one === 'string' ? texts.compare(one, other) : one - other);
  return rows.map((row) => [column.value(row) ?? null, row]).sort(([one], [other]) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return isFalling ? compare(other, one) : compare(one, other);
  }).map(([, row]) => row);
}

// Figures start descending, texts ascending.
export function nextOrder(order, { name, falls }) {
  const [first, second] = falls ? [`-${name}`, name] : [name, `-${name}`];
  return order === first ? second : first;
}

export function pageRows(rows, from, perPage) {
  const last = Math.max(Math.ceil(rows.length / perPage) - 1, 0) * perPage;
  const begin = Math.min(Math.max(from, 0), last);
  const shown = rows.slice(begin, begin + perPage);
  return { rows: shown, from: begin, to: begin + shown.length, total: rows.length };
}
