// Which keywords to measure in AI answers, why, and how much of the quota that takes. No DOM access.
import { downwards } from './priority.js';
import { asks, comparing, namesBrand, normalised } from './words.js';

// A single sign may be chance.
export const LEAST_SIGNS = 2;
const PLACES_EACH = 1;

export function signsOf(idea, language) {
  const signs = [];
  const question = idea.relation === 'question' || idea.relation === 'alsoAsk' || asks(idea.keyword, language);
  if (question) signs.push({ name: 'question', told: 'It is a question.' });
  if (idea.intent === 'informational') signs.push({ name: 'intent', told: 'Whoever searches it wants to know something.' });
  if (idea.intent === 'commercial') signs.push({ name: 'intent', told: 'Whoever searches it compares before buying.' });
  if (idea.overview === true) signs.push({ name: 'overview', told: 'An AI overview is likely on its results page.' });
  const word = comparing(idea.keyword, language);
  if (word) signs.push({ name: 'compares', told: `It asks for a choice (“${word}”).` });
  return signs;
}

// A reason against it, or null.
export function objection(idea, brands) {
  if (idea.aiTracked === true) return { name: 'measured', told: 'It is measured already.' };
  if (namesBrand(idea.keyword, brands)) return { name: 'brand', told: 'It holds a brand’s name: who asks for it knows whom to find.' };
  if (idea.intent === 'navigational') return { name: 'navigational', told: 'Whoever searches it wants one certain site.' };
  return null;
}

// Most signs first, then most searches, up to the remaining quota. `left` null: unknown, so there is no limit.
export function suggestions(ideas, { language, brands = [], left = null }) {
  const found = ideas.map((idea) => ({ idea, signs: signsOf(idea, language), against: objection(idea, brands) }));
  const worthy = found.filter((it) => it.against === null && it.signs.length >= LEAST_SIGNS).sort((one, other) =>
    other.signs.length - one.signs.length ||
    downwards(one.idea.searchVolume, other.idea.searchVolume) ||
    (normalised(one.idea.keyword) < normalised(other.idea.keyword) ? -1 : 1));
  const ranks = new Map(worthy.map((it, index) => [it.idea, index]));
  return found.map((it) => {
    const rank = ranks.get(it.idea);
    const isWorthy = rank !== undefined;
    const fits = isWorthy && (left === null || rank < Math.floor(left / PLACES_EACH));
    return { ...it, worthy: isWorthy, suggested: fits, places: PLACES_EACH, leftBefore: isWorthy && left !== null ? Math.max(left - rank * PLACES_EACH, 0) : null };
  });
}

export function reason({ signs, against, worthy, suggested, places, leftBefore }) {
  if (against) return against.told;
  const why = signs.map((it) => it.told).join(' ');
  if (!worthy) return `${why || 'Nothing speaks for it.'} ${signs.length} of at least ${LEAST_SIGNS} signs.`.trim();
  const takes = `Takes ${places} place of the allowance`;
  if (!suggested) return `${why} But no place of the allowance is left.`;
  return leftBefore === null ? `${why} ${takes}.` : `${why} ${takes}, ${leftBefore - places} would be left.`;
}
