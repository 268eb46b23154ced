// Lists that the API tells in pages.
import { send } from './api.js';

// Up to so many rows of all pages; `more` is whether there are others, `first` what the first page tells beside its rows.
export async function all(path, most = Infinity, told = () => {}) {
  const items = [];
  let first = null;
  let cursor = null;
  do {
    const page = await send('GET', cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`);
    first ??= page;
    items.push(...(page.items ?? []));
    cursor = page.nextCursor ?? null;
    told(items.length);
  } while (cursor !== null && items.length < most);
  return { items, more: cursor !== null, first };
}
