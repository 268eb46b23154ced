// Metrics of a keyword, its searches by month, and its results page.
import { changeBadge, count, el, figure, moment, money, moneyText, percentText, simulatedBanner, tag, unknown } from './dom.js';
import { numberText } from './localize.js';
import { monthName, trendChart } from './trend_chart.js';

const nameOf = (it) => it?.name ?? it ?? '';
const splitCode = (code) => code.replace(/[_-]/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().replace(/^ai\b/, 'AI');
const capitalize = (code) => splitCode(code).replace(/^./u, (letter) => letter.toUpperCase());
const METHODS = { links: 'from links to the first ten', proxy: 'estimated from the results page', supplier: 'as the supplier tells it' };

export function overview(answer) {
  return [
    answer.provenance === 'simulated' ? simulatedBanner() : null,
    el('header', { class: 'head' },
      el('h2', { class: 'title', tabindex: '-1' }, `“${answer.keyword}”`),
      el('p', { class: 'measured' },
        el('span', {}, 'Searched in ', el('b', {}, `${nameOf(answer.location)}, ${nameOf(answer.language)}`)),
        el('span', {}, 'Received ', el('b', {}, moment(answer.cachedAt, 'ago'))),
        el('span', {}, 'by ', el('b', {}, answer.provider ?? 'a supplier'), answer.provenance ? ` (${answer.provenance})` : ''),
        el('span', {}, answer.cached ? 'from your earlier searches: it took nothing of the month' : 'it took one search of the month'),
        answer.expiresAt ? el('span', {}, 'kept until ', el('b', {}, moment(answer.expiresAt, 'day'))) : null)),
    tiles(answer),
    el('div', { class: 'split' }, searchesByMonth(answer), demandAndFeatures(answer)),
  ].filter(Boolean);
}

const tile = (label, value, note, first = false) => el('div', { class: first ? 'stat first' : 'stat' }, el('dt', {}, label), el('dd', { class: typeof value === 'string' ? 'word' : null }, value), note ? el('dd', { class: 'note' }, note) : null);

function tiles(answer) {
  const { cpc, intent } = answer;
  const range = cpc.low !== null && cpc.high !== null ? `between ${moneyText(cpc.low, cpc.currency)} and ${moneyText(cpc.high, cpc.currency)}` : 'what advertisers pay';
  const method = answer.difficultyMethod ? METHODS[answer.difficultyMethod] ?? splitCode(answer.difficultyMethod) : null;
  const advertisers = { low: 'few advertisers', medium: 'some advertisers', high: 'many advertisers' };
  const details = [intent.confidence === null ? null : `${percentText(intent.confidence)} sure`, intent.secondary.length ? `also ${intent.secondary.join(', ')}` : null].filter(Boolean).join(', ');
  return el('dl', { class: 'tiles' },
    tile('Searches a month', count(answer.searchVolume), 'mean of twelve months', true),
    tile('Difficulty', [figure(answer.difficulty, 0), answer.difficulty === null ? null : el('small', {}, ' of 100')], method ?? (answer.difficulty === null ? 'the supplier does not tell' : null)),
    tile('Cost per click', money(cpc.amount, cpc.currency), range),
    tile('Competition', answer.competitionLevel ? capitalize(answer.competitionLevel) : unknown(), answer.competition === null ? null : `${advertisers[answer.competitionLevel] ?? 'advertisers'}, ${numberText(answer.competition, 2)} of 1`),
    tile('Intent', intent.main ? capitalize(intent.main) : unknown(), details || null));
}

function searchesByMonth(answer) {
  const known = answer.trend.filter((it) => it.volume !== null);
  const head = el('header', {}, el('div', {}, el('h2', {}, 'Searches by month'), el('p', {}, 'The last twelve months that are known.')));
  if (known.length === 0) return el('section', { class: 'card' }, head, el('p', { class: 'soft' }, 'The supplier does not tell how the searches are spread over the year.'));
  const highest = known.reduce((best, it) => (it.volume > best.volume ? it : best));
  const lowest = known.reduce((best, it) => (it.volume < best.volume ? it : best));
  const description = `Most in ${monthName(highest, 'long')} with ${numberText(highest.volume, 0)}, fewest in ${monthName(lowest, 'long')} with ${numberText(lowest.volume, 0)}.`;
  return el('section', { class: 'card' }, head, trendChart(answer.trend, { title: `Searches for “${answer.keyword}” by month`, description, peaks: answer.peakMonths ?? [] }));
}

function demandAndFeatures(answer) {
  const { change, features } = answer;
  const peaks = (answer.peakMonths ?? []).map((month) => monthName({ year: 2026, month }));
  const overviewTag = answer.overview === null ? unknown() : answer.overview ? tag('info', 'likely') : tag('', 'not likely');
  return el('section', { class: 'card page' },
    el('div', { class: 'stack' }, el('h2', {}, 'How demand moves'), el('dl', { class: 'pairs' },
      [['Against the month before', changeBadge(change.month)], ['Against the quarter before', changeBadge(change.quarter)], ['Against the year before', changeBadge(change.year)], ['Most searched in', peaks.length ? peaks.join(', ') : unknown()]].map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]))),
    el('div', { class: 'stack' }, el('h2', {}, 'On the results page'),
      el('dl', { class: 'pairs' }, el('dt', {}, 'AI overview'), el('dd', {}, overviewTag), el('dt', {}, 'Beside results'), el('dd', {}, features === null ? unknown() : features.length === 0 ? 'nothing' : el('span', { class: 'tags' }, features.filter((it) => it !== 'ai_overview').map((it) => tag('', splitCode(it))))))));
}
