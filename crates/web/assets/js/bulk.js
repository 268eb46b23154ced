// Bulk actions: one request per selected row, in sequence.
import { reloadKeepingFocus } from './reload_state.js';
import { sendWithRetry } from './api.js';
import { announce } from './forms.js';
import { dismiss, failureText, notify } from './notice.js';

export function bulkActions(root) {
  root.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-bulk]');
    if (!button) return;
    const box = button.closest('[data-bulk-of]');
    const outcome = box.querySelector('[data-outcome]');
    const showOutcome = (text) => { outcome.textContent = text; };
    const chosen = [...root.querySelectorAll(`input[data-row="${CSS.escape(box.dataset.bulkOf)}"]:checked`)];
    if (chosen.length === 0) return showOutcome('Choose rows first.');
    const question = chosen.length === 1 ? button.dataset.confirmOne : button.dataset.confirm;
    if (question && !confirm(question.replace('{n}', chosen.length))) return;
    const [method, path] = button.dataset.bulk.split(' ');
    const body = button.dataset.body ? JSON.parse(button.dataset.body) : undefined;
    const refused = [];
    let stopped = null;
    let done = 0;
    dismiss();
    box.setAttribute('aria-busy', 'true');
    for (const [at, row] of chosen.entries()) {
      showOutcome(`${at + 1} of ${chosen.length} …`);
      try {
        await sendWithRetry(method, path.replace('{id}', row.value), body);
      } catch (error) {
        // This error would also fail all further rows.
        if (error.isUnreachable || error.status === 401) { stopped = error; break; }
        refused.push(`“${row.dataset.name}”: ${failureText(error)}`);
      }
      done += 1;
    }
    box.removeAttribute('aria-busy');
    if (stopped) notify(button, stopped, () => button.click());
    if (refused.length === 0 && !stopped) return reloadKeepingFocus();
    showOutcome(`${done - refused.length} of ${chosen.length} done. ${refused.join(' ')}`);
    announce(outcome.textContent);
  });
}
