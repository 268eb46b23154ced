use crate::link::LinkKind;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeMap;

/// How a recipient can stop messages, and which limits they count for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurposeClass {
    /// About the recipient's own login: sent whatever the recipient unsubscribed from.
    Security,
    /// A link that the recipient or a member requested just now.
    Link,
    /// Everything else: recipients may unsubscribe.
    Notice,
}

/// A value of a message, stored as text.
pub trait Variable: Sized {
    /// `None` stores nothing.
    fn to_text(&self) -> Option<String>;
    fn from_text(text: Option<&str>) -> Option<Self>;
}

impl Variable for String {
    fn to_text(&self) -> Option<String> {
        Some(self.clone())
    }

    fn from_text(text: Option<&str>) -> Option<Self> {
        text.map(str::to_owned)
    }
}

impl Variable for Option<String> {
    fn to_text(&self) -> Option<String> {
        self.clone()
    }

    fn from_text(text: Option<&str>) -> Option<Self> {
        Some(text.map(str::to_owned))
    }
}

/// A text a line.
impl Variable for Vec<String> {
    fn to_text(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.join("\n"))
    }

    fn from_text(text: Option<&str>) -> Option<Self> {
        Some(text.map_or_else(Self::new, |it| it.lines().map(str::to_owned).collect()))
    }
}

macro_rules! variables {
    ($($type:ty),+) => {
        $(impl Variable for $type {
            fn to_text(&self) -> Option<String> {
                Some(self.to_string())
            }

            fn from_text(text: Option<&str>) -> Option<Self> {
                text?.parse().ok()
            }
        })+
    };
}

variables!(u32, bool);

impl Variable for DateTime<Utc> {
    fn to_text(&self) -> Option<String> {
        Some(self.to_rfc3339())
    }

    fn from_text(text: Option<&str>) -> Option<Self> {
        DateTime::parse_from_rfc3339(text?).ok().map(Into::into)
    }
}

macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $name:ident $word:literal: $class:ident, $lifetime:expr, $link:expr => { $($field:ident: $type:ty),* $(,)? }
    )+) => {
        analysis::wire_enum! {
            /// What a message is for.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Purpose {
                $($(#[$doc])* $name = $word,)+
            }
        }

        /// What a message says. Holds no secret: links are made while it is sent.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Message {
            $($(#[$doc])* $name { $($field: $type),* },)+
        }

        impl Message {
            pub const fn purpose(&self) -> Purpose {
                match self {
                    $(Self::$name { .. } => Purpose::$name,)+
                }
            }

            /// The values as texts by name, from which [`Message::from_variables`] makes it again.
            pub fn variables(&self) -> BTreeMap<&'static str, String> {
                match self {
                    $(Self::$name { $($field),* } => {
                        let all: Vec<(&'static str, Option<String>)> =
                            vec![$((stringify!($field), $field.to_text())),*];
                        all.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
                    })+
                }
            }

            /// `None` if a value is missing or invalid.
            pub fn from_variables(purpose: Purpose, variables: &BTreeMap<String, String>) -> Option<Self> {
                let _text = |name: &str| variables.get(name).map(String::as_str);
                Some(match purpose {
                    $(Purpose::$name => Self::$name { $($field: Variable::from_text(_text(stringify!($field)))?),* },)+
                })
            }
        }

        impl Purpose {
            pub const fn class(self) -> PurposeClass {
                match self {
                    $(Self::$name => PurposeClass::$class,)+
                }
            }

            /// How long it is of use.
            pub const fn lifetime(self) -> TimeDelta {
                match self {
                    $(Self::$name => $lifetime,)+
                }
            }

            /// The link that its worker makes.
            pub const fn link(self) -> Option<LinkKind> {
                match self {
                    $(Self::$name => $link,)+
                }
            }
        }
    };
}

const NOTICE: TimeDelta = TimeDelta::hours(72);

messages! {
    /// To the invited address.
    Invitation "invitation": Link, TimeDelta::days(7), Some(LinkKind::MailedInvitation) => {
        account: String,
        inviter: String,
        role: String,
        projects: Vec<String>,
        expires_at: DateTime<Utc>,
    }
    /// To the inviter.
    InvitationAccepted "invitationAccepted": Notice, NOTICE, None => { account: String, member: String, email: String, role: String }
    PasswordReset "passwordReset": Security, TimeDelta::minutes(30), Some(LinkKind::PasswordReset) => {}
    PasswordChanged "passwordChanged": Security, NOTICE, None => { at: DateTime<Utc>, network: Option<String> }
    /// To the new address.
    AddressConfirmation "addressConfirmation": Link, TimeDelta::hours(24), Some(LinkKind::AddressConfirmation) => { name: String, before: String }
    /// To the old address, when the change is requested and when it is confirmed.
    AddressChange "addressChange": Security, NOTICE, Some(LinkKind::AddressCancellation) => { new: String, is_confirmed: bool }
    /// To a person, when another one requests the same address.
    AddressTaken "addressTaken": Security, NOTICE, None => {}
    NewDevice "newDevice": Security, NOTICE, Some(LinkKind::NotMe) => { at: DateTime<Utc>, browser: Option<String>, network: String }
    FailedSignIns "failedSignIns": Security, NOTICE, None => { failures: u32, at: DateTime<Utc> }
    /// To owners and admins of the account.
    TokenLeaked "tokenLeaked": Security, NOTICE, None => { account: String, token: String, at: DateTime<Utc> }
    RoleChanged "roleChanged": Notice, NOTICE, None => { account: String, by: String, role: String }
    MemberRemoved "memberRemoved": Notice, NOTICE, None => { account: String, by: String }
    /// To the owners.
    MemberLeft "memberLeft": Notice, NOTICE, None => { account: String, member: String }
    ExportReady "exportReady": Notice, NOTICE, None => { account: String, expires_at: DateTime<Utc> }
    /// To the owners; also three days before.
    AccountDeletion "accountDeletion": Security, NOTICE, None => { account: String, by: String, deleted_at: DateTime<Utc> }
    /// Sent by the operator to see that mail works.
    Test "test": Link, TimeDelta::hours(1), None => {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_back_from_their_variables() {
        let at = DateTime::from_timestamp(1_700_000_000, 5_000).unwrap();
        let messages = [
            Message::Invitation {
                account: "Acme".into(),
                inviter: "Ann".into(),
                role: "client".into(),
                projects: vec!["Shop".into(), "Blog: news".into()],
                expires_at: at,
            },
            Message::NewDevice {
                at,
                browser: None,
                network: "192.0.2.0/24".into(),
            },
            Message::AddressChange {
                new: "ann@example.com".into(),
                is_confirmed: true,
            },
            Message::FailedSignIns { failures: 100, at },
            Message::PasswordReset {},
        ];
        for message in messages {
            let stored = message.variables();
            let stored = stored.into_iter().map(|(name, it)| (name.to_owned(), it));
            let read = Message::from_variables(message.purpose(), &stored.collect());
            assert_eq!(read, Some(message));
        }
        let none = BTreeMap::new();
        assert_eq!(Message::from_variables(Purpose::RoleChanged, &none), None);
    }
}
