// What pages know of projects: those the page names, and what the API tells of one.
import { send } from './api.js';
import { readStatus } from './keyword_status.js';
import { all } from './lists.js';
import { normalised } from './words.js';

const MOST_KEYWORDS = 10_000;
const MOST_PAGES = 2_000;

// The projects that the page names (templates/projects_data.html).
export function projects() {
  return [...document.querySelectorAll('#projects > [data-id]')].map((it) => ({
    id: Number(it.dataset.id),
    name: it.dataset.name,
    domain: it.dataset.domain,
    keywordCount: Number(it.dataset.keywords),
    brands: [it.dataset.name, longestLabel(it.dataset.domain)],
  }));
}

// The part of a domain that names somebody: the longest, whatever ending it has.
const longestLabel = (domain) => domain.split('.').slice(0, -1).reduce((longest, it) => (it.length > longest.length ? it : longest), '');

export const projectOf = (id) => projects().find((it) => String(it.id) === String(id)) ?? null;

export const statusOf = async (id) => (await all(`/api/projects/${id}/keyword-status?limit=500`, MOST_KEYWORDS)).items.map(readStatus);

// Who is signed in, with what is left; null when it cannot be read.
export const session = () => send('GET', '/api/session').catch(() => null);

// The first results of a project's keywords, as the last check saw them: addresses by normalised keyword.
export async function resultsOf(id) {
  const { items } = await all(`/api/projects/${id}/results?type=serp&limit=1000&fields=keyword,items`, MOST_PAGES);
  const known = new Map();
  for (const record of items) {
    const organic = (record.items ?? []).filter((it) => it.organicPosition && it.url).sort((one, other) => one.organicPosition - other.organicPosition);
    if (record.keyword && organic.length > 0) known.set(normalised(record.keyword), organic.slice(0, 10).map((it) => it.url));
  }
  return known;
}
