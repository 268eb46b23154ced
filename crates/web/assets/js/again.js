// What one page keeps for the next. Where a browser lets nothing be kept, the next page comes without it.
export function keep(name, value) {
  try { sessionStorage.setItem(name, JSON.stringify(value)); } catch { /* it comes without */ }
}
export function taken(name) {
  try {
    const value = JSON.parse(sessionStorage.getItem(name));
    sessionStorage.removeItem(name);
    return value;
  } catch { return null; }
}

// Loads the page anew. Whoever works it by keyboard finds the focus where it was, and not at the top.
const KEPT = 'focus';
// What tells a control of the page from the others, on this load and on the next.
const SIGNS = ['id', 'data-api', 'data-bulk', 'data-all', 'name'];

export function loadAgain() {
  const it = document.activeElement;
  const sign = SIGNS.find((name) => it?.getAttribute(name));
  if (it && it !== document.body) keep(KEPT, { path: location.pathname, sign, value: sign && it.getAttribute(sign), visible: it.matches(':focus-visible') });
  location.reload();
}

export function focusAgain(root) {
  const kept = taken(KEPT);
  if (kept?.path !== location.pathname) return;
  const found = kept.sign && root.querySelector(`[${kept.sign}="${CSS.escape(kept.value)}"]`);
  // What is gone, as a line that was taken out, leaves its reader at the beginning of the content.
  if (found) found.focus({ focusVisible: kept.visible });
  else root.getElementById('content')?.focus({ preventScroll: true });
}
