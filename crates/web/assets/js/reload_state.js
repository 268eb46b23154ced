// State kept for the next page load. Without `sessionStorage` nothing is kept.
export function saveState(name, value) {
  try { sessionStorage.setItem(name, JSON.stringify(value)); } catch { /* not stored */ }
}
export function takeState(name) {
  try {
    const value = JSON.parse(sessionStorage.getItem(name));
    sessionStorage.removeItem(name);
    return value;
  } catch { return null; }
}

// Reloads the page and keeps the keyboard focus.
const FOCUS_KEY = 'focus';
// Attributes that identify a control on this load and on the next.
const IDENTIFYING_ATTRIBUTES = ['id', 'data-api', 'data-bulk', 'data-all', 'name'];

export function reloadKeepingFocus() {
  const it = document.activeElement;
  const attribute = IDENTIFYING_ATTRIBUTES.find((name) => it?.getAttribute(name));
  if (it && it !== document.body) saveState(FOCUS_KEY, { path: location.pathname, attribute, value: attribute && it.getAttribute(attribute), visible: it.matches(':focus-visible') });
  location.reload();
}

export function restoreFocus(root) {
  const stored = takeState(FOCUS_KEY);
  if (stored?.path !== location.pathname) return;
  const found = stored.attribute && root.querySelector(`[${stored.attribute}="${CSS.escape(stored.value)}"]`);
  // If the element is gone, the focus goes to the start of the content.
  if (found) found.focus({ focusVisible: stored.visible });
  else root.getElementById('content')?.focus({ preventScroll: true });
}
