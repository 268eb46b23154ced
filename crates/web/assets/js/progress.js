// Analyses under way: their bars move while somebody looks, and the page comes anew when one ends.
import { loadAgain } from './again.js';
import { send } from './api.js';
import { tell } from './forms.js';

const OFTEN = 2000;
const SELDOM = 15000;

export function followAnalyses(root) {
  const shown = new Map([...root.querySelectorAll('[data-job]')].map((it) => [it.dataset.job, it]));
  if (shown.size === 0) return;
  let pause = OFTEN;
  const look = async () => {
    if (document.hidden) return void setTimeout(look, SELDOM);
    try {
      const list = await send('GET', '/api/analyses?limit=50');
      pause = OFTEN;
      for (const job of list.items ?? []) {
        const at = shown.get(String(job.id));
        if (at && update(at, job)) return void loadAgain();
      }
    } catch {
      pause = Math.min(pause * 2, 60000);
    }
    setTimeout(look, pause);
  };
  setTimeout(look, pause);
}

function update(at, job) {
  const { done, total, unit } = job.progress;
  const bar = at.querySelector('progress');
  if (bar && total > 0) { bar.max = total; bar.value = done; }
  const text = at.querySelector('[data-progress]');
  const now = total > 0 ? `${done} of ${total} ${unit}` : job.status;
  if (text && text.textContent !== now) text.textContent = now;
  const isOver = !['queued', 'running', 'retrying'].includes(job.status);
  if (isOver) tell(`The analysis ended: ${job.status}.`);
  return isOver;
}
