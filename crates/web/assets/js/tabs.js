// WAI-ARIA tabs: arrow keys move, and only the selected tab is in the tab order.
import { el } from './dom.js';

// Each is `{id, label, count, panel}`.
export function tabs(name, list) {
  const buttons = list.map((it) => el('button', { type: 'button', role: 'tab', id: `tab-${it.id}`, 'aria-controls': `panel-${it.id}`, onclick: () => choose(it.id) }, el('span', {}, it.label), it.count));
  const panels = list.map((it) => el('div', { role: 'tabpanel', id: `panel-${it.id}`, 'aria-labelledby': `tab-${it.id}`, class: 'stack' }, it.panel));
  const bar = el('div', { class: 'tabs', role: 'tablist', 'aria-label': name }, buttons);
  bar.addEventListener('keydown', (event) => {
    const now = buttons.indexOf(document.activeElement);
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined || now < 0) return;
    event.preventDefault();
    const next = list[(to + list.length) % list.length];
    choose(next.id);
    buttons[list.indexOf(next)].focus();
  });
  function choose(id) {
    list.forEach((it, index) => {
      buttons[index].setAttribute('aria-selected', String(it.id === id));
      buttons[index].tabIndex = it.id === id ? 0 : -1;
      panels[index].hidden = it.id !== id;
    });
  }
  choose(list[0].id);
  return { node: el('div', { class: 'page' }, bar, panels), choose };
}
