// What pages know of projects: those the page names, and what the API tells of one.
import { send } from './api.js';
import { readStatus } from './keyword_status.js';
import { all } from './lists.js';
import { normalised } from './words.js';

const MOST_KEYWORDS = 10_000;
// As many as the server tells at once.
const AT_ONCE = 200;

// The projects that the page names (pages/modules.rs).
export function projects() {
  return [...document.querySelectorAll('#projects > [data-id]')].map((it) => ({
    id: Number(it.dataset.id),
    name: it.dataset.name,
    domain: it.dataset.domain,
    keywordCount: Number(it.dataset.keywords),
    brands: [it.dataset.name, longestLabel(it.dataset.domain)],
  }));
}

// Said beside a choice of projects where there are more than the page names; null otherwise.
export function cutTold() {
  const { cut } = document.getElementById('projects')?.dataset ?? {};
  return cut ? `The first ${cut} by name. Others can be chosen on pages of theirs.` : null;
}

// How many keywords a project has now; the page told how many there were.
export function countKeywords(id, count) {
  const it = document.querySelector(`#projects > [data-id="${CSS.escape(id)}"]`);
  if (it && Number.isInteger(count)) it.dataset.keywords = count;
}

// The part of a domain that names somebody: the longest, whatever ending it has.
const longestLabel = (domain) => domain.split('.').slice(0, -1).reduce((longest, it) => (it.length > longest.length ? it : longest), '');

export const projectOf = (id) => projects().find((it) => String(it.id) === String(id)) ?? null;

export const statusOf = async (id) => (await all(`/api/projects/${id}/keyword-status?limit=500`, MOST_KEYWORDS)).items.map(readStatus);

// Who is signed in, with what is left; null when it cannot be read.
export const session = () => send('GET', '/api/session').catch(() => null);

// The pages that the last check found first, by normalised keyword. `keywords` are of one market: another one has other results.
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
