// Compares searches with a project's keywords, both ways. No DOM access.
import { ctr } from './clicks.js';
import { PRIORITY, TRACKING_KEYS } from './formulas.js';
import { downwards } from './priority.js';
import { normalized, topicWords, wordsOf } from './words.js';

export const STRIKING = { from: 8, to: 20 };
// Minimum share of a query's impressions for a page to count.
const MIN_SHARE = 0.1;

export function inStrikingDistance(position) {
  return position !== null && position >= STRIKING.from && position <= STRIKING.to;
}

// Identifies a page without scheme, www, fragment and tracking parameters.
const TRACKING_PARAMETERS = new RegExp(`^(utm_.*|${TRACKING_KEYS.join('|')})$`, 'i');
export function pageKey(url) {
  if (!url) return null;
  try {
    const it = new URL(url);
    const kept = it.search.slice(1).split('&').filter((part) => part && !TRACKING_PARAMETERS.test(part.split('=')[0]));
    return it.host.replace(/^www\./, '') + it.pathname + (kept.length ? `?${kept.join('&')}` : '');
  } catch {
    return url;
  }
}

// Sums rows of Search Console by query into `queries`. Positions are weighted by impressions; null without a position.
export function addRows(queries, rows) {
  const keys = new Map();
  const keyOf = (url) => {
    if (!keys.has(url)) keys.set(url, pageKey(url));
    return keys.get(url);
  };
  for (const row of rows) {
    const key = normalized(row.query);
    if (key === '') continue;
    let it = queries.get(key);
    if (!it) queries.set(key, (it = { query: row.query, key, clicks: 0, impressions: 0, placed: 0, sum: 0, pages: new Map() }));
    addFigures(it, row);
    const page = keyOf(row.page ?? null);
    if (page === null) continue;
    let at = it.pages.get(page);
    if (!at) it.pages.set(page, (at = { url: row.page, key: page, clicks: 0, impressions: 0, placed: 0, sum: 0 }));
    addFigures(at, row);
  }
  return queries;
}

function addFigures(it, row) {
  it.clicks += row.clicks ?? 0;
  it.impressions += row.impressions ?? 0;
  if (row.position !== null && row.position !== undefined && row.impressions > 0) {
    it.placed += row.impressions;
    it.sum += row.position * row.impressions;
  }
}

export const meanPosition = (it) => (it.placed > 0 ? it.sum / it.placed : null);
export const clickRate = (it) => (it.impressions > 0 ? it.clicks / it.impressions : null);

// Most impressions first.
export function pagesOf(it) {
  return [...it.pages.values()].sort((one, other) => other.impressions - one.impressions || other.clicks - one.clicks || (one.key < other.key ? -1 : 1));
}

// Queries that are not tracked.
export function untracked(queries, keywords, { minImpressions }) {
  const tracked = new Set(keywords.map((it) => normalized(it.text)));
  const found = [...queries.values()].filter((it) => !tracked.has(it.key) && it.impressions >= minImpressions).map((it) => {
    const position = meanPosition(it);
    const pages = pagesOf(it).filter((page) => page.impressions >= MIN_SHARE * it.impressions);
    return {
      query: it.query,
      key: it.key,
      clicks: it.clicks,
      impressions: it.impressions,
      ctr: clickRate(it),
      position,
      striking: inStrikingDistance(position),
      page: pages[0]?.url ?? null,
      pages: pages.map((page) => page.url),
      // More clicks from the same impressions at the target position; null without a position.
      gain: position === null ? null : Math.max(it.impressions * (ctr(PRIORITY.target) - ctr(position)), 0),
    };
  });
  return found.sort((one, other) => other.impressions - one.impressions || (one.key < other.key ? -1 : 1));
}

// Keywords without impressions.
export function withoutImpressions(queries, keywords) {
  return keywords.filter((it) => !queries.has(normalized(it.text))).sort((one, other) =>
    downwards(one.searchVolume, other.searchVolume) || (normalized(one.text) < normalized(other.text) ? -1 : 1));
}

