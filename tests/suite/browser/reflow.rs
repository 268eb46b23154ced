//! Reflow at 400 % zoom: at 320 pixels nothing is lost (WCAG 2.2, 1.4.10).

use harness::chromium::Tab;

/// The page does not scroll sideways; text is neither outside nor cut off; scrollable boxes are reachable by keyboard.
const LOST: &str = r"(() => {
  const lost = [];
  const wide = document.documentElement;
  const named = (it) => `${it.tagName.toLowerCase()}${it.id ? '#' + it.id : ''}${it.classList.length ? '.' + [...it.classList].join('.') : ''} “${(it.innerText ?? it.textContent ?? '').trim().slice(0, 40)}”`;
  if (wide.scrollWidth > innerWidth) lost.push(`the page is ${wide.scrollWidth} wide`);
  // What lies over the page is no table: it is read without scrolling sideways, and all of it is reached.
  for (const it of document.querySelectorAll('dialog[open], :popover-open')) {
    const rect = it.getBoundingClientRect();
    if (it.scrollWidth > it.clientWidth + 1) lost.push(`${it.scrollWidth} wide in ${it.clientWidth}: ${named(it)}`);
    if (rect.left < -1 || rect.right > innerWidth + 1 || rect.top < -1 || rect.bottom > innerHeight + 1) lost.push(`over the edge: ${named(it)}`);
  }
  const scrolls = (it) => ['auto', 'scroll'].includes(getComputedStyle(it).overflowX);
  const isOut = (it) => it.closest('.out, .skip, [aria-hidden=true], svg, thead') !== null;
  for (const it of document.querySelectorAll('body *')) {
    if (it.getClientRects().length === 0 || isOut(it)) continue;
    const style = getComputedStyle(it);
    const isCut = ['hidden', 'clip'].includes(style.overflowX) && style.textOverflow !== 'ellipsis';
    if (isCut && it.scrollWidth > it.clientWidth + 1 && it.innerText?.trim()) lost.push(`cut: ${named(it)}`);
    if (scrolls(it) && it.scrollWidth > it.clientWidth + 1 && !it.matches('input, textarea, select') && it.tabIndex < 0 && !it.querySelector('a[href], button, input')) lost.push(`scrolls, but not by keyboard: ${named(it)}`);
    const own = [...it.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own && !it.matches('button, input, select, textarea')) continue;
    let box = it.parentElement;
    while (box && !scrolls(box)) box = box.parentElement;
    if (box) continue;
    const rect = it.getBoundingClientRect();
    if (rect.right > innerWidth + 1 || rect.left < -1) lost.push(`outside (${Math.round(rect.left)} to ${Math.round(rect.right)}): ${named(it)}`);
  }
  return [...new Set(lost)].slice(0, 8);
})()";

/// Violations of the current page.
pub async fn reflow_violations(tab: &Tab) -> Vec<String> {
    let lost = tab.eval(LOST).await;
    let lost = lost.as_array().unwrap().iter();
    lost.map(|it| it.as_str().unwrap().to_owned()).collect()
}
