// Keyword ideas as a table, with filters, sorting, selection and details of each score.
import { explainSuggestion } from './ai_suggestions.js';
import { CURVE } from './clicks.js';
import { choice, count, el, field, figure, icon, money, moneyText, percentText, signedPercent, tag, unknown } from './dom.js';
import { numberText } from './localize.js';
import { PagedTable } from './paged_table.js';
import { byPriority } from './priority.js';
import { RELATIONS, matchesFilter } from './research_answer.js';
import { monthName, sparkline } from './trend_chart.js';

const PARTS = { opportunity: 'Opportunity', cpc: 'Cost per click', intent: 'Intent', trend: 'Trend' };
const SIGNALS = { question: 'question', intent: 'intent', overview: 'AI overview', compares: 'choice' };

const score = (it, table) => table.opener(it, `${it.keyword}: how its score of ${it.score === null ? 'unknown' : numberText(it.score, 0)} comes about`, it.score === null ? unknown() : el('b', {}, numberText(it.score, 0)), icon('info'));

function advice(it) {
  const { advice: found } = it;
  if (it.aiTracked) return el('span', { class: 'soft small' }, 'measured');
  if (!found.eligible) return noSuggestionReason(found);
  const signals = [...new Set(found.signals.map((signal) => SIGNALS[signal.name]))].join(', ');
  return el('span', {}, found.suggested ? tag('good', 'Suggested') : tag('warn', 'No place left'), el('span', { class: 'sub' }, signals));
}
const noSuggestionReason = (found) => el('span', { class: 'soft small' }, found.objection ? { measured: 'measured', brand: 'brand', navigational: 'one site' }[found.objection.name] : 'no');

function name(it) {
  return el('span', {}, it.keyword, el('span', { class: 'sub' }, [RELATIONS[it.relation], it.inProject ? 'in the project' : null, it.position ? `position ${numberText(it.position, 0)}` : null].filter(Boolean).join(' · ')));
}

function trend(it) {
  if (!it.demandTrend) return unknown();
  // The slope is capped at ±1.
  const end = Math.abs(it.demandTrend.trend) === 1 ? (it.demandTrend.trend > 0 ? '≥ ' : '≤ ') : '';
  return el('span', { class: 'beside' }, sparkline(it.trend), el('span', {}, end, signedPercent(it.demandTrend.trend)));
}

const COLUMNS = [
  { name: 'keyword', label: 'Keyword', value: (it) => it.keyword, cell: name },
  { name: 'score', label: 'Score', right: true, falls: true, value: (it) => it.score, cell: score },
  { name: 'volume', label: 'Searches a month', right: true, falls: true, value: (it) => it.searchVolume, cell: (it) => count(it.searchVolume) },
  { name: 'opportunity', label: 'Visits to win', right: true, falls: true, value: (it) => it.opportunity.clicks, cell: (it) => count(it.opportunity.clicks === null ? null : Math.round(it.opportunity.clicks)) },
  { name: 'difficulty', label: 'Difficulty', right: true, value: (it) => it.difficulty, cell: (it) => figure(it.difficulty, 0) },
  { name: 'cpc', label: 'Per click', right: true, falls: true, value: (it) => it.cpc, cell: (it) => money(it.cpc, it.currency) },
  { name: 'intent', label: 'Intent', value: (it) => it.intent, cell: (it) => (it.intent ? tag('', it.intent) : unknown()) },
  { name: 'trend', label: 'Slope a year', falls: true, value: (it) => it.demandTrend?.trend ?? null, cell: trend },
  { name: 'ai', label: 'AI answers', falls: true, value: (it) => (it.advice.eligible ? it.advice.signals.length : 0), cell: advice },
];

export class IdeasTable {
  constructor({ onSelect }) {
    this.filter = { text: '', relation: '', intent: '', minVolume: null, maxDifficulty: null, only: '' };
    this.table = new PagedTable({ caption: 'Keyword ideas', columns: COLUMNS, key: (it) => it.key, order: '-score', selectable: true, inner: scoreDetails, onSelect });
    const chosen = (name, pairs) => choice(name, pairs, '', { onchange: (event) => this.setFilter(name, event.target.value) });
    const number = (name, label) => field(label, el('input', { type: 'number', min: '0', inputmode: 'numeric', oninput: (event) => this.setFilter(name, event.target.value === '' ? null : Number(event.target.value)) }));
    this.countText = el('p', { class: 'soft small', role: 'status' });
    this.tools = el('div', { class: 'filter' },
      el('label', { class: 'field grow' }, el('span', {}, 'Filter ideas'), el('input', { type: 'search', maxlength: '200', oninput: (event) => this.setFilter('text', event.target.value) })),
      field('Kind', chosen('relation', [['', 'Any'], ...Object.entries(RELATIONS)])),
      field('Intent', chosen('intent', [['', 'Any'], ['informational', 'Informational'], ['commercial', 'Commercial'], ['transactional', 'Transactional'], ['navigational', 'Navigational']])),
      number('minVolume', 'Searches from'),
      number('maxDifficulty', 'Difficulty up to'),
      field('Show', chosen('only', [['', 'All'], ['suggested', 'Suggested for AI'], ['new', 'Not in the project'], ['tracked', 'In the project']])),
      this.table.sorter);
    this.node = el('div', {}, this.table.node);
  }

