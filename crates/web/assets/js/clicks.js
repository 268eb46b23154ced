// Expected click-through rates: the published curve of crates/search/src/ctr/mod.rs, corrected for the page's features.
// No DOM access.
import { CLICKS } from './formulas.js';

export const CURVE = CLICKS.curve;

const at = (list, position) => list[Math.min(Math.round(position), list.length) - 1];

// A null position is not ranked: no clicks.
export function ctr(position) {
  return position === null || position < 1 || position > CLICKS.rates.length ? 0 : at(CLICKS.rates, position);
}

// `features` may be incomplete; `overview` null is unknown. Only the strongest feature counts: layouts are classes,
// not factors.
export function expectedCtr(position, { features = [], overview = null, intent = null } = {}) {
  const curve = ctr(position);
  const known = features.filter((it) => CLICKS.left[it] !== undefined);
  const layout = known.reduce((min, it) => Math.min(min, CLICKS.left[it]), 1);
  const isReduced = overview === true && (intent === null || intent === 'informational') && curve > 0;
  const ai = isReduced ? at(CLICKS.leftUnderOverview, position) : 1;
  return { value: Math.min(Math.max(curve * layout * ai, 0), CLICKS.max), curve, layout, overview: ai };
}
