// A project's keywords and positions, as read from the API. No DOM access.
import { normalized } from './words.js';

const known = (value) => value ?? null;

export function readStatus(it) {
  return {
    keywordId: known(it.keywordId),
    text: it.keyword ?? it.text ?? '',
    country: known(it.country),
    language: known(it.language),
    device: known(it.device),
    location: known(it.location),
    targetUrl: known(it.targetUrl),
    aiTracked: it.aiTracked === true,
    position: known(it.position),
    best: known(it.bestPosition ?? it.best),
    daysMeasured: it.daysMeasured ?? 0,
    page: known(it.page),
    searchVolume: known(it.searchVolume),
    measuredAt: known(it.measuredAt),
  };
}

// The same text in another market is another keyword.
export function inMarket(it, market) {
  if (!market || it.country === null || it.language === null) return true;
  return it.country.toLowerCase() === market.country.toLowerCase() && it.language.toLowerCase() === market.language.toLowerCase();
}

// The most common market of the keywords; null if none is known.
export function mostCommonMarket(status) {
  const counts = new Map();
  for (const { country, language } of status) {
    if (country === null || language === null) continue;
    const name = `${country} ${language}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const mostCommon = [...counts].reduce((best, it) => (best === null || it[1] > best[1] ? it : best), null);
  if (mostCommon === null) return null;
  const [country, language] = mostCommon[0].split(' ');
  return { country, language };
}

// One keyword per text: Search Console and content plans have neither markets nor devices. Prefers the market, then
// desktop, then no location.
export function onePerText(status, market) {
  const rank = (it) => 4 * Number(inMarket(it, market)) + 2 * Number(it.device !== 'mobile') + Number(it.location === null);
  const found = new Map();
  for (const it of status) {
    const key = normalized(it.text);
    const before = found.get(key);
    if (before === undefined || rank(it) > rank(before)) found.set(key, it);
  }
  return [...found.values()];
}

// Normalized text to whether AI answers are measured, for keywords in the market.
export const trackedTexts = (status, market) => new Map(status.filter((it) => inMarket(it, market)).map((it) => [normalized(it.text), it.aiTracked]));
