// Copy buttons, select all, filters that submit on change, forms opened by links.
import { announce } from './forms.js';

export function copyButtons(root) {
  root.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-copy]');
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    if (!source) return;
    // There is no clipboard over plain HTTP, and permission may be denied.
    const isCopied = await Promise.resolve().then(() => navigator.clipboard.writeText(source.textContent)).then(() => true, () => false);
    if (!isCopied) getSelection().selectAllChildren(source);
    const [message, shown, seconds] = isCopied ? ['Copied.', 'Copied', 1.5] : ['This browser does not let pages copy here. The text is selected: copy it yourself.', 'Selected: copy it yourself', 6];
    announce(message);
    const label = button.querySelector('span');
    if (!label || button.dataset.originalLabel !== undefined) return;
    button.dataset.originalLabel = label.textContent;
    label.textContent = shown;
    setTimeout(() => { label.textContent = button.dataset.originalLabel; delete button.dataset.originalLabel; }, 1000 * seconds);
  });
}

// Moves the URL fragment into a field and removes it from the address bar.
export function fillFromFragment(root) {
  const field = root.querySelector('input[data-hash]');
  if (!field) return;
  const fill = () => {
    if (location.hash.length < 2) return;
    try { field.value = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    history.replaceState(null, '', location.pathname);
  };
  fill();
  // Pasting the URL into the open page does not reload it.
  addEventListener('hashchange', fill);
}

// Moves the URL fragment into the query of the form's request, under the name that the form gives.
export function addFragmentToQuery(root) {
  const form = root.querySelector('form[data-hash-as]');
  if (!form) return;
  const path = form.dataset.api;
  const add = () => {
    if (location.hash.length < 2) return;
    form.dataset.api = `${path}?${form.dataset.hashAs}=${encodeURIComponent(location.hash.slice(1))}`;
    history.replaceState(null, '', location.pathname);
  };
  add();
  // A link pasted into the open page.
  addEventListener('hashchange', add);
}

// Opens the collapsed form that the URL fragment names, and focuses its first field. The fragment is then removed, so
// the same link works again and a reload does not reopen the form.
export function openFormFromFragment(root) {
  const open = () => {
    let form;
    try { form = root.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    if (!form?.matches('details')) return;
    form.open = true;
    history.replaceState(null, '', location.pathname + location.search);
    form.scrollIntoView({ block: 'start' });
    form.querySelector('input:not([type="hidden"]), textarea, select')?.focus({ preventScroll: true });
  };
  // Navigation to the fragment moves the focus until the page is loaded.
  if (document.readyState === 'complete') open(); else addEventListener('load', open);
  addEventListener('hashchange', open);
}

export function selectAll(root) {
  root.addEventListener('change', (event) => {
    const all = event.target.closest('input[data-all]');
    if (!all) return;
    for (const it of document.querySelectorAll(`input[data-row="${CSS.escape(all.dataset.all)}"]`)) it.checked = all.checked;
  });
}

// A field shows and enables the parts of its form that go with its value.
export function showDependentParts(root) {
  const update = (field) => {
    for (const part of field.form.querySelectorAll('[data-shown-for]')) {
      part.hidden = part.disabled = part.dataset.shownFor !== field.value;
    }
  };
  for (const field of root.querySelectorAll('select[data-shows]')) update(field);
  root.addEventListener('change', (event) => {
    if (event.target.matches('select[data-shows]')) update(event.target);
  });
}

export function submitOnChange(root) {
  root.addEventListener('change', (event) => {
    if (event.target.matches('select[data-submit]')) event.target.form.requestSubmit();
  });
}
