// Polls running analyses, and reloads the page when one ends.
import { reloadKeepingFocus } from './reload_state.js';
import { send } from './api.js';
import { announce } from './forms.js';

const POLL_INTERVAL = 2000;
const HIDDEN_POLL_INTERVAL = 15000;
const UNFINISHED = ['running', 'retrying', 'queued'];

export function followAnalyses(root) {
  const shown = new Map([...root.querySelectorAll('[data-job]')].map((it) => [it.dataset.job, it]));
  if (shown.size === 0) return;
  let pause = POLL_INTERVAL;
  let isLost = false;
  const poll = async () => {
    if (document.hidden) return void setTimeout(poll, HIDDEN_POLL_INTERVAL);
    try {
      const jobs = await fetchStates([...shown.keys()]);
      pause = POLL_INTERVAL;
      if (isLost) { isLost = false; for (const at of shown.values()) connection(at, ''); }
      for (const [id, at] of shown) if (jobs.has(id) && update(at, jobs.get(id))) return void reloadKeepingFocus();
    } catch (error) {
      pause = Math.min(pause * 2, 60000);
      const text = error.isUnreachable ? 'Connection lost, trying again' : error.status === 401 ? 'Signed out: sign in to see the progress' : 'The progress cannot be read, trying again';
      if (!isLost) announce(`${text}.`);
      isLost = true;
      for (const at of shown.values()) connection(at, text);
    }
    setTimeout(poll, pause);
  };
  setTimeout(poll, pause);
}

// Marks the figures as out of date.
function connection(at, text) {
  const place = at.querySelector('[data-connection]');
  if (place) { place.textContent = text; place.hidden = text === ''; }
}

const listAnalyses = async (query) => (await send('GET', `/api/analyses?${query}`)).items ?? [];

// The states of these jobs, from as few requests as possible. A job in none of the lists has ended or is beyond their
// limit: the first such is requested by id.
export async function fetchStates(ids) {
  const jobs = new Map();
  const missing = () => ids.find((id) => !jobs.has(id));
  const queries = [...UNFINISHED.map((status) => () => `status=${status}&limit=200`), () => `jobId=${missing()}`];
  for (const query of queries) {
    if (missing() === undefined) break;
    for (const job of await listAnalyses(query())) jobs.set(String(job.id), job);
  }
  return jobs;
}

function update(at, job) {
  const { done, total, unit } = job.progress;
  const bar = at.querySelector('progress');
  if (bar && total > 0) { bar.max = total; bar.value = done; }
  const text = at.querySelector('[data-progress]');
  const counted = total > 0 ? `${done} of ${total} ${unit}` : job.status;
  const now = job.waitingFor === 'worker' ? 'no worker is online' : counted;
  if (text && text.textContent !== now) text.textContent = now;
  const isOver = !UNFINISHED.includes(job.status);
  if (isOver) announce(`The analysis ended: ${job.status}.`);
  return isOver;
}
