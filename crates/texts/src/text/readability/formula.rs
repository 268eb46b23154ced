use super::Score;
use crate::ToSchema;
use crate::text::counts::{Counts, SyllableCounts};
use crate::text::language::Language;
use serde::{Deserialize, Serialize};

/// A formula of readability. ASL is words per sentence, ASW syllables per word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Formula {
    /// English: 206.835 − 1.015·ASL − 84.6·ASW (Flesch 1948).
    Flesch,
    /// German: 180 − ASL − 58.5·ASW (Amstad 1978).
    Amstad,
    /// Spanish: 206.84 − 1.02·ASL − 60·ASW (Fernández Huerta 1959).
    FernandezHuerta,
    /// French: 207 − 1.015·ASL − 73.6·ASW (Kandel and Moles 1958).
    KandelMoles,
    /// Italian: 217 − 1.3·ASL − 60·ASW (Franchina and Vacca 1986).
    FleschVacca,
    /// Dutch: 206.835 − 0.93·ASL − 77·ASW (Douma 1960).
    Douma,
    /// Russian: 206.835 − 1.3·ASL − 60.1·ASW (Oborneva 2006, as `textstat` has it).
    Oborneva,
    /// Hungarian: 206.835 − 1.015·ASL − 58.5·ASW; only `textstat` has it, no paper was found.
    FleschHungarian,
    /// Czech: 206.835 − 1.672·ASL − 62.18·ASW (Bendová 2021, doi 10.2478/jazcas-2021-0044).
    Bendova,
    /// Slovak by the Czech formula; there is none for Slovak.
    BendovaForSlovak,
    /// ASL + 100·long/words, long being more than six letters (Björnsson 1968).
    Lix,
    /// long/sentences (Anderson 1983).
    Rix,
    /// English: 0.39·ASL + 11.8·ASW − 15.59 (Kincaid and others 1975).
    FleschKincaid,
    /// English: 0.058·L − 0.296·S − 15.8, letters and sentences per 100 words (Coleman and Liau
    /// 1975).
    ColemanLiau,
    /// English: 4.71·characters/words + 0.5·ASL − 21.43 (Smith and Senter 1967).
    AutomatedReadabilityIndex,
    /// English: 0.4·(ASL + 100·hard/words), hard from three syllables on (Gunning 1952).
    GunningFog,
    /// Polish: the fog index with hard words from four syllables on, as `textstat` counts.
    GunningFogPolish,
    /// English: 1.043·√(30·words of three syllables/sentences) + 3.1291, from 30 sentences on, of
    /// which it was made (`McLaughlin` 1969).
    Smog,
    /// German: 0.1935·MS + 0.1672·SL + 0.1297·IW − 0.0327·ES − 0.875, with the percentages of words
    /// of three and more syllables, of more than six letters and of one syllable, and SL = ASL
    /// (Bamberger and Vanecek 1984, first formula).
    WienerSachtext1,
    /// Spanish: 206.835 − 62.3·ASW − ASL (Szigriszt Pazos 1993).
    SzigrisztPazos,
    /// Italian: 89 + (300·sentences − 10·letters)/words (Lucisano and Piemontese 1988).
    Gulpease,
}

/// Whether a formula was published for the language it is used in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// Published for this language.
    Published,
    /// Published for a kindred language.
    Proxy,
    /// In use without a publication.
    Experimental,
}

impl Formula {
    /// The language's variant of Flesch.
    pub const fn reading_ease(language: Language) -> Option<Self> {
        Some(match language {
            Language::English => Self::Flesch,
            Language::German => Self::Amstad,
            Language::Spanish => Self::FernandezHuerta,
            Language::French => Self::KandelMoles,
            Language::Italian => Self::FleschVacca,
            Language::Dutch => Self::Douma,
            Language::Russian => Self::Oborneva,
            Language::Hungarian => Self::FleschHungarian,
            Language::Czech => Self::Bendova,
            Language::Slovak => Self::BendovaForSlovak,
            Language::Polish => return None,
        })
    }

    /// Years of school.
    pub const fn grade(language: Language) -> Option<Self> {
        match language {
            Language::English => Some(Self::FleschKincaid),
            Language::German => Some(Self::WienerSachtext1),
            Language::Polish => Some(Self::GunningFogPolish),
            _ => None,
        }
    }

