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

const list = (text) => new Set(text.split(' '));
const LISTS = {
  en: {
    asks: list('what whats why who whos whose when where which how is are can could does do should would was were did will am has have'),
    compares: list('best top review reviews vs versus compare compared comparison comparisons alternative alternatives cheapest rated ranking rankings'),
    joins: list('a an the of for in on at to and or by with from near my your it that this as be'),
  },
  de: {
    asks: list('was wie warum wer wen wem wessen wann wo woher wohin welche welcher welches welchen wieso weshalb wieviel ist sind kann konnen darf soll sollte muss hat haben wird'),
    compares: list('beste bester bestes besten test tests testsieger vergleich vergleiche vergleichen erfahrung erfahrungen bewertung bewertungen alternative alternativen gunstigste gunstigster gunstigstes gunstigsten vs oder'),
    joins: list('der die das den dem des ein eine einen einem einer und fur in im am an auf mit von vom zu zum zur bei aus'),
  },
  es: {
    asks: list('que quien quienes cual cuales cuando donde como cuanto cuanta cuantos cuantas es son puede puedo hay'),
    compares: list('mejor mejores comparar comparativa comparacion comparador opinion opiniones resena resenas reviews vs alternativa alternativas ranking top'),
    joins: list('el la los las un una unos unas y o de del en con para por al a'),
  },
  cs: {
    asks: list('co kdo koho komu kdy kde kam odkud proc jak jake jaky jaka jakou ktery ktera ktere kolik cim je jsou lze muze muzu ma'),
    compares: list('nejlepsi nejlepsich recenze recenzi zkusenost zkusenosti srovnani porovnani hodnoceni test testy alternativa alternativy nejlevnejsi vs nebo top zebricek'),
    joins: list('a i v ve na do z ze s se k ke o u pro za po od si'),
  },
  sk: {
    asks: list('co kto koho komu kedy kde kam odkial preco ako ake aky aka ktory ktora ktore kolko cim je su da moze mozem ma'),
    compares: list('najlepsi najlepsie najlepsia recenzia recenzie skusenost skusenosti porovnanie hodnotenie hodnotenia test testy alternativa alternativy najlacnejsi vs alebo top rebricek'),
    joins: list('a i v vo na do z zo s so k ku o u pre za po od si sa'),
  },
  hu: {
    asks: list('mi mit ki kit mikor hol hova honnan miert hogyan hogy milyen melyik mennyi mennyibe hany lehet van vannak'),
    compares: list('legjobb legjobbak teszt tesztek velemeny velemenyek tapasztalat tapasztalatok osszehasonlitas alternativa alternativak legolcsobb vs vagy rangsor toplista'),
    joins: list('a az egy es'),
  },
  pl: {
    asks: list('co kto kogo komu kiedy gdzie skad dokad dlaczego czemu jak jaki jaka jakie ktory ktora ktore ile czy jest sa mozna ma'),
    compares: list('najlepszy najlepsza najlepsze recenzja recenzje opinie opinia porownanie porownaj ranking test testy alternatywa alternatywy najtanszy najtansza najtansze vs'),
    joins: list('a i w we na do z ze o u dla za po od sie'),
  },
};

const first = (code) => LISTS[(code ?? '').slice(0, 2).toLowerCase()];
export const knowsLanguage = (code) => Boolean(first(code));

// Whether it begins with a word that asks, or ends with a mark that does.
export function asks(text, language) {
  if (/[?？]\s*$/u.test(text) || text.trim().startsWith('¿')) return true;
  const [word] = wordsOf(text);
  return word !== undefined && Boolean(first(language)?.asks.has(word));
}

// The first word that compares things, or null.
export function comparing(text, language) {
  const { compares } = first(language) ?? {};
  return (compares && wordsOf(text).find((word) => compares.has(word))) ?? null;
}

// The words that say what it is about: no article, no preposition, nothing that asks or compares.
export function topicWords(text, language) {
  const lists = first(language);
  const words = [...new Set(wordsOf(text))];
  if (!lists) return words;
  const left = words.filter((word) => !lists.asks.has(word) && !lists.compares.has(word) && !lists.joins.has(word));
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
