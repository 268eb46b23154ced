#!/usr/bin/env node
// Compares the figures of crates/site/src/findings/vitals with the npm packages they come from:
// lighthouse 12.8.2 (shared/statistics.js, core/scoring.js, the audits' control points, the weights,
// layout shift, interactive and blocking time), speedline-core, and web-vitals 6.2.3 (thresholds).
//
//     node tests/oracles/lighthouse_scores.mjs [cases, 4000] [seed, 1]
//
// The packages are installed into the cache folder. Exit code 0: everything agrees, 1: it does not.
// Scores agree to 1e-12, whole scores exactly, times to a thousandth of a millisecond.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const LIGHTHOUSE = "12.8.2";
const WEB_VITALS = "6.2.3";
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sightline-oracles", `lighthouse-${LIGHTHOUSE}`);
const modules = join(cache, "node_modules");

if (!existsSync(join(modules, "lighthouse")) || !existsSync(join(modules, "web-vitals"))) {
  console.error("installing lighthouse and web-vitals into", cache);
  mkdirSync(cache, { recursive: true });
  const wanted = [`lighthouse@${LIGHTHOUSE}`, `web-vitals@${WEB_VITALS}`];
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", ...wanted], { cwd: cache });
}

const from = (path) => import(pathToFileURL(join(modules, path)).href);
const version = createRequire(import.meta.url)(join(modules, "lighthouse/package.json")).version;
if (version !== LIGHTHOUSE) throw new Error(`lighthouse ${version} is installed, not ${LIGHTHOUSE}`);
const { getLogNormalScore } = await from("lighthouse/shared/statistics.js");
const { ReportScoring } = await from("lighthouse/core/scoring.js");
const { default: config } = await from("lighthouse/core/config/default-config.js");
const { CumulativeLayoutShift } = await from("lighthouse/core/computed/metrics/cumulative-layout-shift.js");
const { Interactive } = await from("lighthouse/core/computed/metrics/interactive.js");
const Lantern = await from("lighthouse/core/lib/lantern/lantern.js");
const speedIndex = createRequire(import.meta.url)(join(modules, "speedline-core/lib/speed-index.js"));
const vitals = await from("web-vitals/dist/web-vitals.js");

const audits = {};
for (const [name, file] of Object.entries({
  fcp: "first-contentful-paint", lcp: "largest-contentful-paint", tbt: "total-blocking-time", cls: "cumulative-layout-shift",
  si: "speed-index", tti: "interactive", inp: "interaction-to-next-paint",
})) {
  audits[name] = { id: file, ...(await from(`lighthouse/core/audits/metrics/${file}.js`)).default.defaultOptions };
}
/** The curve of a metric: audits with the same limits for all devices have one. */
const curve = (name, device) => {
  const found = audits[name][device]?.scoring ?? audits[name];
  return { p10: found.p10, median: found.median };
};
const weights = Object.fromEntries(config.categories.performance.auditRefs.filter((it) => it.weight > 0).map((it) => [it.id, it.weight]));

// mulberry32: repeatable, and good enough to draw cases.
const cases = Number(process.argv[2] ?? 4000);
let state = Number(process.argv[3] ?? 1) >>> 0;
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const between = (low, high) => low + (high - low) * random();
const whole = (low, high) => Math.floor(between(low, high + 1));
const pick = (list) => list[whole(0, list.length - 1)];
const many = (max, make) => Array.from({ length: whole(0, max) }, make);
const devices = { phone: "mobile", desktop: "desktop" };

