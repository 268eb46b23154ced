//! Tables that stand beside the source, as `.tsv`.

/// The records of a table, one a line, each of `N` cells between tabs; lines that begin with `#` are comments, and the
/// first other one names the columns.
///
/// # Panics
///
/// Where a line has another number of cells. Tables are a part of the program, and tests read each.
pub fn records<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let lines = table
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.skip(1).map(|line| {
        let cells: Vec<&'static str> = line.split('\t').collect();
        <[&'static str; N]>::try_from(cells).expect("a cell for each column")
    })
}
