// Saving many keywords into a project: quota, request body, outcomes. No DOM access.
import { normalised } from './words.js';

export const MOST_AT_ONCE = 1000;
const MOST_CHARACTERS = 200;
const MOST_WORDS = 20;

// The remaining quota of the account and of the project; null is unknown.
export function leftOf(quotas, keywordsPerProject, keywordCount) {
  const left = (name) => {
    const quota = quotas?.find((it) => it.name === name);
    return quota && quota.limit !== null ? Math.max(quota.limit - quota.used, 0) : null;
  };
  const account = left('keywords');
  const own = keywordsPerProject !== undefined && keywordsPerProject !== null && keywordCount !== null ? Math.max(keywordsPerProject - keywordCount, 0) : null;
  const known = [account, own].filter((it) => it !== null);
  return { keywords: known.length ? Math.min(...known) : null, account, project: own, ai: left('aiTracked') };
}

// Merges equal texts; AI answers are measured if any of them asks for it.
export function distinct(chosen) {
  const found = new Map();
  for (const it of chosen) {
    const key = normalised(it.text);
    if (key === '') continue;
    const before = found.get(key);
    if (before) before.aiTracked ||= it.aiTracked;
    else found.set(key, { text: it.text.trim(), aiTracked: Boolean(it.aiTracked) });
  }
  return [...found.values()];
}

// `tracked` maps the normalized texts of a project's keywords to whether AI answers are measured for them.
export function counted(chosen, tracked, left) {
  const all = distinct(chosen);
  const fresh = all.filter((it) => !tracked.has(normalised(it.text)));
  const ai = fresh.filter((it) => it.aiTracked);
  const after = (limit, taken) => (limit === null ? null : limit - taken);
  const keywordsAfter = after(left.keywords, fresh.length);
  const aiAfter = after(left.ai, ai.length);
  return {
    chosen: all.length,
    already: all.length - fresh.length,
    places: fresh.length,
    aiPlaces: ai.length,
    keywordsAfter,
    aiAfter,
    fits: (keywordsAfter === null || keywordsAfter >= 0) && (aiAfter === null || aiAfter >= 0),
    tooMany: all.length > MOST_AT_ONCE,
  };
}

// Checks what the server would refuse; null if the text is valid.
export function fault(text) {
  const shown = text.trim();
  if (shown === '') return 'It is empty.';
  if ([...shown].length > MOST_CHARACTERS) return `It is longer than ${MOST_CHARACTERS} characters.`;
  if (shown.split(/\s+/u).length > MOST_WORDS) return `It has more than ${MOST_WORDS} words.`;
  return null;
}

// Without a market the server uses its default. `searchId` keeps the metrics of the search with the keywords.
export function bodyOf(chosen, mode, market = null, searchId = null) {
  const keywords = distinct(chosen);
  return { keywords, mode, ...(market && { market: { country: market.country, language: market.language } }), ...(searchId && { searchId }) };
}

// The validation errors by keyword text: people do not see list indexes.
export function faults(chosen, errors) {
  const sent = distinct(chosen);
  const found = [];
  for (const it of errors ?? []) {
    const place = /\/keywords\/(\d+)/.exec(it.pointer ?? '')?.[1];
    const text = place === undefined ? undefined : sent[Number(place)]?.text;
    if (text !== undefined) found.push({ text, outcome: 'refused', code: it.code ?? null, detail: it.detail ?? it.message ?? it.code });
  }
  return found;
}

export const OUTCOMES = { added: 'Added', reactivated: 'Restored', alreadyTracked: 'Already tracked', refused: 'Refused' };

// The response's counts take precedence: its list of items may be truncated.
export function outcomes(items, answer = {}) {
  const counts = Object.fromEntries(Object.keys(OUTCOMES).map((name) => [name, 0]));
  for (const it of items) counts[it.outcome] = (counts[it.outcome] ?? 0) + 1;
  for (const name of Object.keys(OUTCOMES)) counts[name] = answer[name] ?? counts[name];
  const told = Object.entries(counts).filter(([, count]) => count > 0).map(([name, count]) => `${count} ${(OUTCOMES[name] ?? name).toLowerCase()}`);
  return { counts, told: told.length ? `${told.join(', ')}.` : 'Nothing was saved.' };
}
