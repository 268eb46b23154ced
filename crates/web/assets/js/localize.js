// Formats numbers and times in the reader's locale. Without scripts the page shows English text.
const decimalFormat = (digits) => new Intl.NumberFormat(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits });
const formats = new Map();
const STEPS = [['year', 31536000], ['month', 2592000], ['week', 604800], ['day', 86400], ['hour', 3600], ['minute', 60]];

export function numberText(value, digits) {
  if (!formats.has(digits)) formats.set(digits, decimalFormat(digits));
  return formats.get(digits).format(value);
}

export function timeText(time, kind, now = new Date()) {
  if (kind === 'day') return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(time);
  if (kind === 'short') return new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(time);
  if (kind === 'ago') {
    const seconds = (time - now) / 1000;
    const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
    const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
    return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : relative.format(0, 'minute');
  }
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}

export function localize(root) {
  for (const it of root.querySelectorAll('data[data-d]')) {
    const before = it.dataset.before ?? '';
    it.textContent = before + numberText(Number(it.value), Number(it.dataset.d)) + (it.dataset.after ?? '');
  }
  for (const it of root.querySelectorAll('time[data-t]')) {
    const time = new Date(it.dateTime);
    if (Number.isNaN(time.getTime())) continue;
    it.textContent = timeText(time, it.dataset.t);
    if (['ago', 'at'].includes(it.dataset.t)) it.title = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }).format(time);
  }
}
