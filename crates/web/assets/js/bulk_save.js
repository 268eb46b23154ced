// Saving many keywords into a project: quota, request body, outcomes. No DOM access.
import { normalized } from './words.js';

export const MAX_PER_REQUEST = 1000;
const MAX_CHARACTERS = 200;
const MAX_WORDS = 20;

// The remaining quota of the account and of the project; null is unknown.
export function remainingQuota(quotas, keywordsPerProject, keywordCount) {
  const left = (name) => {
    const quota = quotas?.find((it) => it.name === name);
    return quota && quota.limit !== null ? Math.max(quota.limit - quota.used, 0) : null;
  };
  const account = left('keywords');
  const own = keywordsPerProject !== undefined && keywordsPerProject !== null && keywordCount !== null ? Math.max(keywordsPerProject - keywordCount, 0) : null;
  const known = [account, own].filter((it) => it !== null);
  return { keywords: known.length ? Math.min(...known) : null, account, project: own, ai: left('aiTracked') };
}

// Merges equal texts; AI answers are measured if any of them requests it.
export function mergeEqual(chosen) {
  const found = new Map();
  for (const it of chosen) {
    const key = normalized(it.text);
    if (key === '') continue;
    const before = found.get(key);
    if (before) before.aiTracked ||= it.aiTracked;
    else found.set(key, { text: it.text.trim(), aiTracked: Boolean(it.aiTracked) });
  }
  return [...found.values()];
}

// `tracked` maps the normalized texts of a project's keywords to whether AI answers are measured for them.
export function countQuota(chosen, tracked, left) {
  const all = mergeEqual(chosen);
  const fresh = all.filter((it) => !tracked.has(normalized(it.text)));
  const ai = fresh.filter((it) => it.aiTracked);
  const after = (limit, used) => (limit === null ? null : limit - used);
  const keywordsAfter = after(left.keywords, fresh.length);
  const aiAfter = after(left.ai, ai.length);
  return {
    chosen: all.length,
    already: all.length - fresh.length,
    keywordsTaken: fresh.length,
    aiTaken: ai.length,
    keywordsAfter,
    aiAfter,
    fits: (keywordsAfter === null || keywordsAfter >= 0) && (aiAfter === null || aiAfter >= 0),
    tooMany: all.length > MAX_PER_REQUEST,
  };
}

// Checks what the server would refuse; null if the text is valid.
export function validate(text) {
  const shown = text.trim();
  if (shown === '') return 'It is empty.';
  if ([...shown].length > MAX_CHARACTERS) return `It is longer than ${MAX_CHARACTERS} characters.`;
  if (shown.split(/\s+/u).length > MAX_WORDS) return `It has more than ${MAX_WORDS} words.`;
  return null;
}

// Without a market the server uses its default. `searchId` keeps the metrics of the search with the keywords.
export function buildBody(chosen, mode, market = null, searchId = null) {
  const keywords = mergeEqual(chosen);
  return { keywords, mode, ...(market && { market: { country: market.country, language: market.language } }), ...(searchId && { searchId }) };
}

// The validation errors by keyword text: people do not see list indexes.
export function keywordErrors(chosen, errors) {
  const sent = mergeEqual(chosen);
  const found = [];
  for (const it of errors ?? []) {
    const index = /\/keywords\/(\d+)/.exec(it.pointer ?? '')?.[1];
    const text = index === undefined ? undefined : sent[Number(index)]?.text;
    if (text !== undefined) found.push({ text, outcome: 'refused', code: it.code ?? null, detail: it.detail ?? it.message ?? it.code });
  }
  return found;
}

export const OUTCOMES = { added: 'Added', reactivated: 'Restored', alreadyTracked: 'Already tracked', refused: 'Refused' };

// The response's counts take precedence: its list of items may be truncated.
export function countOutcomes(items, answer = {}) {
  const counts = Object.fromEntries(Object.keys(OUTCOMES).map((name) => [name, 0]));
  for (const it of items) counts[it.outcome] = (counts[it.outcome] ?? 0) + 1;
  for (const name of Object.keys(OUTCOMES)) counts[name] = answer[name] ?? counts[name];
  const parts = Object.entries(counts).filter(([, count]) => count > 0).map(([name, count]) => `${count} ${(OUTCOMES[name] ?? name).toLowerCase()}`);
  return { counts, text: parts.length ? `${parts.join(', ')}.` : 'Nothing was saved.' };
}
