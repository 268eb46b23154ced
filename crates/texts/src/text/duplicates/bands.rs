//! Locality-sensitive hashing (Indyk and Motwani 1998). With 16 bands of 8 rows, pages of similarity J become
//! candidates with probability 1 − (1 − J^8)^16: 0.9999 at 0.9, 0.95 at 0.8, 0.61 at 0.7, 0.06 at 0.5.

use super::{Fingerprint, PERMUTATIONS};

const ROWS: usize = 8;

const BANDS: usize = PERMUTATIONS / ROWS;

/// Comparisons per page and band, so that many pages of one template stay linear.
const WINDOW: usize = 32;

/// Calls `compare` once for each pair (positions, lower first) that shares a band. In a bucket of more than 33 pages,
/// each page is compared with the next 32 and the first; returns whether pairs were left out.
pub fn candidates(pages: &[(usize, &Fingerprint)], mut compare: impl FnMut(usize, usize)) -> bool {
    let mut left_out = false;
    let mut order: Vec<usize> = (0..pages.len()).collect();
    for band in 0..BANDS {
        let key = |at: &usize| rows(pages[*at].1, band);
        order.sort_unstable_by(|one, other| key(one).cmp(key(other)).then(one.cmp(other)));
        for bucket in order.chunk_by(|one, other| key(one) == key(other)) {
            left_out |= bucket.len() > WINDOW + 1;
            for (at, one) in bucket.iter().enumerate() {
                let followers = &bucket[at + 1..bucket.len().min(at + 1 + WINDOW)];
                let head = bucket.first().filter(|_| at > WINDOW);
                for other in followers.iter().chain(head) {
                    let (first, second) = (one.min(other), one.max(other));
                    if !shares_earlier_band(pages[*first].1, pages[*second].1, band) {
                        compare(pages[*first].0, pages[*second].0);
                    }
                }
            }
        }
    }
    left_out
}

fn rows(page: &Fingerprint, band: usize) -> &[u32] {
    &page.signature.values()[band * ROWS..(band + 1) * ROWS]
}

fn shares_earlier_band(one: &Fingerprint, other: &Fingerprint, band: usize) -> bool {
    (0..band).any(|it| rows(one, it) == rows(other, it))
}
