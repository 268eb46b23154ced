// What people search and what a project follows, held against each other, both ways.
// No part of it knows the page's document.
import { ctr } from './clicks.js';
import { PRIORITY, TRACKING_KEYS } from './formulas.js';
import { downwards } from './priority.js';
import { normalised, topicWords, wordsOf } from './words.js';

export const STRIKING = { from: 8, to: 20 };
// A page counts as one that a query leads to from this share of its impressions on.
const LEAST_SHARE = 0.1;

export function inStrikingDistance(position) {
  return position !== null && position >= STRIKING.from && position <= STRIKING.to;
}

// The same page, whatever scheme, www, fragment or what campaigns put behind it.
const CAMPAIGNS = new RegExp(`^(utm_.*|${TRACKING_KEYS.join('|')})$`, 'i');
export function pageKey(url) {
  if (!url) return null;
  try {
    const it = new URL(url);
    const kept = it.search.slice(1).split('&').filter((part) => part && !CAMPAIGNS.test(part.split('=')[0]));
    return it.host.replace(/^www\./, '') + it.pathname + (kept.length ? `?${kept.join('&')}` : '');
  } catch {
    return url;
  }
}

// Rows of Search Console summed by query. A position is the mean over impressions, as there; null where no
// row tells one. Rows come in pages, so they are added to what is there.
export function add(queries, rows) {
  const keys = new Map();
  const keyOf = (url) => {
    if (!keys.has(url)) keys.set(url, pageKey(url));
    return keys.get(url);
  };
  for (const row of rows) {
    const key = normalised(row.query);
    if (key === '') continue;
    let it = queries.get(key);
    if (!it) queries.set(key, (it = { query: row.query, key, clicks: 0, impressions: 0, placed: 0, sum: 0, pages: new Map() }));
    count(it, row);
    const page = keyOf(row.page ?? null);
    if (page === null) continue;
    let at = it.pages.get(page);
    if (!at) it.pages.set(page, (at = { url: row.page, key: page, clicks: 0, impressions: 0, placed: 0, sum: 0 }));
    count(at, row);
  }
  return queries;
}

function count(it, row) {
  it.clicks += row.clicks ?? 0;
  it.impressions += row.impressions ?? 0;
  if (row.position !== null && row.position !== undefined && row.impressions > 0) {
    it.placed += row.impressions;
    it.sum += row.position * row.impressions;
  }
}

export const meanPosition = (it) => (it.placed > 0 ? it.sum / it.placed : null);
export const clickRate = (it) => (it.impressions > 0 ? it.clicks / it.impressions : null);

// The pages a query leads to, most impressions first.
export function pagesOf(it) {
  return [...it.pages.values()].sort((one, other) => other.impressions - one.impressions || other.clicks - one.clicks || (one.key < other.key ? -1 : 1));
}

// Searched, but not followed.
export function untracked(queries, keywords, { least }) {
  const tracked = new Set(keywords.map((it) => normalised(it.text)));
  const found = [...queries.values()].filter((it) => !tracked.has(it.key) && it.impressions >= least).map((it) => {
    const position = meanPosition(it);
    const pages = pagesOf(it).filter((page) => page.impressions >= LEAST_SHARE * it.impressions);
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
      // What the same impressions would bring at position 3; null where no position is told.
      gain: position === null ? null : Math.max(it.impressions * (ctr(PRIORITY.target) - ctr(position)), 0),
    };
  });
  return found.sort((one, other) => other.impressions - one.impressions || (one.key < other.key ? -1 : 1));
}

// Followed, but in none of the rows.
export function unseen(queries, keywords) {
  return keywords.filter((it) => !queries.has(normalised(it.text))).sort((one, other) =>
    downwards(one.searchVolume, other.searchVolume) || (normalised(one.text) < normalised(other.text) ? -1 : 1));
}

// Right query, wrong page: most of its impressions go to another page than the one that is meant for it. Which one
// is meant, and who says so: the keyword's own target, else the content plan, else the page of the last rank check, else an own page whose address
// holds more of the query's words.
// `sites` is what `addresses` makes of the queries: it changes with them alone.
export function misplaced(queries, keywords, { least, planned = new Map(), language = 'en', sites = addresses(queries) }) {
  const found = [];
  for (const keyword of keywords) {
    const it = queries.get(normalised(keyword.text));
    if (!it || it.impressions < least) continue;
    const pages = pagesOf(it);
    const shown = pages[0];
    const meant = shown && meantFor(keyword, planned, shown, sites, language);
    const key = meant && keyBeside(meant.url, shown.key);
    if (!meant || key === shown.key) continue;
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
      meant: meant.url,
      meantShare: (there?.impressions ?? 0) / it.impressions,
      saidBy: meant.by,
      pages: pages.filter((page) => page.impressions >= LEAST_SHARE * it.impressions).map((page) => page.url),
    });
  }
  return found.sort((one, other) => other.impressions - one.impressions || (one.key < other.key ? -1 : 1));
}

// A page may be told by its path alone: then it is one of the same site.
const keyBeside = (url, other) => (url.startsWith('/') ? other.slice(0, other.indexOf('/')) + url : pageKey(url));

function meantFor(keyword, planned, shown, sites, language) {
  if (keyword.targetUrl) return { url: keyword.targetUrl, by: 'target' };
  const url = planned.get(normalised(keyword.text));
  if (url) return { url, by: 'plan' };
  if (keyword.page && pageKey(keyword.page) !== shown.key) return { url: keyword.page, by: 'rankCheck' };
  const words = topicWords(keyword.text, language);
  if (words.length < 2) return null;
  // Only an address with all of the words says clearly that a page is about them; the shortest one is meant.
  const isAbout = (page) => words.every((word) => page.words.has(word));
  const here = sites.pages.get(shown.key);
  if (here && isAbout(here)) return null;
  const rarest = words.map((word) => sites.holding.get(word) ?? []).reduce((least, it) => (it.length < least.length ? it : least));
  const best = rarest.find(isAbout);
  return best ? { url: best.url, by: 'words' } : null;
}

// The pages by their keys, and those whose address holds a word, shortest address first.
export function addresses(queries) {
  const pages = new Map();
  for (const it of queries.values()) {
    for (const [key, page] of it.pages) {
      if (pages.has(key)) continue;
      const path = key.slice(key.indexOf('/'));
      pages.set(key, { key, url: page.url, words: new Set(wordsOf(decoded(path).replace(/[-_/.+]/g, ' '))) });
    }
  }
  const holding = new Map();
  for (const page of [...pages.values()].sort((one, other) => one.key.length - other.key.length || (one.key < other.key ? -1 : 1))) {
    for (const word of page.words) {
      const others = holding.get(word);
      if (others) others.push(page); else holding.set(word, [page]);
    }
  }
  return { pages, holding };
}

function decoded(path) {
  try { return decodeURIComponent(path); } catch { return path; }
}

// The days to ask for where the server names none of itself: of what was imported, what ends last. Rows of days are
// read by four weeks, a period that was told as a whole only counts as a whole. Null where no searches were imported.
const DAYS = 28;
export function newestDays(imported) {
  const ofSearches = imported.filter((it) => it.cut.startsWith('query'));
  if (ofSearches.length === 0) return null;
  const newest = ofSearches.reduce((latest, it) => (it.to > latest.to ? it : latest));
  if (newest.days === null) return { from: newest.from, to: newest.to };
  const begin = new Date(Date.parse(newest.to) - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
  return { from: begin > newest.from ? begin : newest.from, to: newest.to };
}
