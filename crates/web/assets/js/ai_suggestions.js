// Which keywords to measure in AI answers, why, and how much of the quota that takes. No DOM access.
import { downwards } from './priority.js';
import { comparingWord, containsBrand, isQuestion, normalized } from './words.js';

// A single sign may be chance.
export const MIN_SIGNALS = 2;
const QUOTA_PER_KEYWORD = 1;

export function signalsFor(idea, language) {
  const signals = [];
  const question = idea.relation === 'question' || idea.relation === 'alsoAsk' || isQuestion(idea.keyword, language);
  if (question) signals.push({ name: 'question', text: 'It is a question.' });
  if (idea.intent === 'informational') signals.push({ name: 'intent', text: 'Whoever searches it wants to know something.' });
  if (idea.intent === 'commercial') signals.push({ name: 'intent', text: 'Whoever searches it compares before buying.' });
  if (idea.overview === true) signals.push({ name: 'overview', text: 'An AI overview is likely on its results page.' });
  const word = comparingWord(idea.keyword, language);
  if (word) signals.push({ name: 'compares', text: `It asks for a choice (“${word}”).` });
  return signals;
}

// A reason against it, or null.
export function findObjection(idea, brands) {
  if (idea.aiTracked === true) return { name: 'measured', text: 'It is measured already.' };
  if (containsBrand(idea.keyword, brands)) return { name: 'brand', text: 'It holds a brand’s name: who asks for it knows whom to find.' };
  if (idea.intent === 'navigational') return { name: 'navigational', text: 'Whoever searches it wants one certain site.' };
  return null;
}

// Most signs first, then most searches, up to the remaining quota. `left` null: unknown, so there is no limit.
export function suggestKeywords(ideas, { language, brands = [], left = null }) {
  const found = ideas.map((idea) => ({ idea, signals: signalsFor(idea, language), objection: findObjection(idea, brands) }));
  const eligible = found.filter((it) => it.objection === null && it.signals.length >= MIN_SIGNALS).sort((one, other) =>
    other.signals.length - one.signals.length ||
    downwards(one.idea.searchVolume, other.idea.searchVolume) ||
    (normalized(one.idea.keyword) < normalized(other.idea.keyword) ? -1 : 1));
  const ranks = new Map(eligible.map((it, index) => [it.idea, index]));
  return found.map((it) => {
    const rank = ranks.get(it.idea);
    const isEligible = rank !== undefined;
    const fits = isEligible && (left === null || rank < Math.floor(left / QUOTA_PER_KEYWORD));
    return { ...it, eligible: isEligible, suggested: fits, quota: QUOTA_PER_KEYWORD, quotaBefore: isEligible && left !== null ? Math.max(left - rank * QUOTA_PER_KEYWORD, 0) : null };
  });
}

export function explainSuggestion({ signals, objection, eligible, suggested, quota, quotaBefore }) {
  if (objection) return objection.text;
  const reasons = signals.map((it) => it.text).join(' ');
  if (!eligible) return `${reasons || 'Nothing speaks for it.'} ${signals.length} of at least ${MIN_SIGNALS} signs.`.trim();
  const takes = `Takes ${quota} place of the allowance`;
  if (!suggested) return `${reasons} But no place of the allowance is left.`;
  return quotaBefore === null ? `${reasons} ${takes}.` : `${reasons} ${takes}, ${quotaBefore - quota} would be left.`;
}
