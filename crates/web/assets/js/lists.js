// Paginated lists of the API.
import { send } from './api.js';

// All pages, up to `most` rows; `more`: whether rows are left, `first`: the first page's response.
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
