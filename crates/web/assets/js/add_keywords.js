// Adds pasted keywords to a project; refused lines are reported with line number and reason. No DOM access.
import { MAX_PER_REQUEST, OUTCOMES, validate } from './bulk_save.js';
import { normalized } from './words.js';

// Non-empty lines with line numbers from 1.
export const numberLines = (text) => text.split('\n').map((it, at) => ({ line: at + 1, text: it.trim() })).filter((it) => it.text !== '');

// Splits the lines into requests; invalid and repeated lines are not sent.
export function splitLines(lines) {
  const seen = new Set();
  const refused = [];
  const kept = [];
  for (const it of lines) {
    const detail = validate(it.text);
    if (detail !== null) { refused.push({ ...it, detail }); continue; }
    const key = normalized(it.text);
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(it);
  }
  const parts = [];
  for (let at = 0; at < kept.length; at += MAX_PER_REQUEST) parts.push(kept.slice(at, at + MAX_PER_REQUEST));
  return { parts, refused, repeated: lines.length - refused.length - kept.length };
}

// An error that stops it carries the result so far (`done`) and the lines that were not sent (`left`).
export async function addLines(send, project, lines, { market, tags, aiTracked = false }) {
  const { parts, refused, repeated } = splitLines(lines);
  const result = { added: 0, alreadyTracked: 0, reactivated: 0, refused: refused.length, repeated, lines: [...refused] };
  for (const [at, part] of parts.entries()) {
    const body = { keywords: part.map(({ text }) => ({ text, aiTracked })), mode: 'partial', ...(market && { market }), ...(tags?.length && { tags }) };
    let answer;
    try {
      answer = await send('POST', `/api/projects/${project}/keywords/bulk`, body);
    } catch (error) {
      error.done = result;
      error.left = parts.slice(at).flat();
      throw error;
    }
    for (const name of Object.keys(OUTCOMES)) result[name] += answer[name] ?? 0;
    for (const [index, it] of (answer.items ?? []).entries()) if (it.outcome === 'refused') result.lines.push({ ...part[index], detail: it.detail });
  }
  result.lines.sort((one, other) => one.line - other.line);
  return result;
}

const KINDS = [
  ['added', (n) => `${n} ${n === 1 ? 'keyword' : 'keywords'} added`],
  ['reactivated', (n) => `${n} restored with ${n === 1 ? 'its' : 'their'} history`],
  ['alreadyTracked', (n) => `${n} already tracked`],
  ['repeated', (n) => `${n} repeated in your list`],
  ['refused', (n) => `${n} refused`],
];

// The result as a sentence.
export function summarize(result) {
  const parts = KINDS.filter(([name]) => result[name] > 0).map(([name, describe]) => describe(result[name]));
  return parts.length > 0 ? `${parts.join(', ')}.` : 'No keyword was added.';
}

const MAX_REASONS = 50;
const MAX_SHOWN_CHARACTERS = 60;

// The first 50 refused lines, each with its reason.
export function refusalReasons({ lines, refused }) {
  const cut = (text) => ([...text].length > MAX_SHOWN_CHARACTERS ? `${[...text].slice(0, MAX_SHOWN_CHARACTERS).join('')}…` : text);
  const named = lines.slice(0, MAX_REASONS).map(({ line, text, detail }) => `Line ${line}, “${cut(text)}”: ${detail}`);
  const more = refused - named.length;
  return more > 0 ? [...named, `${more} more ${more === 1 ? 'line' : 'lines'} refused.`] : named;
}
