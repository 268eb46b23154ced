// The form that imports a Search Console export, in the gap check and in project settings.
import { reloadKeepingFocus } from './reload_state.js';
import { send } from './api.js';
import { busy } from './dom.js';
import { announce, clear, show } from './forms.js';
import { numberText } from './localize.js';

// `done` receives the response.
export function listenToImport(form, path, done) {
  const { file, content, name, from, to } = form.elements;
  file.addEventListener('change', async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    content.value = await chosen.text();
    name.value = chosen.name;
    announce(`${chosen.name} is read. Send it with Import.`);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clear(form);
    busy(form.querySelector('[type="submit"]'), async () => {
      const body = { content: content.value };
      for (const it of [name, from, to]) if (it.value) body[it.name] = it.value;
      try {
        const answer = await send('POST', path, body);
        const box = form.querySelector('[data-outcome]');
        box.className = 'note-box good';
        box.textContent = describeImport(answer);
        announce(box.textContent);
        form.reset();
        // `reset` does not change hidden fields.
        name.value = '';
        await done(answer);
      } catch (error) { show(form, error); }
    });
  });
}

const describeImport = ({ rows, leftOut }) => [`${numberText(rows ?? 0, 0)} rows imported.`, leftOut?.length ? `Left out: ${leftOut.join('; ')}.` : ''].filter(Boolean).join(' ');

// Reloads to show the import, unless there are warnings to read first.
export function initImportForm(root) {
  const form = root.querySelector('form[data-import]');
  if (form) listenToImport(form, form.dataset.import, ({ leftOut }) => { if (!leftOut?.length) reloadKeepingFocus(); });
}