// Queries for which most impressions go to a page other than the intended one. Intended is the keyword's target URL,
// else the content plan's page, else that of the last rank check, else an own page with more of the query's words in
// its URL. `sites`: result of `indexPages`, reusable for the same queries.
export function wrongPages(queries, keywords, { minImpressions, planned = new Map(), language = 'en', sites = indexPages(queries) }) {
  const found = [];
  for (const keyword of keywords) {
    const it = queries.get(normalized(keyword.text));
    if (!it || it.impressions < minImpressions) continue;
    const pages = pagesOf(it);
    const shown = pages[0];
    const intended = shown && intendedPage(keyword, planned, shown, sites, language);
    const key = intended && resolveKey(intended.url, shown.key);
    if (!intended || key === shown.key) continue;
    const there = it.pages.get(key);
    found.push({
      query: it.query,
      key: it.key,
      keywordId: keyword.keywordId ?? null,
      impressions: it.impressions,
      clicks: it.clicks,
      position: meanPosition(it),
      shown: shown.url,
      shownShare: shown.impressions / it.impressions,
      intended: intended.url,
      intendedShare: (there?.impressions ?? 0) / it.impressions,
      source: intended.by,
      pages: pages.filter((page) => page.impressions >= MIN_SHARE * it.impressions).map((page) => page.url),
    });
  }
  return found.sort((one, other) => other.impressions - one.impressions || (one.key < other.key ? -1 : 1));
}

// A path is resolved on the same site.
const resolveKey = (url, other) => (url.startsWith('/') ? other.slice(0, other.indexOf('/')) + url : pageKey(url));

function intendedPage(keyword, planned, shown, sites, language) {
  if (keyword.targetUrl) return { url: keyword.targetUrl, by: 'target' };
  const url = planned.get(normalized(keyword.text));
  if (url) return { url, by: 'plan' };
  if (keyword.page && pageKey(keyword.page) !== shown.key) return { url: keyword.page, by: 'rankCheck' };
  const words = topicWords(keyword.text, language);
  if (words.length < 2) return null;
  // Only a URL with all words is clear evidence; the shortest one wins.
  const isAbout = (page) => words.every((word) => page.words.has(word));
  const here = sites.pages.get(shown.key);
  if (here && isAbout(here)) return null;
  const rarest = words.map((word) => sites.byWord.get(word) ?? []).reduce((shortest, it) => (it.length < shortest.length ? it : shortest));
  const best = rarest.find(isAbout);
  return best ? { url: best.url, by: 'words' } : null;
}

// Pages by key, and by each word of their URLs, shortest URL first.
export function indexPages(queries) {
  const pages = new Map();
  for (const it of queries.values()) {
    for (const [key, page] of it.pages) {
      if (pages.has(key)) continue;
      const path = key.slice(key.indexOf('/'));
      pages.set(key, { key, url: page.url, words: new Set(wordsOf(decodePath(path).replace(/[-_/.+]/g, ' '))) });
    }
  }
  const byWord = new Map();
  for (const page of [...pages.values()].sort((one, other) => one.key.length - other.key.length || (one.key < other.key ? -1 : 1))) {
    for (const word of page.words) {
      const others = byWord.get(word);
      if (others) others.push(page); else byWord.set(word, [page]);
    }
  }
  return { pages, byWord };
}

function decodePath(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

// The days to request if the server has no default: the newest import. Daily rows are limited to 28 days; a period
// without days is used whole. Null if no queries were imported.
const DAYS = 28;
export function newestImport(imported) {
  const ofSearches = imported.filter((it) => it.cut.startsWith('query'));
  if (ofSearches.length === 0) return null;
  const newest = ofSearches.reduce((latest, it) => (it.to > latest.to ? it : latest));
  if (newest.days === null) return { from: newest.from, to: newest.to };
  const begin = new Date(Date.parse(newest.to) - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
  return { from: begin > newest.from ? begin : newest.from, to: newest.to };
}
