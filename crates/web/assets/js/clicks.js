// Which share of searches clicks a result: the published curve of crates/search/src/ctr/mod.rs, corrected for what stands
// on the page. No part of it knows the page's document.
import { CLICKS } from './formulas.js';

export const CURVE = CLICKS.curve;

const at = (list, position) => list[Math.min(Math.round(position), list.length) - 1];

// A position that is null is no position: nobody clicks what is not there.
export function ctr(position) {
  return position === null || position < 1 || position > CLICKS.rates.length ? 0 : at(CLICKS.rates, position);
}

// The layout as far as it is known: `features` may be incomplete, `overview` null is unknown. The strongest feature
// alone counts: layouts are classes, not factors.
export function expectedCtr(position, { features = [], overview = null, intent = null } = {}) {
  const curve = ctr(position);
  const known = features.filter((it) => CLICKS.left[it] !== undefined);
  const layout = known.reduce((least, it) => Math.min(least, CLICKS.left[it]), 1);
  const takes = overview === true && (intent === null || intent === 'informational') && curve > 0;
  const ai = takes ? at(CLICKS.leftUnderOverview, position) : 1;
  return { value: Math.min(Math.max(curve * layout * ai, 0), CLICKS.most), curve, layout, overview: ai };
}
