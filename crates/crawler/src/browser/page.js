// Runs in an isolated world, out of reach of the page's scripts: records the LCP, layout shifts and the
// end of the last long task, and reports them on request.
(() => {
  const seen = { lcp: null, fcp: null, shifts: [], busyUntil: 0 };
  const longest = 512;

  // A selector of an element, from the nearest ancestor with a unique id.
  const selector = (start) => {
    let node = start && start.nodeType === 1 ? start : start && start.parentElement;
    const parts = [];
    for (let depth = 0; node && node.nodeType === 1 && depth < 12; depth += 1) {
      const name = node.localName;
      const id = typeof node.id === "string" && node.id.length < 100 ? node.id : "";
      if (id && document.querySelectorAll("#" + CSS.escape(id)).length === 1) {
        parts.unshift("#" + CSS.escape(id));
        break;
      }
      const peers = node.parentElement
        ? [...node.parentElement.children].slice(0, 2000).filter((it) => it.localName === name)
        : [];
      parts.unshift(peers.length > 1 ? `${CSS.escape(name)}:nth-of-type(${peers.indexOf(node) + 1})` : CSS.escape(name));
      node = node.parentElement;
    }
    const found = parts.join(" > ");
    return found && found.length <= longest ? found : null;
  };

  const area = (rect) => rect.width * rect.height;
  const overlap = (one, other) =>
    Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
    Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

  const observe = (type, take) => {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    } catch {
      // Older browsers lack some entry types.
    }
  };

  observe("largest-contentful-paint", (entry) => {
    seen.lcp = {
      at: entry.startTime,
      url: entry.url ? entry.url.slice(0, 2048) : null,
      selector: selector(entry.element),
    };
  });
  observe("paint", (entry) => {
    if (entry.name === "first-contentful-paint") seen.fcp = entry.startTime;
  });
  observe("layout-shift", (entry) => {
    if (entry.hadRecentInput || seen.shifts.length >= 500) return;
    const parts = (entry.sources || []).slice(0, 5).map((it) => ({
      selector: selector(it.node),
      area: area(it.previousRect) + area(it.currentRect) - overlap(it.previousRect, it.currentRect),
    }));
    seen.shifts.push({ at: entry.startTime, score: entry.value, parts });
  });
  observe("longtask", (entry) => {
    seen.busyUntil = Math.max(seen.busyUntil, entry.startTime + entry.duration);
  });

  // The browser reserves space for an image if attributes or styles set both sides, or one and the
  // ratio; images that are hidden or outside the flow shift nothing.
  const isUnsized = (image) => {
    const styles = image.computedStyleMap();
    const is = (name, ...values) => values.includes(String(styles.get(name)));
    if (is("position", "fixed", "absolute") || is("display", "none")) return false;
    const [wide, high, ratio] = ["width", "height", "aspect-ratio"].map((name) => !is(name, "auto"));
    return !((wide && high) || ((wide || high) && ratio));
  };

  globalThis.sightline = {
    idleFor: () => performance.now() - seen.busyUntil,
    report: () =>
      JSON.stringify({
        ...seen,
        url: location.href.slice(0, 4096),
        unsizedImages: [...document.images].slice(0, 5000).filter(isUnsized).length,
      }),
  };
})();
