// Keyword priority, as in crates/search/src/keyword_metrics. Unknown values are null, left out, and named. No DOM access.
import { expectedCtr } from './clicks.js';
import { PRIORITY } from './formulas.js';
import { normalized } from './words.js';

export const WEIGHTS = PRIORITY.weights;

const isKnown = (value) => value !== null && value !== undefined;

// Theil–Sen slope: the median of all pairwise slopes; null below two values.
export function slope(values) {
  const slopes = [];
  for (let i = 0; i < values.length; i += 1) {
    for (let j = i + 1; j < values.length; j += 1) {
      if (isKnown(values[i]) && isKnown(values[j])) slopes.push((values[j] - values[i]) / (j - i));
    }
  }
  if (slopes.length === 0) return null;
  slopes.sort((a, b) => a - b);
  const half = slopes.length >> 1;
  return slopes.length % 2 === 1 ? slopes[half] : (slopes[half - 1] + slopes[half]) / 2;
}

// The twelve months up to the latest one; a month without data is null, not 0.
export function lastTwelve(trend) {
  if (!trend?.length) return [];
  const at = ({ year, month }) => year * 12 + month - 1;
  const known = new Map(trend.map((it) => [at(it), it.volume ?? null]));
  const last = Math.max(...known.keys());
  return Array.from({ length: 12 }, (_, index) => {
    const place = last - 11 + index;
    return { year: Math.floor(place / 12), month: (place % 12) + 1, volume: known.get(place) ?? null };
  });
}

// Yearly growth relative to the mean, from -1 to 1; null below six months or without searches.
export function demand(trend) {
  const months = lastTwelve(trend);
  const known = months.filter((it) => it.volume !== null);
  const mean = known.reduce((sum, it) => sum + it.volume, 0) / known.length;
  if (known.length < PRIORITY.minMonths || !(mean > 0)) return null;
  const monthly = slope(months.map((it) => it.volume));
  const max = Math.max(...known.map((it) => it.volume));
  const isFlat = known.every((it) => it.volume === max);
  return {
    slope: monthly,
    mean,
    months: known.length,
    trend: Math.min(Math.max((12 * monthly) / mean, -1), 1),
    peakMonth: isFlat ? null : months.find((it) => it.volume === max).month,
  };
}

// Additional monthly clicks at the target position. An unmeasured position counts as not ranked (`assumed`).
export function opportunity({ volume, difficulty, position = null, measured = false, branded = false, layout = {} }) {
  const target = branded ? PRIORITY.brandedTarget : PRIORITY.target;
  const aimed = expectedCtr(target, layout);
  const now = expectedCtr(position, layout);
  const isReached = position !== null && position <= target;
  const gain = isReached ? 0 : Math.max(aimed.value - now.value, 0);
  const ease = isKnown(difficulty) ? Math.sqrt(1 - Math.min(Math.max(difficulty, 0), 100) / 100) : null;
  const clicks = isKnown(volume) && ease !== null ? volume * gain * ease : null;
  return { clicks, volume: volume ?? null, target, aimed, now, gain, ease, difficulty: difficulty ?? null, position, assumed: !measured };
}

// Opportunity and cost per click are relative to the list's largest, so scores compare only within a list. Null
// without an opportunity.
export function priorities(list) {
  const largest = (name) => list.reduce((max, it) => (isKnown(it[name]) ? Math.max(max, it[name]) : max), 0);
  const max = { opportunity: largest('opportunity'), cpc: largest('cpc') };
  return list.map((it) => priority(it, max));
}

function priority(it, max) {
  const share = (name) => (isKnown(it[name]) ? (max[name] > 0 ? Math.min(Math.max(it[name] / max[name], 0), 1) : 0) : null);
  const parts = [
    { name: 'opportunity', known: it.opportunity, max: max.opportunity, value: share('opportunity') },
    { name: 'cpc', known: it.cpc, max: max.cpc, value: share('cpc') },
    { name: 'intent', known: it.intent, value: PRIORITY.intents[it.intent] ?? null },
    { name: 'trend', known: it.trend, value: isKnown(it.trend) ? (Math.min(Math.max(it.trend, -1), 1) + 1) / 2 : null },
  ];
  const weights = parts.reduce((sum, part) => sum + (part.value === null ? 0 : WEIGHTS[part.name]), 0);
  for (const part of parts) {
    part.known ??= null;
    part.weight = WEIGHTS[part.name];
    part.points = part.value === null ? null : (100 * part.weight * part.value) / weights;
  }
  const missing = parts.filter((part) => part.value === null).map((part) => part.name);
  const score = parts[0].value === null ? null : parts.reduce((sum, part) => sum + (part.points ?? 0), 0);
  return { score, parts, missing, weights };
}

// Highest first, unknown last; ties by volume, then text, for a stable order.
export function byPriority(one, other) {
  return downwards(one.score, other.score) || downwards(one.searchVolume, other.searchVolume) || byText(one.keyword, other.keyword);
}

export function downwards(one, other) {
  if (!isKnown(one) || !isKnown(other)) return Number(isKnown(other)) - Number(isKnown(one));
  return other - one;
}

function byText(one, other) {
  const [a, b] = [normalized(one), normalized(other)];
  return a < b ? -1 : Number(a > b);
}
