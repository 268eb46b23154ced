// Builds DOM elements. Text is never parsed as HTML.
import { numberText, timeText } from './localize.js';

const SVG = 'http://www.w3.org/2000/svg';
const SPRITE = new URL('../sprite.svg', import.meta.url).pathname;

function build(it, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) it.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') it[name] = value;
    else it.setAttribute(name, value === true ? '' : String(value));
  }
  it.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return it;
}

export const el = (name, attributes = {}, ...children) => build(document.createElement(name), attributes, children);
export const svg = (name, attributes = {}, ...children) => build(document.createElementNS(SVG, name), attributes, children);
export const icon = (name) => svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('use', { href: `${SPRITE}#${name}` }));
export const tag = (kind, text) => el('span', { class: `tag ${kind}`.trim() }, text);
export const unknown = () => el('span', { class: 'soft', title: 'not known' }, el('span', { 'aria-hidden': 'true' }, '–'), el('span', { class: 'out' }, 'not known'));

const orUnknown = (value, shown) => (value === null || value === undefined ? unknown() : el('data', { value }, shown(value)));
export const count = (value) => orUnknown(value, (it) => numberText(it, 0));
export const figure = (value, digits) => orUnknown(value, (it) => numberText(it, digits));
export const percentText = (value) => `${numberText(100 * value, Math.abs(value) < 0.1995 && value !== 0 ? 1 : 0)} %`;
export const percent = (value) => orUnknown(value, percentText);
export const signedPercent = (value) => orUnknown(value, (it) => `${it > 0 ? '+' : ''}${numberText(100 * it, 0)} %`);
export const money = (amount, currency) => orUnknown(amount, (it) => moneyText(it, currency));
export function moneyText(amount, currency) {
  if (!/^[A-Za-z]{3}$/.test(currency ?? '')) return numberText(amount, 2);
  return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount);
}
export function moment(text, kind) {
  const time = new Date(text ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return unknown();
  return el('time', { datetime: text, title: new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' }).format(time) }, timeText(time, kind));
}

const displayName = (type, code) => { try { return new Intl.DisplayNames(undefined, { type }).of(type === 'region' ? code.toUpperCase() : code) ?? code; } catch { return code; } };
export const regionName = (code) => displayName('region', code);
export const languageName = (code) => displayName('language', code);

// The direction as sign, word and color. Whether growth is good is up to the caller.
export function changeBadge(value) {
  if (value === null || value === undefined) return unknown();
  const class_ = value > 0.005 ? 'up' : value < -0.005 ? 'down' : 'flat';
  return el('span', { class: `delta ${class_}` }, class_ === 'flat' ? null : icon(class_), el('span', { class: 'out' }, class_ === 'up' ? 'more by ' : class_ === 'down' ? 'less by ' : ''), percentText(Math.abs(value)));
}

// A link if the URL is HTTP, else text.
export function externalLink(url, text = shortenUrl(url)) {
  if (!url) return unknown();
  return /^https?:\/\//i.test(url) ? el('a', { class: 'wrap', href: url, rel: 'noopener noreferrer nofollow' }, text) : el('span', { class: 'wrap' }, text);
}
export function shortenUrl(url) {
  try {
    const it = new URL(url);
    return decodeURI(it.pathname) + it.search;
  } catch { return url ?? ''; }
}

export function noteBox(kind, ...children) {
  return el('div', { class: `note-box ${kind}`.trim() }, icon(kind === 'good' ? 'check' : 'info'), el('span', {}, ...children));
}
export function alertBox(error) {
  const box = noteBox('bad', [error.message, error.problem?.hint].filter(Boolean).join(' '));
  box.setAttribute('role', 'alert');
  return box;
}
export function emptyBox(picture, title, text, action = null) {
  return el('section', { class: 'empty' }, icon(picture), el('h2', {}, title), el('p', {}, text), action);
}
export const field = (label, control, hint = null) => el('label', { class: 'field' }, el('span', {}, label), control, hint && el('small', {}, hint));
export const choice = (name, pairs, value, more = {}) => el('select', { name, ...more }, pairs.map(([it, label]) => el('option', { value: it, selected: String(it) === String(value ?? '') }, label)));
export const simulatedBanner = () => el('div', { class: 'banner', role: 'note' }, icon('flask'), el('p', {}, el('b', {}, 'Simulated data.'), ' These figures come from Sightline’s sandbox, not from a real search engine. Add a supplier’s key to the server’s settings to measure the real thing.'));

// `aria-disabled`, because a disabled button loses the keyboard focus.
export const setEnabled = (button, isEnabled) => button.setAttribute('aria-disabled', String(!isEnabled));
const isEnabled = (button) => button.getAttribute('aria-disabled') !== 'true';

// Shows the button as busy, and ignores clicks while `work` runs.
export async function busy(button, work) {
  if (button.getAttribute('aria-busy') === 'true' || !isEnabled(button)) return;
  button.setAttribute('aria-busy', 'true');
  try { await work(); } finally { button.removeAttribute('aria-busy'); }
}

// Saves a file. Spreadsheets recognize a CSV as UTF-8 by its byte order mark.
export function download(name, type, text) {
  const href = URL.createObjectURL(new Blob([type === 'text/csv' ? '\uFEFF' : '', text], { type: `${type};charset=utf-8` }));
  const link = el('a', { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
export const fileName = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'sightline';
