//! Tables with sort links and pagination.

use super::{icon, pager};
use maud::{Markup, html};

#[derive(Debug, Clone, Default)]
pub struct Column {
    label: String,
    right: bool,
    href: Option<String>,
    order: Option<&'static str>,
}

pub fn text_column(label: &str) -> Column {
    Column {
        label: label.to_owned(),
        ..Column::default()
    }
}

pub fn number_column(label: &str) -> Column {
    Column {
        right: true,
        ..text_column(label)
    }
}

impl Column {
    /// `order`: the current value of `aria-sort`.
    pub fn sorted(mut self, href: String, order: Option<&'static str>) -> Self {
        self.href = Some(href);
        self.order = order;
        self
    }

    fn side(&self) -> Option<&'static str> {
        self.right.then_some("r")
    }

    fn head(&self) -> Markup {
        html! {
            th scope="col" class=[self.side()] aria-sort=[self.order] {
                @if let Some(href) = &self.href {
                    a href=(href) {
                        (self.label)
                        @if let Some(order) = self.order {
                            (icon(if order == "ascending" { "up" } else { "down" }))
                        }
                    }
                } @else {
                    (self.label)
                }
            }
        }
    }
}

/// The first cell is its header.
pub struct Row {
    cells: Vec<Markup>,
    own: bool,
}

pub fn row(cells: Vec<Markup>) -> Row {
    Row { cells, own: false }
}

impl Row {
    /// Highlights a row about the project itself.
    pub fn own(mut self, own: bool) -> Self {
        self.own = own;
        self
    }
}

pub struct Table {
    caption: String,
    caption_hidden: bool,
    columns: Vec<Column>,
    rows: Vec<Row>,
    has_card_layout: bool,
    summary: String,
    first: Option<String>,
    next: Option<String>,
}

impl Table {
    pub fn new(caption: &str, columns: impl Into<Vec<Column>>, rows: Vec<Row>) -> Self {
        Self {
            caption: caption.to_owned(),
            caption_hidden: false,
            columns: columns.into(),
            rows,
            has_card_layout: true,
            summary: String::new(),
            first: None,
            next: None,
        }
    }

    /// For screen readers only: the heading above shows the same.
    pub fn hide_caption(mut self) -> Self {
        self.caption_hidden = true;
        self
    }

    /// Stays a table at any width; for few short columns.
    pub fn without_card_layout(mut self) -> Self {
        self.has_card_layout = false;
        self
    }

    pub fn paged(mut self, summary: String, first: Option<String>, next: Option<String>) -> Self {
        self.summary = summary;
        self.first = first;
        self.next = next;
        self
    }

    pub fn html(&self) -> Markup {
        html! {
            div .scroll tabindex="0" role="group" aria-label=(self.caption) {
                table class=[self.has_card_layout.then_some("cardy")] {
                    caption class=[self.caption_hidden.then_some("out")] { (self.caption) }
                    thead { tr { @for column in &self.columns { (column.head()) } } }
                    tbody {
                        @for row in &self.rows {
                            tr class=[row.own.then_some("own")] {
                                @for (at, cell) in row.cells.iter().enumerate() {
                                    @if at == 0 { th scope="row" { (cell) } } @else {
                                        @let column = &self.columns[at];
                                        td class=[column.side()] data-label=(column.label) { (cell) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            (pager(self.first.as_deref(), self.next.as_deref(), &self.summary))
        }
    }
}
