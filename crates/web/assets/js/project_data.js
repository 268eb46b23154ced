// Project data from the page and from the API.
import { send } from './api.js';
import { readStatus } from './keyword_status.js';
import { fetchAll } from './lists.js';
import { normalized } from './words.js';

const MAX_KEYWORDS = 10_000;
// Maximum per request.
const MAX_PER_REQUEST = 200;

// Rendered by pages/modules.rs.
export function projects() {
  return [...document.querySelectorAll('#projects > [data-id]')].map((it) => ({
    id: Number(it.dataset.id),
    name: it.dataset.name,
    domain: it.dataset.domain,
    keywordCount: Number(it.dataset.keywords),
    brands: [it.dataset.name, longestLabel(it.dataset.domain)],
  }));
}

// A hint that the choice of projects is truncated, or null.
export function truncationHint() {
  const { cut } = document.getElementById('projects')?.dataset ?? {};
  return cut ? `The first ${cut} by name. Others can be chosen on pages of theirs.` : null;
}

// Updates the count that the page was rendered with.
export function countKeywords(id, count) {
  const it = document.querySelector(`#projects > [data-id="${CSS.escape(id)}"]`);
  if (it && Number.isInteger(count)) it.dataset.keywords = count;
}

// The longest label of a domain, without its TLD.
const longestLabel = (domain) => domain.split('.').slice(0, -1).reduce((longest, it) => (it.length > longest.length ? it : longest), '');

export const findProject = (id) => projects().find((it) => String(it.id) === String(id)) ?? null;

export const fetchStatus = async (id) => (await fetchAll(`/api/projects/${id}/keyword-status?limit=500`, MAX_KEYWORDS)).items.map(readStatus);

// The session with its quotas; null if it cannot be read.
export const fetchSession = () => send('GET', '/api/session').catch(() => null);

// Result pages of the last check by normalized keyword. `keywords` must be of one market: results differ by market.
export async function fetchResults(id, keywords) {
  const known = new Map();
  const texts = new Map(keywords.map((it) => [it.keywordId, normalized(it.text)]));
  let left = [...texts.keys()].sort((one, other) => one - other);
  while (left.length > 0) {
    const requested = left.slice(0, MAX_PER_REQUEST);
    const { items, truncated } = await send('GET', `/api/projects/${id}/top-results?keywordIds=${requested.join(',')}`);
    for (const { keywordId, pages } of items) if (pages.length > 0) known.set(texts.get(keywordId), pages);
    const last = truncated ? items.at(-1).keywordId : requested.at(-1);
    left = left.filter((it) => it > last);
  }
  return known;
}
