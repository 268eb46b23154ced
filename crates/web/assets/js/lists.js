// Paginated lists of the API.
import { send } from './api.js';

// All pages, up to `maxItems`; `more`: whether rows are left, `first`: the first page's response.
export async function fetchAll(path, maxItems = Infinity, onProgress = () => {}) {
  const items = [];
  let first = null;
  let cursor = null;
  do {
    const page = await send('GET', cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`);
    first ??= page;
    items.push(...(page.items ?? []));
    cursor = page.nextCursor ?? null;
    onProgress(items.length);
  } while (cursor !== null && items.length < maxItems);
  return { items, more: cursor !== null, first };
}
