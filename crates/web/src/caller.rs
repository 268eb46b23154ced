//! Whoever calls: an agent with a token, by request or by tool, or somebody who is signed in.

use domain::{
    account::Account,
    ids::CallerId,
    job::Trigger,
    token::ApiToken,
    use_cases::{authenticate_agent::Agent, authenticate_session::Member},
};

/// Whoever calls. What they may do was checked before; what is left is whose data it is about.
#[derive(Debug, Clone)]
pub enum Caller {
    /// Holds a token.
    Agent(Box<Agent>),
    /// Holds a token, and calls a tool.
    Tool(Box<Agent>),
    /// Is signed in.
    Member(Box<Member>),
}

impl Caller {
    /// Their account.
    #[must_use]
    pub fn account(&self) -> &Account {
        match self {
            Self::Agent(agent) | Self::Tool(agent) => &agent.account,
            Self::Member(member) => &member.account,
        }
    }

    /// The number of the token or the session.
    #[must_use]
    pub fn id(&self) -> CallerId {
        match self {
            Self::Agent(agent) | Self::Tool(agent) => agent.token.id.into(),
            Self::Member(member) => member.session.id.into(),
        }
    }

    /// The token; somebody who is signed in has none.
    #[must_use]
    pub fn token(&self) -> Option<&ApiToken> {
        match self {
            Self::Agent(agent) | Self::Tool(agent) => Some(&agent.token),
            Self::Member(_) => None,
        }
    }

    /// What an analysis that they start was started by.
    #[must_use]
    pub const fn trigger(&self) -> Trigger {
        match self {
            Self::Agent(_) => Trigger::Api,
            Self::Tool(_) => Trigger::Mcp,
            Self::Member(_) => Trigger::Session,
        }
    }
}