const two = (value) => Math.round(value * 100) / 100;
const kinds = {
  score() {
    const metric = pick(Object.keys(audits));
    const formFactor = pick(Object.keys(devices));
    const scoring = curve(metric, devices[formFactor]);
    // Around the curve, at its control points, and far away.
    const value = pick([between(0, scoring.median * 4), scoring.p10, scoring.median, 0, -1, between(0, 1e-9), between(0, 1e6)]);
    return [{ op: "score", metric, formFactor, value }, getLogNormalScore(scoring, value)];
  },
  whole() {
    const formFactor = pick(Object.keys(devices));
    const metrics = {};
    const items = [];
    for (const metric of ["fcp", "lcp", "tbt", "cls", "si"]) {
      const scoring = curve(metric, devices[formFactor]);
      metrics[metric] = between(0, scoring.median * 2.5);
      items.push({ score: two(getLogNormalScore(scoring, metrics[metric])), weight: weights[audits[metric].id] });
    }
    return [{ op: "whole", formFactor, metrics }, ReportScoring.arithmeticMean(items)];
  },
  shift() {
    let at = 0;
    // Traces count whole microseconds.
    const events = many(30, () => ({ ts: (at += pick([whole(0, 1500e3), 1000e3, 1000e3 + 1, whole(0, 900) * 1000])), weightedScore: between(0, 0.4) }));
    const shifts = events.map((it) => [it.ts / 1000, it.weightedScore]);
    return [{ op: "shift", shifts }, CumulativeLayoutShift.calculate(events)];
  },
  blocking() {
    let at = 0;
    const tasks = many(25, () => {
      const start = at + between(0, 2500);
      at = start + pick([between(0, 400), between(0, 60)]);
      return [start, at];
    });
    const requests = many(40, () => {
      const start = between(0, 9000);
      return [start, start + between(0, 6000)];
    });
    const fcp = between(100, 4000);
    const domContentLoaded = between(100, 6000);
    const end = between(9000, 30000);
    const events = tasks.map(([start, stop]) => ({ start, end: stop, duration: stop - start }));
    const records = requests.map(([start, stop]) => ({
      finished: true, requestMethod: "GET", failed: false, statusCode: 200, protocol: "h2", networkRequestTime: start, networkEndTime: stop,
    }));
    const navigation = { timestamps: { timeOrigin: 0, firstContentfulPaint: fcp * 1000, traceEnd: end * 1000 } };
    let tti = null;
    try {
      const { cpuQuietPeriod } = Interactive.findOverlappingQuietPeriods(events.filter((it) => it.duration >= 50), records, navigation);
      tti = Math.max(cpuQuietPeriod.start, fcp, domContentLoaded);
    } catch (error) {
      if (!/NO_TTI/.test(error.message)) throw error;
    }
    const tbt = tti === null ? null : Lantern.Metrics.TBTUtils.calculateSumOfBlockingTime(events, fcp, tti);
    return [{ op: "blocking", fcp, domContentLoaded, end, tasks, requests }, [tti, tbt]];
  },
  speedIndex() {
    const size = 40;
    const paints = Array.from({ length: whole(1, 6) }, () => [whole(0, 255), whole(0, 255), whole(0, 255)]);
    let at = 0;
    let shown = Array.from({ length: size }, () => [255, 255, 255]);
    const frames = Array.from({ length: whole(1, 12) }, () => {
      at += between(1, 900);
      shown = shown.map((pixel) => (random() < 0.3 ? pick([...paints, [255, 255, 255], [250, 249, 251]]) : pixel));
      return [at, shown.flat()];
    });
    // speedline-core's frames, without the pictures: its own decoder only makes histograms of them.
    const frame = (timestamp, pixels) => {
      const histogram = [0, 1, 2].map(() => Array(256).fill(0));
      for (let place = 0; place < pixels.length; place += 3) {
        const parts = pixels.slice(place, place + 3);
        if (parts.every((it) => it >= 249)) continue;
        parts.forEach((value, channel) => (histogram[channel][value] += 1));
      }
      let progress = null;
      return {
        getTimeStamp: () => timestamp, getHistogram: () => histogram, getProgress: () => progress,
        setProgress: (value) => (progress = value), getPerceptualProgress: () => null,
      };
    };
    const all = [frame(0, Array(size * 3).fill(255)), ...frames.map(([ms, pixels]) => frame(ms, pixels))];
    speedIndex.calculateVisualProgress(all, { fastMode: false });
    const found = speedIndex.calculateSpeedIndexes(all, { startTs: 0 }).speedIndex;
    // Lighthouse takes 0 and no number for errors. Of a page that stays white speedline says that it
    // is complete at the first frame; we say nothing.
    const white = frames.at(-1)[1].every((it) => it >= 249);
    return [{ op: "speedIndex", frames }, found > 0 && !white ? found : null];
  },
  rating() {
    const metric = pick(["lcp", "inp", "cls", "fcp", "ttfb"]);
    const [good, poor] = vitals[`${metric.toUpperCase()}Thresholds`];
    const value = pick([good, poor, between(0, poor * 2)]);
    return [{ op: "rating", metric, value }, value > poor ? "poor" : value > good ? "needsImprovement" : "good"];
  },
};

const names = Object.keys(kinds);
const drawn = Array.from({ length: cases }, (_, number) => {
  const name = names[number % names.length];
  return [name, ...kinds[name]()];
});
const input = drawn.map(([, question]) => JSON.stringify(question)).join("\n");
const command = ["run", "-q", "-p", "programs", "--example", "vitals_figures"];
const ran = spawnSync("cargo", command, { cwd: root, input, maxBuffer: 1 << 28, stdio: ["pipe", "pipe", "inherit"] });
if (ran.status !== 0) throw new Error("the figures could not be computed");
const answers = ran.stdout.toString().trim().split("\n").map((it) => JSON.parse(it));

const slack = { score: 1e-12, whole: 0, shift: 1e-9, blocking: 1e-3, speedIndex: 1e-3 };
const agree = (name, one, other) => {
  if (Array.isArray(one)) return one.every((it, place) => agree(name, it, other[place]));
  if (typeof one !== "number" || typeof other !== "number") return one === other;
  return Math.abs(one - other) <= slack[name] * Math.max(1, Math.abs(one));
};
const counts = Object.fromEntries(names.map((it) => [it, { agreed: 0, all: 0 }]));
let shown = 0;
drawn.forEach(([name, question, expected], number) => {
  const good = agree(name, expected, answers[number]);
  counts[name].all += 1;
  counts[name].agreed += Number(good);
  if (!good && shown++ < 10) console.log("differs:", JSON.stringify(question).slice(0, 400), "expected", expected, "found", answers[number]);
});
for (const [name, { agreed, all }] of Object.entries(counts)) console.log(`${name}: ${agreed} of ${all} agree`);
const good = answers.length === cases && Object.values(counts).every((it) => it.agreed === it.all && it.all > 0);
console.log(good ? "everything agrees" : "there are differences");
process.exit(good ? 0 : 1);
