#!/usr/bin/env python3
"""Counts numeric facts again, in Python, and compares with geo-score's.

    tests/oracles/geo_counts.py [--show]

The rules of docs/measurement, written a second time with other means (a look at the word after a number instead of
patterns). Paragraphs of trafilatura's, newspaper4k's and htmldate's test pages and of Debian's manuals in four
languages. The counts have to be the same in 99 % of those with a digit. Ends with 1 below that.
"""
import pathlib
import re
import sys

import driver
import pages
import text_corpus

MONTHS = set("""january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
januar februar märz mai juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janvier
février mars avril juin juillet août septembre octobre novembre décembre gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
januari februari maart mei augustus ledna února března dubna května června července srpna září října listopadu prosince januára februára marca
apríla mája júna júla augusta septembra októbra novembra decembra stycznia lutego kwietnia maja czerwca lipca sierpnia września października
listopada grudnia január február március április május június július augusztus szeptember október""".split())
PLACES = set("""chapter section figure fig. table page pages p. pp. step no. nr. number line rfc iso kapitel abschnitt abbildung abb. tabelle seite schritt
capítulo sección figura tabla página chapitre tableau étape capitolo sezione tabella pagina hoofdstuk kapitola strana tabulka tabuľka obrázek
obrázok krok rozdział rysunek strona fejezet ábra táblázat""".split())
VERSIONS = set("version versions verze verzia verzió wersja versión versione versie release".split())
EXACT = set("""percent prozent kb mb gb tb pb kib mib gib tib pib bit kbit mbit gbit tbit hz khz mhz ghz w kw mw gw wh kwh mwh gwh m km mm µm nm m² km² m³ cm g kg mg µg
l ml cl dl s ms µs ns kcal mph px dpi fps mah v a lb lbs oz ft mi byte bytes kilobyte kilobytes megabyte megabytes gigabyte gigabytes meter meters metre
metres kilometer kilometers kilometre kilometres mile miles feet inches gram grams kilogram kilograms ton tons tonne tonnes toe toes liter liters litre litres
degree degrees second seconds minute minutes hour hours day days week weeks month months year years times x sekunde sekunden minuten stunde stunden tage tagen
woche wochen monate monaten jahre jahren tonnen grad segundo segundos minuto minutos hora horas día días semana semanas mes meses año años seconde secondes heure
heures jour jours semaine semaines mois ans an secondi minuti ore giorni settimane mesi anni dnů dnech dní dny dni let lat uur dagen weken maanden jaar
eur usd gbp czk huf pln chf jpy kč zł euro euros dollar dollars pound pounds cent cents thousand million millions billion billions trillion trillions tausend
millionen milliarden mio mrd millones mille milliard milliards mila miljoen miljard ezer millió milliárd""".split()) - {"toe", "toes", "mes", "an"}
BEGINNINGS = tuple("""procent százalék korun tisíc milion milión miliard tysi sekund minut hodin týdn týžd měsíc mesiac rok godzin tygodni miesi másodperc perc órá óra nap
hét hónap év stopě stopn""".split())
PHRASES = ("per cent", "percent", "por ciento", "pour cent", "per cento", "percentage point", "km/h", "°c", "°f", "° c", "° f")
CENTURIES = ("jh.", "jahrhundert", "century", "centuries", "siècle", "století", "storoči", "wiek", "század", "siglo", "secol", "eeuw")
MONEY = ("$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CZK", "HUF", "PLN", "CHF", "JPY")


def is_month(word):
    return word.strip(".,").lower() in MONTHS


