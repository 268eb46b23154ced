//! Roles of members, and the table of their rights: from it come the checks of pages and of the session API, the
//! access test and `docs/reference/rights.md`.

use analysis::events::EventClass;
use analysis::result_type::ResultType;
use std::fmt;

analysis::wire_enum! {
    /// In descending order of power.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Role {
        Owner = "owner",
        Admin = "admin",
        Editor = "editor",
        Viewer = "viewer",
        /// Sees only the projects granted to the member.
        Client = "client",
    }
}

/// How far a role holds a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    Full,
    /// Changes require a password entered in the last ten minutes ([`Session::FRESH`](crate::session::Session::FRESH)).
    Fresh,
    /// For granted projects only.
    GrantedProjects,
    /// For the member's own data.
    Own,
    None,
}

impl Grant {
    /// As shown in the table.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Full => "yes",
            Self::Fresh => "password",
            Self::GrantedProjects => "granted projects",
            Self::Own => "own",
            Self::None => "no",
        }
    }
}

macro_rules! rights {
    ($($right:ident $name:literal $means:literal $owner:ident $admin:ident $editor:ident $viewer:ident $client:ident;)+) => {
        analysis::wire_enum! {
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Right {
                $($right = $name,)+
            }
        }

        impl Right {
            /// What it allows.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$right => $means,)+
                }
            }

            const fn row(self) -> [Grant; Role::ALL.len()] {
                match self {
                    $(Self::$right => [Grant::$owner, Grant::$admin, Grant::$editor, Grant::$viewer, Grant::$client],)+
                }
            }
        }
    };
}

rights! {
    ResultsRead "results.read" "Read projects, keywords and results" Full Full Full Full GrantedProjects;
    DetailsRead "details.read" "Read whole AI answers, Search Console rows, content plans, suggestions and analyses" Full Full Full Full None;
    ProjectsWrite "projects.write" "Create, change, deactivate and reactivate projects" Full Full Full None None;
    KeywordsWrite "keywords.write" "Add, change, deactivate and reactivate keywords" Full Full Full None None;
    AnalysisRun "analysis.run" "Start and cancel analyses" Full Full Full None None;
    PlansWrite "plans.write" "Change content plans, assign issues and suggestions, import Search Console rows" Full Full Full None None;
    ResearchUse "research.use" "Research keywords" Full Full Full None None;
    AccountRead "account.read" "Read usage, limits, spending and the members' names and roles" Full Full Full Full None;
    AccountWrite "account.write" "Change the account's name, report defaults and AI models" Full Full None None None;
    AuditRead "audit.read" "Read the audit log" Full Full None None None;
    TokensManage "tokens.manage" "List and create API tokens" Fresh Fresh None None None;
    TokensRevoke "tokens.revoke" "Revoke API tokens" Full Full None None None;
    MembersManage "members.manage" "Invite, change and remove members below owner" Fresh Fresh None None None;
    OwnersManage "owners.manage" "Invite, change and remove owners" Fresh None None None None;
    OwnLogin "self" "Change one's own name, password, address and sessions; leave the account" Own Own Own Own Own;
}

impl Right {
    /// The right to give a role to another member, or to take it away. Only owners manage owners.
    pub const fn to_manage(role: Role) -> Self {
        match role {
            Role::Owner => Self::OwnersManage,
            _ => Self::MembersManage,
        }
    }

    /// The right to read results of a type.
    pub const fn to_read(of: ResultType) -> Self {
        match of {
            ResultType::Suggestions => Self::DetailsRead,
            _ => Self::ResultsRead,
        }
    }

    /// The right to read events of a class.
    pub const fn to_read_events(of: EventClass) -> Self {
        match of {
            EventClass::Ranks | EventClass::Ai | EventClass::Site => Self::ResultsRead,
            EventClass::Search | EventClass::Work => Self::DetailsRead,
            EventClass::Security => Self::AuditRead,
        }
    }
}

impl Role {
    pub fn grant(self, right: Right) -> Grant {
        right.row()[self as usize]
    }

    /// Whether the role holds the right for at least one project or with a recent password.
    pub fn holds(self, right: Right) -> bool {
        self.grant(right) != Grant::None
    }

    pub fn manages(self, role: Self) -> bool {
        self.holds(Right::to_manage(role))
    }

    pub const fn is_limited_to_granted_projects(self) -> bool {
        matches!(self, Self::Client)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_holds_no_right_that_a_stronger_one_lacks() {
        for right in Right::ALL {
            let holds = Role::ALL.map(|it| it.holds(right));
            assert!(
                holds.is_sorted_by(|stronger, weaker| stronger >= weaker),
                "{right:?}"
            );
        }
    }

    #[test]
    fn only_owners_manage_owners() {
        for role in Role::ALL {
            let managing = Role::ALL.into_iter().filter(|it| it.manages(role));
            let expected: &[Role] = match role {
                Role::Owner => &[Role::Owner],
                _ => &[Role::Owner, Role::Admin],
            };
            assert_eq!(managing.collect::<Vec<_>>(), expected, "{role}");
        }
    }

    #[test]
    fn every_role_manages_its_own_login() {
        for role in Role::ALL {
            assert_eq!(role.grant(Right::OwnLogin), Grant::Own);
        }
    }
}
