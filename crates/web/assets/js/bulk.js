// What is done to all chosen rows of a list, one after the other: the server answers for each by itself.
import { loadAgain } from './again.js';
import { send } from './api.js';
import { tell } from './forms.js';

const pause = (seconds) => new Promise((done) => { setTimeout(done, 1000 * seconds); });

async function patiently(method, path, body) {
  for (;;) {
    try {
      return await send(method, path, body);
    } catch (error) {
      if (error.status !== 429 || !(error.retryAfter <= 60)) throw error;
      await pause(error.retryAfter);
    }
  }
}

export function bulkActions(root) {
  root.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-bulk]');
    if (!button) return;
    const box = button.closest('[data-bulk-of]');
    const told = box.querySelector('[data-outcome]');
    const say = (text) => { told.textContent = text; };
    const chosen = [...root.querySelectorAll(`input[data-row="${CSS.escape(box.dataset.bulkOf)}"]:checked`)];
    if (chosen.length === 0) return say('Choose rows first.');
    if (button.dataset.confirm && !confirm(button.dataset.confirm.replace('{n}', chosen.length))) return;
    const [method, path] = button.dataset.bulk.split(' ');
    const body = button.dataset.body ? JSON.parse(button.dataset.body) : undefined;
    const refused = [];
    box.setAttribute('aria-busy', 'true');
    for (const [at, row] of chosen.entries()) {
      say(`${at + 1} of ${chosen.length} …`);
      try {
        await patiently(method, path.replace('{id}', row.value), body);
      } catch (error) {
        refused.push(`“${row.dataset.name}”: ${error.message}`);
      }
    }
    box.removeAttribute('aria-busy');
    if (refused.length === 0) return loadAgain();
    say(`${chosen.length - refused.length} of ${chosen.length} done. ${refused.join(' ')}`);
    tell(told.textContent);
  });
}
