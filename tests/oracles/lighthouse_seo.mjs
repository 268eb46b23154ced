#!/usr/bin/env node
// Runs Lighthouse's SEO category on addresses, one after the other in one browser, for lighthouse_seo.py.
//
//     node lighthouse_seo.mjs FOLDER_WITH_NODE_MODULES CHROMIUM < addresses, one a line
//
// Prints a JSON line per address: {url, audits: {audit: {verdict, evidence}}}, a verdict being `pass`,
// `fail`, `notApplicable` or `error`. Pages that answer with an error are looked at too
// (ignoreStatusCode): without it Lighthouse refuses them whole, and http-status-code never fails.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [home, browser] = process.argv.slice(2);
const from = (path) => import(pathToFileURL(join(home, "node_modules", path)).href);
const { default: lighthouse } = await from("lighthouse/core/index.js");
const { launch } = await from("chrome-launcher/dist/index.js");
const AUDITS = ["is-crawlable", "document-title", "meta-description", "http-status-code", "link-text", "crawlable-anchors", "robots-txt",
  "image-alt", "hreflang", "canonical"];

const chromeFlags = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])];
const settings = {
  output: "json", onlyCategories: ["seo"], throttlingMethod: "provided", disableFullPageScreenshot: true, ignoreStatusCode: true,
  logLevel: "silent",
};

/** What an audit shows: where it failed, in a few words. */
const evidence = (audit) => {
  const words = (it) => it.source?.snippet ?? it.source?.url ?? it.source ?? it.node?.snippet ?? it.text ?? it.line ?? it.message;
  const items = (audit.details?.items ?? []).map((it) => `${words(it)}`.slice(0, 120));
  return [audit.errorMessage, audit.explanation, audit.displayValue, ...items.slice(0, 4)].filter(Boolean).join(" | ");
};
const verdict = (audit) => {
  if (audit.scoreDisplayMode === "notApplicable") return "notApplicable";
  if (audit.score === 1) return "pass";
  return audit.score === 0 ? "fail" : "error";
};

const chrome = await launch({ chromePath: browser, chromeFlags, logLevel: "silent" });
try {
  for (const url of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
    const { lhr } = await lighthouse(url, { ...settings, port: chrome.port });
    const audits = {};
    for (const name of AUDITS) audits[name] = { verdict: verdict(lhr.audits[name]), evidence: evidence(lhr.audits[name]) };
    console.log(JSON.stringify({ url, audits, error: lhr.runtimeError?.code ?? null }));
  }
} finally {
  chrome.kill();
}
