// Which share of searches clicks a result: curve ctr-v1 (SISTRIX 2020 for positions 1 to 10), corrected for
// what stands on the page. The same as crates/analysis/src/ctr.rs; no part of it knows the page's document.

const TOP_TEN = [0.285, 0.157, 0.11, 0.08, 0.072, 0.051, 0.04, 0.032, 0.028, 0.025];
const AT_ELEVEN = 0.009;
const AT_TWENTY = 0.0028;
const AT_THIRTY = 0.0005;
const BELOW = 0.0001;
const MOST = 0.95;
export const CURVE = 'ctr-v1';

// What a feature leaves to organic results. The strongest alone counts: layouts are classes, not factors.
const REDUCTIONS = { featured_snippet: 0.818, paid_top: 0.66, knowledge_panel: 0.586, shopping: 0.481 };
const UNDER_OVERVIEW = [0.42, 0.492, 0.536];
const UNDER_OVERVIEW_AT_TEN = 0.806;

// A position that is null is no position: nobody clicks what is not there.
export function ctr(position) {
  if (position === null || position < 1 || position > 100) return 0;
  const at = Math.round(position);
  if (at <= 10) return TOP_TEN[at - 1];
  if (at <= 20) return AT_ELEVEN * Math.exp((-Math.log(AT_ELEVEN / AT_TWENTY) / 9) * (at - 11));
  if (at <= 30) return AT_TWENTY * Math.exp((-Math.log(AT_TWENTY / AT_THIRTY) / 10) * (at - 20));
  return BELOW;
}

function underOverview(position) {
  const at = Math.round(position);
  if (at <= 3) return UNDER_OVERVIEW[at - 1];
  if (at >= 10) return UNDER_OVERVIEW_AT_TEN;
  return UNDER_OVERVIEW[2] + (UNDER_OVERVIEW_AT_TEN - UNDER_OVERVIEW[2]) * (Math.log(at / 3) / Math.log(10 / 3));
}

// The layout as far as it is known: `features` may be incomplete, `overview` null is unknown.
export function expectedCtr(position, { features = [], overview = null, intent = null } = {}) {
  const curve = ctr(position);
  const known = features.filter((it) => REDUCTIONS[it] !== undefined);
  const layout = known.reduce((least, it) => Math.min(least, REDUCTIONS[it]), 1);
  const takes = overview === true && (intent === null || intent === 'informational') && curve > 0;
  const ai = takes ? underOverview(position) : 1;
  return { value: Math.min(Math.max(curve * layout * ai, 0), MOST), curve, layout, overview: ai };
}
