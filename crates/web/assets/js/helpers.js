// Small helps: copying, choosing all rows, filters that follow their fields.
import { tell } from './forms.js';

export function copyButtons(root) {
  root.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-copy]');
    if (!button) return;
    const text = document.getElementById(button.dataset.copy)?.textContent ?? '';
    await navigator.clipboard.writeText(text);
    tell('Copied.');
    const label = button.querySelector('span');
    if (label) { const before = label.textContent; label.textContent = 'Copied'; setTimeout(() => { label.textContent = before; }, 1500); }
  });
}

// What stands behind the # of the address is a field's; nobody sees it there afterwards.
export function filledFromAddress(root) {
  const field = root.querySelector('input[data-hash]');
  if (!field) return;
  const fill = () => {
    if (location.hash.length < 2) return;
    try { field.value = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    history.replaceState(null, '', location.pathname);
  };
  fill();
  // Who pastes the address while the page stands there loads nothing anew.
  addEventListener('hashchange', fill);
}

// Files are read here and sent as text with the rest of their form.
export function filledFromFiles(root) {
  root.addEventListener('change', async (event) => {
    const file = event.target.matches('input[type="file"][data-fills]') && event.target.files[0];
    if (!file) return;
    document.getElementById(event.target.dataset.fills).value = await file.text();
    tell(`${file.name} was read.`);
  });
}

export function selectAll(root) {
  root.addEventListener('change', (event) => {
    const all = event.target.closest('input[data-all]');
    if (!all) return;
    for (const it of document.querySelectorAll(`input[data-row="${CSS.escape(all.dataset.all)}"]`)) it.checked = all.checked;
  });
}

export function submitOnChange(root) {
  root.addEventListener('change', (event) => {
    if (event.target.matches('select[data-submit]')) event.target.form.requestSubmit();
  });
}