    pub const fn others(language: Language) -> &'static [Self] {
        match language {
            Language::English => &[
                Self::ColemanLiau,
                Self::AutomatedReadabilityIndex,
                Self::GunningFog,
                Self::Smog,
            ],
            Language::Spanish => &[Self::SzigrisztPazos],
            Language::Italian => &[Self::Gulpease],
            _ => &[],
        }
    }

    pub const fn status(self) -> Status {
        match self {
            Self::BendovaForSlovak => Status::Proxy,
            Self::FleschHungarian | Self::GunningFogPolish => Status::Experimental,
            _ => Status::Published,
        }
    }

    /// `None` without words, sentences, or needed syllables.
    pub fn score(self, counts: &Counts) -> Option<Score> {
        Some(Score {
            formula: self,
            status: self.status(),
            value: self.value(counts)?,
        })
    }

    /// Neither rounded nor clipped; `None` as for [`Formula::score`].
    pub fn value(self, counts: &Counts) -> Option<f64> {
        let asl = ratio(counts.words, counts.sentences)?;
        let asw = || ratio(counts.syllables?.total, counts.words);
        let ease = |base: f64, sentence: f64, syllable: f64| {
            Some(base - sentence * asl - syllable * asw()?)
        };
        match self {
            Self::Flesch => ease(206.835, 1.015, 84.6),
            Self::Amstad => ease(180.0, 1.0, 58.5),
            Self::FernandezHuerta => ease(206.84, 1.02, 60.0),
            Self::KandelMoles => ease(207.0, 1.015, 73.6),
            Self::FleschVacca => ease(217.0, 1.3, 60.0),
            Self::Douma => ease(206.835, 0.93, 77.0),
            Self::Oborneva => ease(206.835, 1.3, 60.1),
            Self::FleschHungarian => ease(206.835, 1.015, 58.5),
            Self::Bendova | Self::BendovaForSlovak => ease(206.835, 1.672, 62.18),
            Self::SzigrisztPazos => ease(206.835, 1.0, 62.3),
            Self::FleschKincaid => Some(0.39 * asl + 11.8 * asw()? - 15.59),
            Self::Lix => Some(asl + percent(counts.long_words, counts)?),
            Self::Rix => ratio(counts.long_words, counts.sentences),
            Self::ColemanLiau => {
                let letters = percent(counts.letters, counts)?;
                Some(0.058 * letters - 0.296 * percent(counts.sentences, counts)? - 15.8)
            }
            Self::AutomatedReadabilityIndex => {
                Some(4.71 * ratio(counts.characters, counts.words)? + 0.5 * asl - 21.43)
            }
            Self::GunningFog | Self::GunningFogPolish => {
                Some(0.4 * (asl + percent(counts.syllables?.hard_words, counts)?))
            }
            Self::Smog => smog(counts),
            Self::WienerSachtext1 => wiener_sachtext_1(counts, asl),
            Self::Gulpease => {
                let (sentences, letters) = (counts.sentences, counts.letters);
                let words = counts.words;
                Some(89.0 + 300.0 * ratio(sentences, words)? - 10.0 * ratio(letters, words)?)
            }
        }
    }
}

/// SMOG is defined for 30 sentences; `None` below.
const SMOG_SENTENCES: usize = 30;

fn smog(counts: &Counts) -> Option<f64> {
    let polysyllables = ratio(counts.syllables?.words_of_three, counts.sentences)?;
    let value = 1.043 * (30.0 * polysyllables).sqrt() + 3.1291;
    (counts.sentences >= SMOG_SENTENCES).then_some(value)
}

fn wiener_sachtext_1(counts: &Counts, asl: f64) -> Option<f64> {
    let SyllableCounts {
        words_of_three,
        words_of_one,
        ..
    } = counts.syllables?;
    let (three, one) = (
        percent(words_of_three, counts)?,
        percent(words_of_one, counts)?,
    );
    let long = percent(counts.long_words, counts)?;
    Some(0.1935 * three + 0.1672 * asl + 0.1297 * long - 0.0327 * one - 0.875)
}

/// Per 100 words.
fn percent(part: usize, counts: &Counts) -> Option<f64> {
    Some(100.0 * ratio(part, counts.words)?)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
