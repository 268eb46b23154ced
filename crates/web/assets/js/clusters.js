// Clusters keywords that one page could serve: by shared results if known (crates/search/src/keyword_metrics/clusters.rs),
// else by words. No DOM access.
import { downwards } from './priority.js';
import { normalized, topicWords } from './words.js';

export const MIN_SHARED = 3;
const RESULTS_COMPARED = 10;
// From this many keywords on, a word in more than half of them does not distinguish topics.
const MIN_FOR_COMMON_WORDS = 4;

export const METHODS = {
  sharedResults: `Keywords are together when at least ${MIN_SHARED} of their first ${RESULTS_COMPARED} results are the same.`,
  words: 'Keywords are together that share a word which most of the others do not have. Their search results would tell more; they are not known for all of them.',
};

// Ideas are `{keyword, searchVolume}`; `results` maps normalized keywords to the page keys of their results, best first.
export function clusterKeywords(ideas, { results = new Map(), language = 'en' } = {}) {
  const isKnown = ideas.length > 1 && ideas.every((it) => results.get(normalized(it.keyword))?.length > 0);
  const groups = isKnown ? groupBySharedResults(ideas, results) : groupByWords(ideas, language);
  return { method: isKnown ? 'sharedResults' : 'words', groups: groups.map(nameGroup).sort(bySize) };
}

// Connected components; an edge is at least three shared results.
function groupBySharedResults(ideas, results) {
  const roots = ideas.map((_, index) => index);
  const root = (of) => {
    while (roots[of] !== of) of = roots[of] = roots[roots[of]];
    return of;
  };
  const seen = new Map();
  ideas.forEach((idea, index) => {
    const shared = new Map();
    for (const url of new Set(results.get(normalized(idea.keyword)).slice(0, RESULTS_COMPARED))) {
      const others = seen.get(url) ?? [];
      for (const other of others) shared.set(other, (shared.get(other) ?? 0) + 1);
      seen.set(url, [...others, index]);
    }
    for (const [other, count] of shared) if (count >= MIN_SHARED) roots[root(index)] = root(other);
  });
  return groupBy(ideas, (_, index) => root(index)).map((members) => ({ word: null, members }));
}

function groupBy(ideas, of) {
  const groups = new Map();
  ideas.forEach((idea, index) => {
    const key = of(idea, index);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(idea);
  });
  return [...groups.values()];
}

// The most common word of the remaining keywords makes a group, repeatedly. A keyword that shares none is a group alone.
function groupByWords(ideas, language) {
  const words = ideas.map((it) => topicWords(it.keyword, language).map(singularize));
  const counts = countWords(words);
  const common = new Set(ideas.length >= MIN_FOR_COMMON_WORDS ? [...counts].filter(([, count]) => count > ideas.length / 2).map(([word]) => word) : []);
  let left = ideas.map((idea, index) => ({ idea, words: words[index].filter((word) => !common.has(word)) }));
  const groups = [];
  const bare = left.filter((it) => it.words.length === 0);
  if (bare.length > 0) groups.push({ word: null, members: bare.map((it) => it.idea) });
  left = left.filter((it) => it.words.length > 0);
  while (left.length > 0) {
    const [word, count] = [...countWords(left.map((it) => it.words))].reduce((best, it) => (it[1] > best[1] || (it[1] === best[1] && it[0] < best[0]) ? it : best));
    if (count < 2) break;
    groups.push({ word, members: left.filter((it) => it.words.includes(word)).map((it) => it.idea) });
    left = left.filter((it) => !it.words.includes(word));
  }
  return [...groups, ...left.map((it) => ({ word: null, members: [it.idea] }))];
}

function countWords(lists) {
  const counts = new Map();
  for (const list of lists) for (const word of new Set(list)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

// Only for comparison, such as "shoe" and "shoes"; never shown.
function singularize(word) {
  return /^\p{L}{3,}[^s\P{L}]s$/u.test(word) ? word.slice(0, -1) : word;
}

// A group is named after its most searched keyword, which comes first.
function nameGroup({ word, members }) {
  const ordered = [...members].sort((one, other) => downwards(one.searchVolume, other.searchVolume) || (normalized(one.keyword) < normalized(other.keyword) ? -1 : 1));
  return { name: ordered[0].keyword, word, members: ordered };
}

function bySize(one, other) {
  return other.members.length - one.members.length || (normalized(one.name) < normalized(other.name) ? -1 : 1);
}
