// A table with pagination, sorting, selection and expandable rows. Its markup is that of pages/parts/table.rs.
import { choice, el, icon } from './dom.js';
import { announce } from './forms.js';
import { numberText } from './localize.js';
import { nextOrder, pageRows, sortRows } from './table_order.js';
import { normalized } from './words.js';

// Cards are taller than rows.
const DEFAULT_ROWS = matchMedia('(max-width: 48rem)').matches ? 20 : 50;

// Columns: `{name, label, right, value(row), cell(row), falls}`; the first names the row. `key(row)` identifies it.
export class PagedTable {
  constructor({ caption, columns, key, order, perPage = DEFAULT_ROWS, selectable = false, inner = null, tight = false, onSelect = () => {}, none = 'Nothing fits what you chose.' }) {
    Object.assign(this, { caption, columns, key, order, perPage, selectable, inner, onSelect, none });
    this.rows = [];
    this.every = [];
    this.from = 0;
    this.chosen = new Set();
    this.open = new Set();
    this.body = el('tbody');
    this.heads = el('tr');
    this.pageText = el('span');
    this.back = el('button', { type: 'button', class: 'slim', onclick: () => this.changePage(-1) }, 'Previous');
    this.next = el('button', { type: 'button', class: 'slim', onclick: () => this.changePage(1) }, 'Next');
    this.table = el('table', { class: tight ? null : 'cardy' }, el('caption', { class: 'out' }, caption), el('thead', {}, this.heads), this.body);
    this.pager = el('nav', { class: 'more', 'aria-label': `Pages: ${caption}` }, this.pageText, el('span', { class: 'row' }, this.back, this.next));
    this.scroll = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, this.table);
    this.nothing = el('p', { class: 'nothing soft', hidden: true }, none);
    this.node = el('div', { class: 'paged' }, this.scroll, this.nothing, this.pager);
    this.text = '';
    this.finder = el('label', { class: 'field grow' }, el('span', {}, 'Find'), el('input', { type: 'search', maxlength: '200', oninput: (event) => { this.text = normalized(event.target.value); this.from = 0; this.draw(); } }));
    this.sorter = el('label', { class: 'field sorter' }, el('span', {}, 'Order'), choice('order', columns.filter((it) => it.value).flatMap((it) => orders(it)), order, { onchange: (event) => this.sort(event.target.value) }));
  }

  // The selection is kept for rows that are still there.
  show(rows, every = rows) {
    this.rows = rows;
    this.every = every;
    const keys = new Set(every.map(this.key));
    for (const set of [this.chosen, this.open]) for (const it of set) if (!keys.has(it)) set.delete(it);
    this.from = 0;
    this.draw();
  }

  // Rows that contain the search text.
  get found() {
    return this.text === '' ? this.rows : this.rows.filter((it) => normalized(String(this.columns[0].value(it))).includes(this.text));
  }

  // Selected rows, including those that the filter hides.
  get selected() {
    return this.every.filter((it) => this.chosen.has(this.key(it)));
  }

  sort(order) {
    this.order = order;
    this.from = 0;
    const select = this.sorter.querySelector('select');
    if (select.value !== order) select.value = order;
    this.draw();
    announce(`Sorted by ${this.sorter.querySelector('select').selectedOptions[0]?.textContent ?? order}.`);
  }

  changePage(by) {
    this.from += by * this.perPage;
    this.draw();
    announce(this.pageText.textContent);
    if (this.scroll.getBoundingClientRect().top < 0) this.scroll.scrollIntoView({ block: 'start' });
    const other = by > 0 ? this.back : this.next;
    if (document.activeElement?.disabled || document.activeElement === document.body) other.focus({ preventScroll: true });
  }

  choose(rows, isChosen) {
    for (const it of rows) this.chosen[isChosen ? 'add' : 'delete'](this.key(it));
    this.draw();
    this.onSelect();
  }

  draw() {
    const page = pageRows(sortRows(this.found, this.columns, this.order), this.from, this.perPage);
    this.from = page.from;
    this.heads.replaceChildren(...this.columns.map((column) => this.head(column)));
    this.body.replaceChildren(...page.rows.flatMap((row) => this.row(row)));
    this.pageText.textContent = `${numberText(page.total === 0 ? 0 : page.from + 1, 0)}–${numberText(page.to, 0)} of ${numberText(page.total, 0)}`;
    this.back.disabled = page.from === 0;
    this.next.disabled = page.to >= page.total;
    this.pager.hidden = page.total <= this.perPage && page.from === 0;
    this.nothing.hidden = page.total > 0;
    this.scroll.hidden = page.total === 0;
  }

  head(column) {
    const direction = this.order === column.name ? 'ascending' : this.order === `-${column.name}` ? 'descending' : null;
    const label = column.value
      ? el('button', { type: 'button', class: 'sort', onclick: () => { this.sort(nextOrder(this.order, column)); this.heads.querySelector(`[data-column="${column.name}"]`)?.focus(); }, 'data-column': column.name }, column.label, direction && icon(direction === 'ascending' ? 'up' : 'down'))
      : column.label;
    // Cards have no sort buttons, but need the column's name.
    const bare = column.value && el('span', { class: 'bare' }, column.label);
    return el('th', { scope: 'col', class: column.right ? 'r' : null, 'aria-sort': direction }, label, bare);
  }

  row(row) {
    const key = this.key(row);
    const cells = this.columns.map((column, index) => {
      if (index > 0) return el('td', { class: column.right ? 'r' : null, 'data-label': column.label }, column.cell(row, this));
      const name = column.cell(row, this);
      return el('th', { scope: 'row' }, this.selectable ? this.box(row, key, name) : name);
    });
    const line = el('tr', { class: this.chosen.has(key) ? 'own' : null }, cells);
    return this.open.has(key) ? [line, this.inside(row, key)] : [line];
  }

  box(row, key, name) {
    const box = el('input', {
      type: 'checkbox',
      checked: this.chosen.has(key),
      onchange: () => {
        this.chosen[box.checked ? 'add' : 'delete'](key);
        box.closest('tr').classList.toggle('own', box.checked);
        this.onSelect();
      },
    });
    return el('label', { class: 'check pickable' }, box, el('span', {}, name));
  }

  inside(row, key) {
    return el('tr', { class: 'inner', id: this.idOf(key) }, el('td', { colspan: this.columns.length }, this.inner(row)));
  }

  idOf(key) {
    return `in-${this.caption.replace(/\W+/g, '-')}-${encodeURIComponent(key).replace(/%/g, '_')}`;
  }

  // A button that expands a row.
  opener(row, label, ...shown) {
    const key = this.key(row);
    const button = el('button', {
      type: 'button',
      class: 'quiet slim opens',
      'aria-expanded': String(this.open.has(key)),
      'aria-label': label,
      onclick: () => {
        const isOpen = this.open.delete(key);
        if (!isOpen) this.open.add(key);
        button.setAttribute('aria-expanded', String(!isOpen));
        const line = button.closest('tr');
        if (isOpen) line.nextElementSibling?.classList.contains('inner') && line.nextElementSibling.remove();
        else line.after(this.inside(row, key));
      },
    }, ...shown);
    return button;
  }
}

function orders({ name, label, falls }) {
  const both = [[name, `${label}, rising`], [`-${name}`, `${label}, falling`]];
  return falls ? both.reverse() : both;
}
