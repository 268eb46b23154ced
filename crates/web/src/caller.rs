use crate::links::Surface;
use domain::account::Account;
use domain::ids::CallerId;
use domain::job::Trigger;
use domain::token::ApiToken;
use domain::use_cases::sessions::Member;
use domain::use_cases::tokens::Agent;

/// Permissions are already checked; queries only need the account.
#[derive(Debug, Clone)]
pub enum Caller {
    Agent(Box<Agent>),
    Tool(Box<Agent>),
    Member(Box<Member>),
}

impl Caller {
    pub fn account(&self) -> &Account {
        match self {
            Self::Agent(agent) | Self::Tool(agent) => &agent.account,
            Self::Member(member) => &member.account,
        }
    }

    pub fn id(&self) -> CallerId {
        match self {
            Self::Agent(agent) | Self::Tool(agent) => agent.token.id.into(),
            Self::Member(member) => member.session.id.into(),
        }
    }

    pub const fn surface(&self) -> Surface {
        match self {
            Self::Agent(_) => Surface::Agent,
            Self::Tool(_) => Surface::Tool,
            Self::Member(_) => Surface::Session,
        }
    }

    /// `None` for a signed-in user.
    pub fn token(&self) -> Option<&ApiToken> {
        match self {
            Self::Agent(agent) | Self::Tool(agent) => Some(&agent.token),
            Self::Member(_) => None,
        }
    }

    pub const fn trigger(&self) -> Trigger {
        match self {
            Self::Agent(_) => Trigger::Api,
            Self::Tool(_) => Trigger::Mcp,
            Self::Member(_) => Trigger::Session,
        }
    }
}
