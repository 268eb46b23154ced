// State kept for the next page load. Without `sessionStorage` nothing is kept.
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

// Reloads the page and keeps the keyboard focus.
const KEPT = 'focus';
// Attributes that identify a control on this load and on the next.
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
  // If the element is gone, the focus goes to the beginning of the content.
  if (found) found.focus({ focusVisible: kept.visible });
  else root.getElementById('content')?.focus({ preventScroll: true });
}
