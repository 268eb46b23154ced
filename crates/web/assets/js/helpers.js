// Small helps: copying, choosing all rows, filters that follow their fields.
import { tell } from './forms.js';

export function copyButtons(root) {
  root.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-copy]');
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    if (!source) return;
    // Over plain http there is no clipboard, and elsewhere it may be forbidden.
    const isCopied = await Promise.resolve().then(() => navigator.clipboard.writeText(source.textContent)).then(() => true, () => false);
    if (!isCopied) getSelection().selectAllChildren(source);
    const [said, shown, seconds] = isCopied ? ['Copied.', 'Copied', 1.5] : ['This browser does not let pages copy here. The text is selected: copy it yourself.', 'Selected: copy it yourself', 6];
    tell(said);
    const label = button.querySelector('span');
    if (!label || button.dataset.was !== undefined) return;
    button.dataset.was = label.textContent;
    label.textContent = shown;
    setTimeout(() => { label.textContent = button.dataset.was; delete button.dataset.was; }, 1000 * seconds);
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

// A form that is folded opens when the # of the address names it, and its first field gets the focus. The # is then taken
// away: the same link opens it again, and a page that loads itself anew does not.
export function opensForms(root) {
  const open = () => {
    let form;
    try { form = root.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    if (!form?.matches('details')) return;
    form.open = true;
    history.replaceState(null, '', location.pathname + location.search);
    form.scrollIntoView({ block: 'start' });
    form.querySelector('input:not([type="hidden"]), textarea, select')?.focus({ preventScroll: true });
  };
  // A browser that goes to the # takes the focus away, before the page is loaded whole.
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

export function submitOnChange(root) {
  root.addEventListener('change', (event) => {
    if (event.target.matches('select[data-submit]')) event.target.form.requestSubmit();
  });
}
