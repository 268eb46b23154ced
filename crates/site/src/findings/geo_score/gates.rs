use super::agents::{AgentAccess, AgentPurpose, is_search_engine};
use super::factors::truncated_evidence;
use super::record::{Gate, GateCode};
use crate::observation::page_content::{GOOGLEBOT, PageContent, text_depends_on_scripts};

pub fn gates(page: &PageContent, agents: &[AgentAccess], rendered_words: Option<u32>) -> Vec<Gate> {
    let found = [
        not_indexable(page),
        search_engines(agents),
        no_snippet(page),
        needs_scripts(page, rendered_words),
        ai_search(agents),
    ];
    found.into_iter().flatten().collect()
}

pub fn multiplier(gates: &[Gate]) -> f64 {
    gates.iter().map(|it| it.multiplier).product()
}

fn gate(code: GateCode, evidence: Vec<String>) -> Gate {
    Gate {
        code,
        multiplier: code.multiplier(),
        evidence: truncated_evidence(evidence),
    }
}

fn not_indexable(page: &PageContent) -> Option<Gate> {
    if page.is_indexable() {
        return None;
    }
    let mut evidence = Vec::new();
    let status = page.fetched.status;
    if status != Some(200) {
        evidence.push(status.map_or("no answer".to_owned(), |it| format!("status {it}")));
    }
    if !page.fetched.is_html() {
        let kind = page.fetched.content_type.as_deref().unwrap_or("none");
        evidence.push(format!("media type {kind}"));
    }
    if page.robots_for(GOOGLEBOT).noindex {
        evidence.push("noindex".to_owned());
    } else if page.is_noindex() {
        evidence.push("noindex, set by a script".to_owned());
    }
    if !page.is_canonical_as_sent() {
        let canonical = page.canonical().unwrap_or("several");
        evidence.push(format!("canonical {canonical}"));
    } else if !page.is_canonical() {
        let canonical = page.canonical_by_script().unwrap_or("several");
        evidence.push(format!("canonical {canonical}, set by a script"));
    }
    Some(gate(GateCode::NotIndexable, evidence))
}

/// Rules that block all agents; `None` if one is allowed or unknown.
fn blocking_rules<'a>(agents: impl Iterator<Item = &'a AgentAccess>) -> Option<Vec<String>> {
    let mut rules = Vec::new();
    for agent in agents {
        if agent.allowed != Some(false) {
            return None;
        }
        let rule = agent.rule.as_deref().unwrap_or("no rule");
        rules.push(format!("{}: {rule}", agent.name));
    }
    (!rules.is_empty()).then_some(rules)
}

fn search_engines(agents: &[AgentAccess]) -> Option<Gate> {
    let engines = agents.iter().filter(|it| is_search_engine(it));
    Some(gate(
        GateCode::SearchEnginesBlocked,
        blocking_rules(engines)?,
    ))
}

fn ai_search(agents: &[AgentAccess]) -> Option<Gate> {
    let engines = agents
        .iter()
        .filter(|it| it.purpose != AgentPurpose::Training && !is_search_engine(it));
    Some(gate(GateCode::AiSearchBlocked, blocking_rules(engines)?))
}

fn no_snippet(page: &PageContent) -> Option<Gate> {
    let directives = page.robots.iter().flat_map(|it| &it.rules);
    let effect = page.robots_for(GOOGLEBOT);
    effect.nosnippet.then(|| {
        let rules = directives.filter(|it| it.contains("snippet")).cloned();
        gate(GateCode::NoSnippet, rules.collect())
    })
}

fn needs_scripts(page: &PageContent, rendered_words: Option<u32>) -> Option<Gate> {
    if page.is_truncated() {
        // The rest of a truncated page is unknown.
        return None;
    }
    text_depends_on_scripts(page, rendered_words).then(|| {
        let words = page.text.counts.words;
        let with = rendered_words.map_or_else(String::new, |it| format!(", {it} with them"));
        let evidence = format!("{words} words of main text without scripts{with}");
        gate(GateCode::TextNeedsScripts, vec![evidence])
    })
}
