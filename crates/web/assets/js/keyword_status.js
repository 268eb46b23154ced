// What a project's keywords are and where they stand, as the API tells it. No part of it knows the page's document.
import { normalised } from './words.js';

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

// A keyword is followed in a market; the same words in another one are another keyword.
export function inMarket(it, market) {
  if (!market || it.country === null || it.language === null) return true;
  return it.country.toLowerCase() === market.country.toLowerCase() && it.language.toLowerCase() === market.language.toLowerCase();
}

// The market that most keywords of a project have; null without any that tells.
export function usualMarket(status) {
  const counts = new Map();
  for (const { country, language } of status) {
    if (country === null || language === null) continue;
    const name = `${country} ${language}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const most = [...counts].reduce((best, it) => (best === null || it[1] > best[1] ? it : best), null);
  if (most === null) return null;
  const [country, language] = most[0].split(' ');
  return { country, language };
}

// One keyword for each text: Search Console and content plans know neither markets nor devices. That of the market goes
// first, then what is followed on desktop and in no certain place.
export function oneEach(status, market) {
  const rank = (it) => 4 * Number(inMarket(it, market)) + 2 * Number(it.device !== 'mobile') + Number(it.location === null);
  const found = new Map();
  for (const it of status) {
    const key = normalised(it.text);
    const before = found.get(key);
    if (before === undefined || rank(it) > rank(before)) found.set(key, it);
  }
  return [...found.values()];
}

// Whether AI answers are measured, by the normalised text of what is followed in a market.
export const trackedIn = (status, market) => new Map(status.filter((it) => inMarket(it, market)).map((it) => [normalised(it.text), it.aiTracked]));