STATUS_WORDS = set("http https status statuscode statuscodes httpstatus code codes error fehler erreur errore chyba chybu chyby fout błąd hiba".split())
STATUS_JOINTS = set("and or to und oder bis et ou y e nebo alebo lub en of és vagy".split())
REASONS = """Continue;Switching Protocols;Processing;Early Hints;OK;Created;Accepted;Non-Authoritative Information;No Content;Reset Content;Partial Content;
Multi-Status;Already Reported;IM Used;Multiple Choices;Moved Permanently;Moved Temporarily;Found;See Other;Not Modified;Use Proxy;Temporary Redirect;
Permanent Redirect;Bad Request;Unauthorized;Payment Required;Forbidden;Not Found;Method Not Allowed;Not Acceptable;Proxy Authentication Required;
Request Timeout;Request Time-out;Conflict;Gone;Length Required;Precondition Failed;Content Too Large;Payload Too Large;Request Entity Too Large;URI Too Long;
Unsupported Media Type;Range Not Satisfiable;Expectation Failed;Misdirected Request;Unprocessable Content;Unprocessable Entity;Locked;Failed Dependency;
Too Early;Upgrade Required;Precondition Required;Too Many Requests;Request Header Fields Too Large;Unavailable For Legal Reasons;Internal Server Error;
Not Implemented;Bad Gateway;Service Unavailable;Service Temporarily Unavailable;Gateway Timeout;Gateway Time-out;HTTP Version Not Supported;
Insufficient Storage;Loop Detected;Network Authentication Required""".replace("\n", "").split(";")


def without_statuses(text):
    """Drops HTTP statuses: after a word for them or another status, and before a phrase or word for them."""
    result, end, last = [], 0, None
    for found in re.finditer(r"(?<!\w)[1-5]\d\d(?!\w)", text):
        before, rest, number = text[:found.start()], text[found.end():], found[0]
        words = re.findall(r"[^\W\d_]+", re.sub(r"/\d(\.\d)?(?=:?\s*$)", "", before[-40:]))
        named = bool(re.search(r"\s$", before)) and bool(re.search(r"[^\W\d_](/\d(\.\d)?)?:?\s+$", before)) and bool(words) and words[-1].lower() in STATUS_WORDS
        between = text[last:found.start()] if last is not None else None
        listed = between is not None and (re.fullmatch(r"\s*[,/–-]\s*", between) or re.fullmatch(r",?\s+([^\W\d_]+)\s+", between) and between.strip(" ,\n\t").lower() in STATUS_JOINTS)
        word = re.match(r"[\s-]([^\W\d_]+)", rest)
        word = word[1].lower() if word else ""
        is_status = (word in ("error", "errors", "fehler", "erreur", "erreurs", "errores") and number >= "400") or (re.fullmatch("redirect(s|ed|ion|ions)?", word) and "300" <= number <= "308") \
            or (word in ("page", "pages") and number == "404") or word in ("status", "response")
        reason = any(rest.lstrip().startswith(it) and not re.match(r"\w", rest.lstrip()[len(it):]) for it in REASONS) and rest[:1].isspace()
        if named or listed or is_status or reason:
            result += [text[end:found.start()], " ¤ "]
            end = found.end()
            last = found.end() if named or listed else None
        else:
            last = None
    return "".join(result) + text[end:]


