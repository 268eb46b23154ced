use super::super::dom::Dom;
use super::super::locator::ElementLocator;
use super::super::main_text::{Draft, ExtractedText, characters};
use super::super::text::text_of;
use super::super::visible_text::visible_text;
use analysis::observation::page_content::{DetectedLanguage, TextFacts};
use analysis::observation::web_site::Placement;
use analysis::text::counts::count;
use analysis::text::language::detection::detect;
use analysis::text::words::{shortened, words};

const MAX_FOOTER: usize = 3_000;
const MAX_VISIBLE: usize = 200_000;
const MAX_QUOTATIONS: usize = 100;

pub struct TextReader<'a> {
    pub dom: &'a Dom,
    pub locator: &'a ElementLocator<'a>,
    pub drafts: &'a [Draft],
    pub all_characters: u32,
    pub declared: Option<&'a str>,
    pub keep_visible: bool,
}

impl TextReader<'_> {
    pub fn read(&self, main: ExtractedText) -> TextFacts {
        let inline_quotations = self.quotations(&main.in_main);
        let others = self.drafts.iter().filter(|it| !main.in_main[it.node]);
        let other_words: usize = others.map(|it| words(&it.text).count()).sum();
        let main = main.into_text();
        let text = main.text();
        let detected = detect(&text).map(|it| DetectedLanguage {
            code: it.code.to_owned(),
            confidence: it.confidence,
        });
        let language = TextFacts::language_of(self.declared, detected.as_ref());
        let counts = count(&text, language);
        TextFacts {
            all_words: to_u32(counts.words + other_words),
            counts,
            language,
            all_characters: self.all_characters,
            main_characters: characters(&text),
            main,
            detected,
            inline_quotations,
            footer: self.footer(),
            visible: self.keep_visible.then(|| {
                let seen = visible_text(self.dom);
                shortened(&seen, MAX_VISIBLE).to_owned()
            }),
        }
    }

    fn quotations(&self, in_main: &[bool]) -> Vec<String> {
        let quoted = self.dom.elements("q").filter(|it| in_main[*it]);
        quoted
            .filter_map(|it| text_of(self.dom, it))
            .take(MAX_QUOTATIONS)
            .collect()
    }

    fn footer(&self) -> String {
        let mut footer = String::new();
        for draft in self.drafts {
            let is_of_it = self.locator.placement(draft.node) == Placement::Footer
                || self.dom.is_html(draft.node, "address");
            if is_of_it {
                footer.push_str(&draft.text);
                footer.push('\n');
            }
            if footer.len() > 4 * MAX_FOOTER {
                break;
            }
        }
        shortened(footer.trim_end(), MAX_FOOTER).to_owned()
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