  show(ideas) {
    this.ideas = [...ideas].sort(byPriority);
    this.draw();
  }

  setFilter(name, value) {
    this.filter[name] = value;
    this.draw();
  }

  draw() {
    const rows = this.ideas.filter((it) => matchesFilter(it, this.filter));
    this.countText.textContent = rows.length === this.ideas.length ? `${numberText(rows.length, 0)} ${rows.length === 1 ? 'keyword' : 'keywords'}` : `${numberText(rows.length, 0)} of ${numberText(this.ideas.length, 0)} keywords`;
    this.table.show(rows, this.ideas);
  }
}

// All terms of the score, of the visits and of the suggestion.
export function scoreDetails(it) {
  return el('div', { class: 'apart-in-place' },
    el('section', {}, el('h3', {}, it.score === null ? 'No score' : `Score ${numberText(it.score, 1)} of 100`), scoreTerms(it)),
    el('section', {}, el('h3', {}, 'Visits to win a month'), visits(it)),
    el('section', {}, el('h3', {}, 'Slope of the year'), trendDetails(it), el('h3', {}, 'AI answers'), el('p', {}, explainSuggestion(it.advice))));
}

function scoreTerms({ score: total, priority }) {
  const descriptions = {
    opportunity: (part) => `${numberText(part.known, 0)} visits, the most are ${numberText(part.max, 0)}`,
    cpc: (part) => `${numberText(part.known, 2)}, the most is ${numberText(part.max, 2)}`,
    intent: (part) => part.known,
    trend: (part) => `${part.known > 0 ? '+' : ''}${percentText(part.known)} a year; steady is 0.5`,
  };
  const scale = priority.missing.length ? ` ÷ ${numberText(priority.weights, 1)}` : '';
  const sum = (part) => (part.value === null ? unknown() : total === null ? numberText(part.value, 2) : `${numberText(part.value, 2)} × ${numberText(100 * part.weight, 0)}${scale} = ${numberText(part.points, 1)}`);
  const pairs = priority.parts.map((part) => [el('dt', {}, el('b', {}, PARTS[part.name]), part.value === null ? null : el('span', { class: 'sub' }, descriptions[part.name](part))), el('dd', {}, sum(part))]);
  if (total !== null) pairs.push([el('dt', {}, 'Together'), el('dd', {}, el('b', {}, numberText(total, 1)))]);
  const note = total === null ? 'Without visits to win there is no score: its searches or its difficulty are not known.'
    : priority.missing.length ? `What is not known is left out, the weights of the rest (${numberText(priority.weights, 1)} of 1) are scaled up.`
      : 'It compares the ideas of this search, and nothing else.';
  return el('div', {}, el('dl', { class: 'pairs' }, pairs), el('p', { class: 'soft tiny' }, note));
}

function visits({ opportunity: it }) {
  const rate = (of) => {
    const factors = [of.layout === 1 ? null : `× ${numberText(of.layout, 3)} for what stands beside it`, of.overview === 1 ? null : `× ${numberText(of.overview, 2)} under an AI overview`].filter(Boolean);
    return factors.length ? `${percentText(of.curve)} ${factors.join(' ')} = ${percentText(of.value)}` : percentText(of.value);
  };
  const rows = [
    ['Searches a month', it.volume === null ? unknown() : numberText(it.volume, 0)],
    [`Clicks at position ${it.target}`, rate(it.aimed)],
    ['Clicks now', it.position === null ? `${percentText(0)}, ${it.assumed ? 'taken as not found yet' : 'not found'}` : `${rate(it.now)} at position ${numberText(it.position, 0)}`],
    ['Gain', percentText(it.gain)],
    ['Ease, √(1 − difficulty ÷ 100)', it.ease === null ? unknown() : numberText(it.ease, 3)],
    ['Searches × gain × ease', it.clicks === null ? unknown() : el('b', {}, numberText(it.clicks, 1))],
  ];
  return el('div', {}, el('dl', { class: 'pairs' }, rows.map(([label, value]) => [el('dt', {}, label), el('dd', {}, value)])),
    el('p', { class: 'soft tiny' }, `Click rates of curve ${CURVE}.${it.assumed ? ' Nobody has measured where you stand for it, so this is the most that can be won.' : ''}`));
}

function trendDetails({ demandTrend: it, currency, cpc }) {
  if (!it) return el('p', { class: 'soft' }, 'Fewer than six months are known.');
  return el('p', {}, `Median slope ${numberText(it.slope, 1)} searches a month × 12 ÷ mean ${numberText(it.mean, 0)} = ${it.trend > 0 ? '+' : ''}${percentText(it.trend)} a year, from ${it.months} months.${it.peakMonth ? ` Most searches in ${monthName({ year: 2026, month: it.peakMonth }, 'short')}.` : ''}${cpc === null ? '' : ` A click costs advertisers ${moneyText(cpc, currency)}.`}`);
}
