// Keywords as texts: when two are the same, what they are made of, and which words ask or compare.
// The same rules as in crates/analysis (keyword_text.rs, search_intent/words.txt).

// NFKC, lower case, single spaces; diacritics stay.
export function normalised(text) {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').split(/\p{White_Space}+/u).filter(Boolean).join(' ');
}

// Without diacritics too: only for lists of words and for addresses, never to tell keywords apart.
export function folded(text) {
  return normalised(text).normalize('NFD').replace(/\p{M}+/gu, '');
}

export function wordsOf(text) {
  return folded(text).replace(/['’]/g, '').match(/[\p{L}\p{N}]+/gu) ?? [];
}

// The lists of crates/analysis/src/search_intent/words.txt, as they stand there: a star ends a beginning, an underscore
// joins a phrase. `joins` are ours: they are for telling topics apart.
export const TEXTS = {
  en: {
    question: "what what's whats why who who's whose when where which how is are can could does do should would was were did will am has have",
    commercial: 'best top review reviews vs versus compare compared comparison comparisons alternative alternatives cheapest rated ranking rankings',
    joins: 'a an the of for in on at to and or by with from near my your it that this as be',
  },
  de: {
    question: 'was wie warum wer wen wem wessen wann wo woher wohin welche welcher welches welchen wieso weshalb wieviel ist sind kann konnen darf soll sollte muss hat haben wird',
    commercial: 'beste bester bestes besten test tests testsieger vergleich vergleiche vergleichen erfahrung erfahrungen bewertung bewertungen rezension* alternative alternativen gunstigste gunstigster gunstigstes gunstigsten vs oder',
    joins: 'der die das den dem des ein eine einen einem einer und fur in im am an auf mit von vom zu zum zur bei aus',
  },
  es: {
    question: 'que quien quienes cual cuales cuando donde como por_que cuanto cuanta cuantos cuantas es son puede puedo hay',
    commercial: 'mejor mejores comparar comparativa comparacion comparador opinion opiniones resena resenas reviews vs alternativa alternativas ranking top',
    joins: 'el la los las un una unos unas y o de del en con para por al a',
  },
  cs: {
    question: 'co kdo koho komu kdy kde kam odkud proc jak jake jaky jaka jakou ktery ktera ktere kolik cim je jsou lze muze muzu ma',
    commercial: 'nejlepsi nejlepsich recenz* zkusenost* srovnani porovnani hodnoceni test testy alternativ* nejlevnejsi vs nebo top zebricek',
    joins: 'a i v ve na do z ze s se k ke o u pro za po od si',
  },
  sk: {
    question: 'co kto koho komu kedy kde kam odkial preco ako ake aky aka ktory ktora ktore kolko cim je su da moze mozem ma',
    commercial: 'najlepsi* najlepsie recenz* skusenost* porovnanie hodnoteni* test testy alternativ* najlacnejsi* vs alebo top rebricek',
    joins: 'a i v vo na do z zo s so k ku o u pre za po od si sa',
  },
  hu: {
    question: 'mi mit ki kit mikor hol hova honnan miert hogyan hogy milyen melyik mennyi mennyibe hany lehet van vannak',
    commercial: 'legjobb legjobbak teszt tesztek velemeny velemenyek tapasztalat* osszehasonlitas alternativa alternativak legolcsobb vs vagy rangsor toplista',
    joins: 'a az egy es',
  },
  pl: {
    question: 'co kto kogo komu kiedy gdzie skad dokad dlaczego czemu jak jaki jaka jakie ktory ktora ktore ile czy jest sa mozna ma',
    commercial: 'najlepsz* recenzj* opinie opinia porownanie porownaj ranking test testy alternatyw* najtansz* vs czy_warto',
    joins: 'a i w we na do z ze o u dla za po od sie',
  },
};

function list(text) {
  const entries = text.replaceAll("'", '').split(' ');
  return {
    words: new Set(entries.filter((it) => !/[*_]/.test(it))),
    beginnings: entries.filter((it) => it.endsWith('*')).map((it) => it.slice(0, -1)),
    phrases: entries.filter((it) => it.includes('_')).map((it) => it.split('_')),
  };
}
const LISTS = new Map(Object.entries(TEXTS).map(([code, { question, commercial, joins }]) => [code, { asks: list(question), compares: list(commercial), joins: list(joins) }]));
const listsOf = (code) => LISTS.get((code ?? '').slice(0, 2).toLowerCase());

const holds = (of, word) => of.words.has(word) || of.beginnings.some((it) => word.startsWith(it));
const phrasesIn = (of, words) => of.phrases.filter((phrase) => words.some((_, at) => phrase.every((word, index) => words[at + index] === word)));

// Whether it begins with a word that asks, or ends with a mark that does.
export function asks(text, language) {
  if (/[?？]\s*$/u.test(text) || text.trim().startsWith('¿')) return true;
  const [word] = wordsOf(text);
  const lists = listsOf(language);
  return word !== undefined && lists !== undefined && holds(lists.asks, word);
}

// The first word or phrase that compares things, or null.
export function comparing(text, language) {
  const lists = listsOf(language);
  if (!lists) return null;
  const words = wordsOf(text);
  return words.find((word) => holds(lists.compares, word)) ?? phrasesIn(lists.compares, words)[0]?.join(' ') ?? null;
}

// The words that say what it is about: no article, no preposition, nothing that asks or compares.
export function topicWords(text, language) {
  const lists = listsOf(language);
  const all = wordsOf(text);
  const words = [...new Set(all)];
  if (!lists) return words;
  const compared = new Set(phrasesIn(lists.compares, all).flat());
  const left = words.filter((word) => !compared.has(word) && ![lists.asks, lists.compares, lists.joins].some((of) => holds(of, word)));
  return left.length > 0 ? left : words;
}

// Whether one of the names stands in it as whole words, or as its words without spaces between.
export function namesBrand(text, names) {
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
