use crate::links::Surface;
use crate::problem::Problem;
use crate::refusals;
use analysis::result_type::ResultType;
use domain::account::Account;
use domain::ids::{CallerId, ProjectId};
use domain::job::Trigger;
use domain::rights::Right;
use domain::token::ApiToken;
use domain::use_cases::sessions::Member;
use domain::use_cases::tokens::Agent;
use std::collections::BTreeSet;

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

    /// The projects that the caller may see; `None` is all of the account.
    pub fn granted_projects(&self) -> Option<BTreeSet<ProjectId>> {
        match self {
            Self::Agent(_) | Self::Tool(_) => None,
            Self::Member(member) => member.granted_projects.clone(),
        }
    }

    /// Scopes of agents are checked before; a member needs the right of the type.
    pub fn check_may_read(&self, of: ResultType) -> Result<(), Problem> {
        let right = Right::to_read(of);
        match self {
            Self::Member(member) if !member.holds(right) => {
                Err(refusals::role_insufficient(member, right))
            }
            _ => Ok(()),
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
