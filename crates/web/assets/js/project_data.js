// Project data from the page and from the API.
import { send } from './api.js';
import { readStatus } from './keyword_status.js';
import { all } from './lists.js';
import { normalised } from './words.js';

const MOST_KEYWORDS = 10_000;
// Maximum per request.
const AT_ONCE = 200;

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
export function cutTold() {
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

export const projectOf = (id) => projects().find((it) => String(it.id) === String(id)) ?? null;

export const statusOf = async (id) => (await all(`/api/projects/${id}/keyword-status?limit=500`, MOST_KEYWORDS)).items.map(readStatus);

// The session with its quotas; null if it cannot be read.
export const session = () => send('GET', '/api/session').catch(() => null);

// Result pages of the last check by normalized keyword. `keywords` must be of one market: results differ by market.
export async function resultsOf(id, keywords) {
  const known = new Map();
  const texts = new Map(keywords.map((it) => [it.keywordId, normalised(it.text)]));
  let left = [...texts.keys()].sort((one, other) => one - other);
  while (left.length > 0) {
    const asked = left.slice(0, AT_ONCE);
    const { items, truncated } = await send('GET', `/api/projects/${id}/top-results?keywordIds=${asked.join(',')}`);
    for (const { keywordId, pages } of items) if (pages.length > 0) known.set(texts.get(keywordId), pages);
    const last = truncated ? items.at(-1).keywordId : asked.at(-1);
    left = left.filter((it) => it > last);
  }
  return known;
}
