// Parses and evaluates the keyword research response. A missing figure is null, never 0. No DOM access.
import { suggestKeywords } from './ai_suggestions.js';
import { demand, lastTwelve, opportunity, priorities } from './priority.js';
import { containsBrand, normalized } from './words.js';

const number = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const word = (value) => (typeof value === 'string' && value !== '' ? value : null);

// The cost per click is a number, or an object with range and currency.
export function parsePrice(cpc, currency = null) {
  if (typeof cpc === 'number') return { amount: number(cpc), low: null, high: null, currency };
  return { amount: number(cpc?.amount), low: number(cpc?.low), high: number(cpc?.high), currency: word(cpc?.currency) ?? currency };
}

export function parseIntent(intent) {
  if (typeof intent === 'string') return { main: intent, secondary: [], confidence: null };
  const secondary = [intent?.secondary ?? []].flat().map((it) => word(it?.intent ?? it)).filter(Boolean);
  return { main: word(intent?.main), secondary, confidence: number(intent?.confidence) };
}

export function parseTrend(trend) {
  return lastTwelve((trend ?? []).filter((it) => Number.isInteger(it?.year) && Number.isInteger(it?.month)).map((it) => ({ year: it.year, month: it.month, volume: number(it.volume) })));
}

export function readAnswer(answer) {
  const cpc = parsePrice(answer.cpc);
  return {
    ...answer,
    searchVolume: number(answer.searchVolume),
    cpc,
    competition: number(answer.competition),
    difficulty: number(answer.difficulty),
    intent: parseIntent(answer.intent),
    trend: parseTrend(answer.trend),
    change: { month: number(answer.trendChange?.month), quarter: number(answer.trendChange?.quarter), year: number(answer.trendChange?.year) },
    features: Array.isArray(answer.serpFeatures) ? answer.serpFeatures : null,
    overview: typeof answer.aiOverviewLikely === 'boolean' ? answer.aiOverviewLikely : null,
    ideas: (answer.ideas ?? []).map((it) => readIdea(it, cpc.currency)),
  };
}

function readIdea(idea, currency) {
  const cpc = parsePrice(idea.cpc, currency);
  return {
    keyword: idea.keyword,
    key: normalized(idea.keyword),
    relation: word(idea.relation),
    searchVolume: number(idea.searchVolume),
    cpc: cpc.amount,
    currency: cpc.currency,
    competition: number(idea.competition),
    difficulty: number(idea.difficulty),
    intent: parseIntent(idea.intent).main,
    trend: parseTrend(idea.trend),
    overview: typeof idea.aiOverviewLikely === 'boolean' ? idea.aiOverviewLikely : null,
  };
}

// The keyword as the first idea, with more data.
function originalAsIdea(answer) {
  const { keyword, searchVolume, cpc, competition, difficulty, intent, trend, overview, features } = answer;
  return { keyword, key: normalized(keyword), relation: 'itself', searchVolume, cpc: cpc.amount, currency: cpc.currency, competition, difficulty, intent: intent.main, trend, overview, features };
}

// Each idea with opportunity, score and suggestion. `status`: keyword-status of the project, null without a project.
export function evaluateIdeas(answer, { status = null, brands = [], aiLeft = null } = {}) {
  const candidates = [originalAsIdea(answer), ...answer.ideas];
  const known = new Map((status ?? []).map((it) => [normalized(it.text), it]));
  const currencies = new Set(candidates.map((it) => it.currency).filter(Boolean));
  const ideas = candidates.map((idea) => {
    const tracked = known.get(idea.key);
    const layout = { features: idea.features ?? [], overview: idea.overview, intent: idea.intent };
    const demandTrend = demand(idea.trend);
    const found = opportunity({
      volume: idea.searchVolume,
      difficulty: idea.difficulty,
      position: tracked?.position ?? null,
      // Measured without a position: not ranked.
      measured: Boolean(tracked?.measuredAt),
      branded: containsBrand(idea.keyword, brands),
      layout,
    });
    return {
      ...idea,
      inProject: status === null ? null : tracked !== undefined,
      aiTracked: tracked?.aiTracked ?? null,
      position: tracked?.position ?? null,
      page: tracked?.page ?? null,
      demandTrend,
      opportunity: found,
    };
  });
  const scores = priorities(ideas.map((it) => ({
    opportunity: it.opportunity.clicks,
    // Prices in different currencies are not comparable.
    cpc: currencies.size > 1 ? null : it.cpc,
    intent: it.intent,
    trend: it.demandTrend?.trend ?? null,
  })));
  const advice = suggestKeywords(ideas, { language: answer.language?.code ?? 'en', brands, left: aiLeft });
  return ideas.map((it, index) => ({ ...it, priority: scores[index], score: scores[index].score, advice: advice[index] }));
}

export const RELATIONS = { itself: 'Your keyword', question: 'Question', related: 'Related', phrase: 'Phrase', alsoAsk: 'People also ask' };

const RULES = {
  text: (it, text) => text === '' || it.key.includes(text),
  relation: (it, relation) => !relation || it.relation === relation,
  intent: (it, intent) => !intent || it.intent === intent,
  minVolume: (it, minVolume) => minVolume === null || (it.searchVolume !== null && it.searchVolume >= minVolume),
  maxDifficulty: (it, maxDifficulty) => maxDifficulty === null || (it.difficulty !== null && it.difficulty <= maxDifficulty),
  only: (it, only) => !only || (only === 'suggested' ? it.advice.suggested : only === 'new' ? it.inProject !== true : it.inProject === true),
};

export function matchesFilter(idea, filter) {
  return Object.entries(filter).every(([name, wanted]) => RULES[name](idea, name === 'text' ? normalized(wanted) : wanted));
}

const HEADER = ['keyword', 'relation', 'score', 'searchVolume', 'opportunityClicks', 'difficulty', 'cpc', 'currency', 'competition', 'intent', 'trendPerYear', 'inProject', 'aiSuggested'];
export function ideasTable(ideas) {
  const rounded = (value, digits) => (value === null || value === undefined ? null : Number(value.toFixed(digits)));
  return { header: HEADER, rows: ideas.map((it) => [it.keyword, it.relation, rounded(it.score, 1), it.searchVolume, rounded(it.opportunity.clicks, 1), it.difficulty, it.cpc, it.currency, it.competition, it.intent, rounded(it.demandTrend?.trend ?? null, 4), it.inProject, it.advice.suggested]) };
}
