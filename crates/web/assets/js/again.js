// Loads the page anew. Whoever works it by keyboard finds the focus where it was, and not at the top.
const KEPT = 'focus';
// What tells a control of the page from the others, on this load and on the next.
const SIGNS = ['id', 'data-api', 'data-bulk', 'data-all', 'name'];

export function loadAgain() {
  const it = document.activeElement;
  const sign = SIGNS.find((name) => it?.getAttribute(name));
  const kept = { path: location.pathname, sign, value: sign && it.getAttribute(sign), visible: it?.matches(':focus-visible') };
  // Where nothing may be kept, the page comes all the same.
  try { if (it && it !== document.body) sessionStorage.setItem(KEPT, JSON.stringify(kept)); } catch { /* it begins at the top */ }
  location.reload();
}

export function focusAgain(root) {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT));
    sessionStorage.removeItem(KEPT);
  } catch { return; }
  if (kept?.path !== location.pathname) return;
  const found = kept.sign && root.querySelector(`[${kept.sign}="${CSS.escape(kept.value)}"]`);
  // What is gone, as a line that was taken out, leaves its reader at the beginning of the content.
  if (found) found.focus({ focusVisible: kept.visible });
  else root.getElementById('content')?.focus({ preventScroll: true });
}
