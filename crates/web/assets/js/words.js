// Normalizes, splits and classifies keywords, as crates/texts/src/keyword_text.rs does.
import { INTENT_WORDS } from './formulas.js';

// NFKC, lower case, single spaces; diacritics are kept.
export function normalized(text) {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').split(/\p{White_Space}+/u).filter(Boolean).join(' ');
}

// Without diacritics: only for word lists and URLs, never to compare keywords.
export function foldDiacritics(text) {
  return normalized(text).normalize('NFD').replace(/\p{M}+/gu, '');
}

export function wordsOf(text) {
  return foldDiacritics(text).replace(/['’]/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];
}

// Stop words.
const STOP_WORDS = {
  en: 'a an the of for in on at to and or by with from near my your it that this as be',
  de: 'der die das den dem des ein eine einen einem einer und fur in im am an auf mit von vom zu zum zur bei aus',
  es: 'el la los las un una unos unas y o de del en con para por al a',
  cs: 'a i v ve na do z ze s se k ke o u pro za po od si',
  sk: 'a i v vo na do z zo s so k ku o u pre za po od si sa',
  hu: 'a az egy es',
  pl: 'a i w we na do z ze o u dla za po od sie',
};

// A star ends a prefix, an underscore joins a phrase.
function parseList(text) {
  const entries = text.replaceAll("'", '').split(' ');
  return {
    words: new Set(entries.filter((it) => !/[*_]/.test(it))),
    beginnings: entries.filter((it) => it.endsWith('*')).map((it) => it.slice(0, -1)),
    phrases: entries.filter((it) => it.includes('_')).map((it) => it.split('_')),
  };
}
const LISTS = new Map(Object.entries(INTENT_WORDS).map(([code, { question, commercial }]) => [code, { questionWords: parseList(question), commercialWords: parseList(commercial), stopWords: parseList(STOP_WORDS[code]) }]));
const listsOf = (code) => LISTS.get((code ?? '').slice(0, 2).toLowerCase());

const contains = (of, word) => of.words.has(word) || of.beginnings.some((it) => word.startsWith(it));
const findPhrases = (of, words) => of.phrases.filter((phrase) => words.some((_, at) => phrase.every((word, index) => words[at + index] === word)));

// Begins with a question word, or ends with a question mark.
export function isQuestion(text, language) {
  if (/[?？]\s*$/u.test(text) || text.trim().startsWith('¿')) return true;
  const [word] = wordsOf(text);
  const lists = listsOf(language);
  return word !== undefined && lists !== undefined && contains(lists.questionWords, word);
}

// The first comparing word or phrase, or null.
export function comparingWord(text, language) {
  const lists = listsOf(language);
  if (!lists) return null;
  const words = wordsOf(text);
  return words.find((word) => contains(lists.commercialWords, word)) ?? findPhrases(lists.commercialWords, words)[0]?.join(' ') ?? null;
}

// Without articles, prepositions, question words and comparing words.
export function topicWords(text, language) {
  const lists = listsOf(language);
  const all = wordsOf(text);
  const words = [...new Set(all)];
  if (!lists) return words;
  const compared = new Set(findPhrases(lists.commercialWords, all).flat());
  const left = words.filter((word) => !compared.has(word) && ![lists.questionWords, lists.commercialWords, lists.stopWords].some((of) => contains(of, word)));
  return left.length > 0 ? left : words;
}

// Whether a name occurs as whole words, or with its words joined.
export function containsBrand(text, names) {
  const words = wordsOf(text);
  const spaced = ` ${words.join(' ')} `;
  const squeezed = words.join('');
  return names.some((name) => {
    const brand = wordsOf(name);
    const joined = brand.join('');
    if (joined.length < 3) return false;
    return spaced.includes(` ${brand.join(' ')} `) || (joined.length >= 4 && (words.includes(joined) || squeezed === joined));
  });
}
