use super::{DateFact, DateRole, FactSource, MetadataInput, dates::machine_date, page_dates::fact};
use std::{collections::HashMap, sync::LazyLock};

/// `meta` names in lower case, with a colon for every dot, hyphen, underscore and space.
const PUBLISHED: &str = "
article:published:time article:published og:published:time og:article:published:time
og:original:time og:pubdate datepublished date:published datecreated date:created created
pubdate publishdate publish:date published:date publication:date publicationdate published
published:time parsely:pub:date sailthru:date dc:date dc:date:issued dc:issued dc:created
dc:date:created dcterms:created dcterms:date dcterms:issued dcterms:available
citation:publication:date citation:date cxenseparse:recs:publishtime cxenseparse:publishtime
article:date:original originalpublicationdate displaydate ptime rnews:datepublished
shareaholic:article:published:time bt:pubdate vr:published:time time:published article:created
doc:date release:date
";

const MODIFIED: &str = "
article:modified:time article:modified og:updated:time og:modified:time datemodified
date:modified modified modified:time last:modified lastmodified lastmod revised
dc:date:modified dc:modified dcterms:modified updated:time dateupdated utime
shareaholic:article:modified:time article:updated revision:date
";

const UNSPECIFIED: &str = "
date dcdate article:date pagedate eomportal:lastupdate
";

static ROLES: LazyLock<HashMap<&str, DateRole>> = LazyLock::new(|| {
    let lists = [
        (UNSPECIFIED, DateRole::Unspecified),
        (MODIFIED, DateRole::Modified),
        (PUBLISHED, DateRole::Published),
    ];
    let names =
        |(list, role): (&'static str, DateRole)| list.split_whitespace().map(move |it| (it, role));
    lists.into_iter().flat_map(names).collect()
});

pub fn add_meta_dates(source: &MetadataInput, all: &mut Vec<DateFact>) {
    for (key, content) in source.metas() {
        if let Some(role) = role_of(&key)
            && let Some(read) = machine_date(content, source.order)
        {
            all.push(fact(role, FactSource::Meta, read, content));
        }
    }
}

fn role_of(key: &str) -> Option<DateRole> {
    let key = key.replace(['_', '.', '-', ' '], ":");
    ROLES.get(key.as_str()).copied()
}
