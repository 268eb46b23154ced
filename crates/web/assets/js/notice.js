// Shows an error at the bottom of the window, above everything else. In the DOM it follows the control that failed, so
// Tab reaches its actions next. There is one notice at a time.
import { el, icon } from './dom.js';

const USAGE = ['allowance-exceeded', 'quota-exceeded', 'queue-full'];
// A retry does not help, except after 429 and 408.
const isFinal = (status) => status >= 400 && status < 500 && status !== 429 && status !== 408;

// Links that help with an error, and whether a retry may help.
export function remedies({ status, problem, isUnreachable }, here = '/') {
  const code = problem?.code;
  if (code === 'session-required') return { links: [['Sign in', `/sign-in?next=${encodeURIComponent(here)}`, true]], canRetry: true };
  if (USAGE.includes(code)) return { links: [['See usage', '/settings/usage', false]], canRetry: false };
  return { links: [], canRetry: Boolean(isUnreachable) || (status !== undefined && !isFinal(status)) };
}

// Without the JSON pointer, which is for programs, and with the hint.
export const failureText = ({ message, problem }) => [withoutPointer(message), problem?.hint].filter(Boolean).join(' ');
const withoutPointer = (message) => message.replace(/^\/[\w/]+: (\p{L})/u, (_, letter) => letter.toUpperCase());

export function actions(error, retry) {
  const found = remedies(error, location.pathname + location.search);
  const links = found.links.map(([label, href, isElsewhere]) => el('a', { class: 'button slim', href, target: isElsewhere && '_blank' }, label));
  const button = found.canRetry && retry && el('button', { type: 'button', class: 'slim', onclick: retry }, 'Try again');
  return [...links, button].filter(Boolean);
}

let shown = null;

export function dismiss() {
  const had = shown?.contains(document.activeElement);
  shown?.remove();
  if (had) shown.control?.focus();
  shown = null;
}

// `retry` repeats the action of `control`.
export function notify(control, error, retry = null) {
  dismiss();
  const dismissAndRetry = retry && (() => { dismiss(); retry(); });
  const close = el('button', { type: 'button', class: 'quiet slim', 'aria-label': 'Close this message', onclick: dismiss }, icon('cross'));
  const node = el('div', { class: 'notice', role: 'alert' }, icon('info'), el('div', {}, el('p', {}, failureText(error)), el('div', { class: 'row' }, actions(error, dismissAndRetry))), close);
  node.addEventListener('keydown', (event) => { if (event.key === 'Escape') dismiss(); });
  node.control = control;
  shown = node;
  const place = control?.closest('label') ?? control;
  if (place?.isConnected) place.after(node); else document.body.append(node);
  if (node.showPopover) { node.popover = 'manual'; node.showPopover(); }
}
