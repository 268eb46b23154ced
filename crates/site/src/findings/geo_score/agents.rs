use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// What a crawler reads for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum AgentPurpose {
    /// An index that answers are looked up in.
    Search,
    /// A page that a user asks about now.
    Fetch,
    /// Models; reported, and weighs nothing.
    Training,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AiAgent {
    /// The product token that robots.txt names.
    pub name: &'static str,
    pub purpose: AgentPurpose,
}

const fn agent(name: &'static str, purpose: AgentPurpose) -> AiAgent {
    AiAgent { name, purpose }
}

/// The crawlers that are checked, as their operators name them.
pub const AI_AGENTS: [AiAgent; 21] = [
    agent("Googlebot", AgentPurpose::Search),
    agent("Bingbot", AgentPurpose::Search),
    agent("OAI-SearchBot", AgentPurpose::Search),
    agent("PerplexityBot", AgentPurpose::Search),
    agent("Claude-SearchBot", AgentPurpose::Search),
    agent("DuckAssistBot", AgentPurpose::Search),
    agent("Amzn-SearchBot", AgentPurpose::Search),
    agent("Applebot", AgentPurpose::Search),
    agent("ChatGPT-User", AgentPurpose::Fetch),
    agent("Perplexity-User", AgentPurpose::Fetch),
    agent("Claude-User", AgentPurpose::Fetch),
    agent("MistralAI-User", AgentPurpose::Fetch),
    agent("Meta-ExternalFetcher", AgentPurpose::Fetch),
    agent("GPTBot", AgentPurpose::Training),
    agent("ClaudeBot", AgentPurpose::Training),
    agent("Google-Extended", AgentPurpose::Training),
    agent("CCBot", AgentPurpose::Training),
    agent("Applebot-Extended", AgentPurpose::Training),
    agent("Bytespider", AgentPurpose::Training),
    agent("Amazonbot", AgentPurpose::Training),
    agent("Meta-ExternalAgent", AgentPurpose::Training),
];

const SEARCH_ENGINES: [&str; 2] = ["Googlebot", "Bingbot"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentVerdict {
    pub name: String,
    pub allowed: bool,
    /// The rule that decides, as written; `None` without one.
    pub rule: Option<String>,
}

/// What robots.txt says to one crawler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentAccess {
    /// The crawler's name.
    pub name: String,
    /// What it reads for.
    pub purpose: AgentPurpose,
    /// Whether it may read the page; null where that was not looked up.
    pub allowed: Option<bool>,
    /// The rule that decides, as written; null where none does.
    pub rule: Option<String>,
}

pub fn agent_access(verdicts: &[AgentVerdict]) -> Vec<AgentAccess> {
    let row = |agent: &AiAgent| {
        let verdict = verdicts
            .iter()
            .find(|it| it.name.eq_ignore_ascii_case(agent.name));
        AgentAccess {
            name: agent.name.to_owned(),
            purpose: agent.purpose,
            allowed: verdict.map(|it| it.allowed),
            rule: verdict.and_then(|it| it.rule.clone()),
        }
    };
    AI_AGENTS.iter().map(row).collect()
}

/// Whether it is a search crawler of an AI engine; Googlebot and Bingbot are not.
pub fn is_ai_search_agent(name: &str) -> bool {
    let agent = AI_AGENTS.iter().find(|it| it.name == name);
    let searches = agent.is_some_and(|it| it.purpose == AgentPurpose::Search);
    searches && !SEARCH_ENGINES.contains(&name)
}

/// Googlebot or Bingbot; AI engines use their indexes too.
pub fn is_search_engine(access: &AgentAccess) -> bool {
    SEARCH_ENGINES.contains(&access.name.as_str())
}
