//! Tables in `.tsv` files beside the source.

/// The rows of a table: `N` tab-separated cells a line. Lines that begin with `#` are comments; the first other line
/// names the columns.
///
/// # Panics
///
/// If a line has another number of cells. Tables are compiled in, and tests read each.
pub fn records<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let lines = table
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.skip(1).map(|line| {
        let cells: Vec<&'static str> = line.split('\t').collect();
        <[&'static str; N]>::try_from(cells).expect("a cell for each column")
    })
}
