// Searches by month as a bar chart with a table, and as a sparkline.
import { el, svg } from './dom.js';
import { numberText } from './localize.js';

const WIDTH = 1000;
const HEIGHT = 400;
const GAP = 0.28;

export const monthName = ({ year, month }, width = 'short') => new Intl.DateTimeFormat(undefined, { month: width, year: width === 'long' ? 'numeric' : undefined, timeZone: 'UTC' }).format(Date.UTC(year, month - 1, 15));

// The next larger of 1, 2, 2.5, 5 and 10 times a power of ten.
export function niceMaximum(value) {
  if (!(value > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((it) => it * size).find((it) => it >= value * (1 - 1e-9));
}

export function trendChart(months, { title, description, peaks = [] }) {
  const max = niceMaximum(Math.max(...months.map((it) => it.volume ?? 0)));
  const slot = WIDTH / months.length;
  const bars = months.map((it, index) => {
    if (it.volume === null) return null;
    const height = Math.max((it.volume / max) * HEIGHT, it.volume > 0 ? 3 : 0);
    return svg('rect', { class: peaks.includes(it.month) ? 'f2' : 'f1', x: (index + GAP / 2) * slot, y: HEIGHT - height, width: (1 - GAP) * slot, height }, svg('title', {}, `${monthName(it, 'long')}: ${numberText(it.volume, 0)}`));
  });
  const steps = [1, 0.75, 0.5, 0.25, 0];
  const rules = steps.map((it) => svg('path', { class: 'grid', d: `M0 ${HEIGHT * (1 - it)}H${WIDTH}` }));
  const rows = months.map((it) => el('tr', {}, el('th', { scope: 'row' }, monthName(it, 'long')), el('td', { class: 'r' }, it.volume === null ? 'not known' : numberText(it.volume, 0))));
  return el('figure', { class: 'chart' },
    el('figcaption', { class: 'out' }, `${title}. ${description}`),
    peaks.length ? el('ul', { class: 'key' }, key('f1', 'Searches'), key('f2', 'Most searched months')) : null,
    el('div', { class: 'plot' },
      el('div', { class: 'ys', 'aria-hidden': 'true' }, steps.map((it) => el('span', {}, compact(it * max)))),
      svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}. ${description}` }, rules, bars.filter(Boolean)),
      el('div', { class: 'xs months', 'aria-hidden': 'true' }, months.map((it) => el('span', {}, monthName(it))))),
    el('details', { class: 'twin' }, el('summary', {}, 'The same as a table'), el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title }, el('table', {}, el('caption', {}, title), el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Month'), el('th', { scope: 'col', class: 'r' }, 'Searches'))), el('tbody', {}, rows)))));
}

const key = (color, text) => el('li', {}, svg('svg', { viewBox: '0 0 12 12', 'aria-hidden': 'true' }, svg('rect', { width: 12, height: 12, rx: 3, class: color })), text);
const compact = (value) => new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

// SVG path data, interrupted at unknown months.
export function linePath(months) {
  const max = Math.max(...months.map((it) => it.volume ?? 0));
  let path = '';
  let isDown = false;
  months.forEach((it, index) => {
    if (it.volume === null) { isDown = false; return; }
    const y = max > 0 ? HEIGHT - (it.volume / max) * HEIGHT : HEIGHT;
    path += `${isDown ? 'L' : 'M'}${Math.round((index / Math.max(months.length - 1, 1)) * WIDTH)} ${Math.round(y)}`;
    isDown = true;
  });
  return path;
}

export function sparkline(months) {
  const path = linePath(months);
  return path === '' ? null : svg('svg', { class: 'spark', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, svg('path', { class: 'l c1', d: path }));
}
