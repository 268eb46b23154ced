//! Which of several stood in front over time: a lane for each.

use super::{WIDTH, twin};
use crate::pages::parts::{self, Html, Table};
use askama::Template;
use chrono::NaiveDate;

pub struct Lanes {
    pub title: String,
    pub names: Vec<Html>,
    /// Oldest first; an index into `names`, `None` for anybody else.
    pub days: Vec<(NaiveDate, Option<usize>)>,
}

#[derive(Template)]
#[template(
    source = r#"<figure class="chart"><figcaption class="small soft">{{ title }}</figcaption>
<ul class="timeline">
{%- for lane in lanes %}<li class="lane"><span class="wrap">{{ lane.name }}</span><svg class="bar tall" viewBox="0 0 1000 1" preserveAspectRatio="none" role="img" aria-label="{{ lane.told }}">{% for x in lane.starts %}<rect class="f{{ lane.colour }}" x="{{ x }}" width="{{ width }}" height="1"/>{% endfor %}</svg></li>{% endfor -%}
</ul>
<details class="twin"><summary>The same as a table</summary>{{ twin }}</details></figure>"#,
    ext = "html"
)]
struct Drawing<'a> {
    title: &'a str,
    lanes: Vec<Lane<'a>>,
    width: String,
    twin: Html,
}

struct Lane<'a> {
    name: &'a Html,
    colour: usize,
    told: String,
    starts: Vec<String>,
}

impl Lanes {
    /// Empty without days.
    #[expect(clippy::cast_precision_loss, reason = "a few hundred days")]
    pub fn html(&self) -> Html {
        if self.days.is_empty() {
            return Html::default();
        }
        let width = WIDTH / self.days.len() as f64;
        let lanes = self.names.iter().enumerate().map(|(number, name)| {
            let days = self.days.iter().enumerate();
            let own = days.filter(|(_, (_, who))| *who == Some(number));
            let starts: Vec<String> = own
                .map(|(at, _)| format!("{:.1}", at as f64 * width))
                .collect();
            let told = format!("in front {} of {} times", starts.len(), self.days.len());
            Lane {
                name,
                colour: (number + 1).min(6),
                told,
                starts,
            }
        });
        Html::of(&Drawing {
            title: &self.title,
            lanes: lanes.collect(),
            width: format!("{width:.1}"),
            twin: twin(self.table()),
        })
    }

    fn table(&self) -> Table {
        let columns = vec![parts::words("Day"), parts::words("In front")];
        let rows = self.days.iter().rev().map(|(day, who)| {
            let name = who.and_then(|it| self.names.get(it));
            let name = name.cloned().unwrap_or_else(parts::unknown);
            parts::row(vec![parts::day(*day), name])
        });
        Table::new(&self.title, columns, rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_has_its_own_days_and_nobodys_day_is_empty() {
        let day = |n| NaiveDate::from_ymd_opt(2026, 11, n).expect("a day");
        let lanes = Lanes {
            title: "Two pages".into(),
            names: vec![parts::text("/a"), parts::text("/b")],
            days: vec![
                (day(1), Some(0)),
                (day(2), Some(1)),
                (day(3), None),
                (day(4), Some(0)),
            ],
        };
        let html = lanes.html();
        let drawn = html.as_str();
        assert_eq!(drawn.matches("class=\"f1\"").count(), 2, "{drawn}");
        assert!(
            drawn.contains(r#"class="f2" x="250.0" width="250.0""#),
            "{drawn}"
        );
        assert!(drawn.contains("in front 2 of 4 times"), "{drawn}");
        assert!(!drawn.contains("x=\"500.0\""), "{drawn}");
    }
}