def facts(text):
    """How many numbers of a block state a fact."""
    text = re.sub(r"(?i)\b(https?://|www\.)\S+|\S+@\S+\.\S+", " ¤ ", text)
    text = re.sub(r"^\(?\d{1,3}[.)]\s|^\d{1,3}(\.\d{1,3})+\.?\s", " ¤ ", text)
    text = re.sub(r"\b\d{4}-\d{2}-\d{2}([T ][\d:.]+)?|\b\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}\b|\b\d{1,2}/\d{1,2}/\d{2}\b", " ¤ ", text)
    text = re.sub(r"(\b\d{1,2})(st|nd|rd|th|er|\.)?\s+((?:of|de)\s+)?([^\W\d]+)\b\.?((?:,?\s+(?:de\s+)?)\d{4}\b)?", lambda it: " ¤ " if is_month(it[4]) else it[0], text, flags=re.I)
    text = re.sub(r"\b([^\W\d]+)\.?\s+\d{1,2}(?:(?:st|nd|rd|th|\.)(?:,?\s+\d{4}\b)?|,?\s+\d{4}\b|\b)", lambda it: " ¤ " if is_month(it[1]) else it[0], text, flags=re.I)
    text = re.sub(r"\b\d{1,2}:\d{2}(:\d{2})?\b", " ¤ ", text)
    text = re.sub(r"\b\d{1,2}(st|nd|rd|th|\.|er|e)?\s?([^\W\d]+\.?)", lambda it: " ¤ " if it[2].lower().startswith(CENTURIES) else it[0], text, flags=re.I)
    text = re.sub(r"\+\d[\d ()./-]{6,20}\d|\(\d{2,5}\)\s?\d[\d -]{4,12}\d|\b\d{3}-\d{3}-\d{4}\b", " ¤ ", text)
    text = without_statuses(text)
    text = re.sub(r"(?i)\bv\.?\s?\d+(\.\d+)*\b|\b\d+\.\d+\.\d+[\w.-]*", " ¤ ", text)
    text = re.sub(r"\b([^\W\d]+)\s+(?=\d)\d[\w.-]*", lambda it: " ¤ " if it[1].lower() in VERSIONS else it[0], text)
    text = re.sub(r"(?:(?<!\w)([^\W\d]+\.?)|[§#№])\s*\d+(?:[.–-]\d+)*", lambda it: " ¤ " if it[1] is None or it[1].lower() in PLACES else it[0], text)
    count = 0
    for found in re.finditer(r"[0-9]{1,3}(?:[,. '\u00a0\u202f][0-9]{3})+(?:[.,][0-9]{1,2})?|[0-9]+(?:[.,][0-9]+)?", text):
        before, number, rest = text[:found.start()], found[0], text[found.end():]
        if re.search(r"[\w@\\]$|\w[-–−/.,:]$", before):
            continue
        count += has_unit(rest) or before.rstrip(" \u00a0").endswith(MONEY) or is_count(before, number, rest)
    return count


def has_unit(rest):
    if re.match(r"[ \u00a0\u202f-]?[%‰]|[ \u00a0\u202f]?[€$£¥₹]", rest):
        return True
    rest = re.sub(r"^[ \u00a0\u202f-]", "", rest)
    if rest.lower().startswith(PHRASES):
        return not rest[7:8].isalpha() if rest.lower().startswith("percent") and rest[7:10].lower() != "age" else True
    word = re.match(r"[^\W\d_]+[²³]?", rest)
    if not word or re.match(r"[\d_]", rest[word.end():]):
        return False
    return word[0].lower() in EXACT or word[0].lower().startswith(BEGINNINGS)


def is_count(before, number, rest):
    if sum(it.isdigit() for it in number) < 2 or re.match(r"\w", rest):
        return False
    if len(number) == 4 and number.isdigit() and 1400 <= int(number) <= 2100:
        return False
    last = re.split(r"\s", before.rstrip(" \u00a0"))[-1]
    version = re.fullmatch(r"\d+\.\d{1,2}", number) and last[:1].isupper()
    return not version


def paragraphs():
    sources = pages.CACHE / "sources"
    found = []
    for name, version in (("trafilatura", "1.1.0"), ("newspaper4k", "0.9.6"), ("htmldate", "1.0.1")):
        pages.source_distribution(name, version)
        for file in sorted((sources / f"{name}-{version}").rglob("*.html")):
            found += text_corpus.paragraphs_of(pathlib.Path(file))
    for language in ("en", "de", "es", "cs"):
        found += [it for _, blocks in text_corpus.pages(language)[:40] for it in blocks]
    return [it for it in dict.fromkeys(found) if re.search(r"\d", it)]


def main():
    texts = paragraphs()
    ours = driver.query("page_evidence", [{"do": "facts", "text": it} for it in texts])
    theirs = [facts(it) for it in texts]
    same = 0
    for text, mine, count in zip(texts, ours, theirs):
        same += len(mine) == count
        if len(mine) != count and "--show" in sys.argv:
            print(f"  {count} here, {mine}: {text[:200]}")
    sums = sum(map(len, ours)), sum(theirs)
    print(f"{len(texts)} paragraphs with a number: {same} counts the same ({same / len(texts):.2%}); facts {sums[0]}, here {sums[1]}")
    good = same >= 0.99 * len(texts)
    print("all as they should be" if good else "wrong")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
