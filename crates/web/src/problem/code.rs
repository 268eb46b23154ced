//! Problem codes with their statuses and titles.

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $status:literal, $title:literal, $retryable:literal;)+) => {
        analysis::wire_enum! {
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum Code {
                $($(#[doc = $doc])+ $variant = $name,)+
            }
        }

        impl Code {
            #[must_use]
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)+ }
            }

            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }

            /// One sentence, from the doc comment of the variant.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim(),)+ }
            }

            /// Whether the same request may succeed later.
            #[must_use]
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$variant => $retryable,)+ }
            }
        }
    };
}

codes! {
    /// The body cannot be parsed.
    MalformedJson = "malformed-json", 400, "Body is not valid JSON", false;
    /// A header's value has the wrong form.
    InvalidHeader = "invalid-header", 400, "Header value cannot be used", false;
    /// The request has no access token.
    TokenMissing = "token-missing", 401, "Access token required", false;
    /// No such token exists.
    TokenInvalid = "token-invalid", 401, "Access token not accepted", false;
    /// The token has expired.
    TokenExpired = "token-expired", 401, "Access token has expired", false;
    /// The token was revoked.
    TokenRevoked = "token-revoked", 401, "Access token was revoked", false;
    /// There is no session, or it has ended; API tokens are not accepted here.
    SessionRequired = "session-required", 401, "Sign-in required", false;
    /// The e-mail address or the password is wrong.
    SignInRefused = "sign-in-refused", 401, "E-mail address or password not accepted", false;
    /// The token lacks a scope.
    InsufficientScope = "insufficient-scope", 403, "Token lacks a required scope", false;
    /// The `Host` or `Origin` header names another site.
    OriginNotAllowed = "origin-not-allowed", 403, "Host or origin not allowed", false;
    /// The CSRF token or origin of the request is not that of a page of this server.
    CsrfRejected = "csrf-rejected", 403, "Request origin not allowed", false;
    /// The password must be entered again first.
    ReauthenticationRequired = "reauthentication-required", 403, "Password required again", false;
    /// The member's role does not hold the right.
    RoleInsufficient = "role-insufficient", 403, "Role does not allow this", false;
    /// The invitation is for another person's address.
    InvitationForAnother = "invitation-for-another", 403, "Invitation is for another address", false;
    /// Nothing is served at this path.
    NotFound = "not-found", 404, "Nothing is here", false;
    /// The account has no such project.
    ProjectNotFound = "project-not-found", 404, "No such project", false;
    /// The account has no such keyword.
    KeywordNotFound = "keyword-not-found", 404, "No such keyword", false;
    /// The project has no such content plan.
    ContentPlanNotFound = "content-plan-not-found", 404, "No such content plan", false;
    /// The account has no such analysis.
    JobNotFound = "job-not-found", 404, "No such analysis", false;
    /// The link is unknown, used, revoked or expired.
    LinkInvalid = "link-invalid", 404, "Link does not work", false;
    /// The path does not serve this method.
    MethodNotAllowed = "method-not-allowed", 405, "Method is not served here", false;
    /// No representation matches `Accept`.
    NotAcceptable = "not-acceptable", 406, "No acceptable representation", false;
    /// The request did not arrive in time.
    RequestTimeout = "request-timeout", 408, "Request did not arrive in time", true;
    /// An active project has the domain.
    ProjectExists = "project-exists", 409, "Project is already there", false;
    /// The project already tracks the keyword in this market.
    KeywordExists = "keyword-exists", 409, "Keyword is already there", false;
    /// The project is deactivated.
    ProjectDeactivated = "project-deactivated", 409, "Project is deactivated", false;
    /// The project has nothing to measure.
    NothingToMeasure = "nothing-to-measure", 409, "Nothing to measure", false;
    /// The domain is well formed but cannot be monitored.
    DomainNotMonitorable = "domain-not-monitorable", 409, "Domain cannot be monitored", false;
    /// A limit of the account or project is reached; waiting does not help.
    AllowanceExceeded = "allowance-exceeded", 409, "Plan allowance used up", false;
    /// The first account already exists.
    WelcomeOver = "welcome-over", 409, "First account exists already", false;
    /// Another person already uses this e-mail address.
    EmailTaken = "email-taken", 409, "E-mail address cannot be used", false;
    /// The server has no mail settings.
    MailNotConfigured = "mail-not-configured", 409, "Server sends no mail", false;
    /// Only messages that failed, expired or are of unknown outcome are sent again.
    MessageNotFailed = "message-not-failed", 409, "Message did not fail", false;
    /// Only its recipient could lift the suppression of an address.
    SuppressionFinal = "suppression-final", 409, "Suppression cannot be lifted", false;
    /// The person is a member of the account already.
    AlreadyMember = "already-member", 409, "Already a member", false;
    /// The account would have no owner.
    LastOwner = "last-owner", 409, "Last owner cannot go", false;
    /// The page shows another account than the one that the session works in.
    AccountChanged = "account-changed", 409, "Another account is open", false;
    /// This server or version does not have the feature.
    FeatureDisabled = "feature-disabled", 409, "Not available on this server", false;
    /// A request with the same idempotency key is in progress.
    IdempotencyInProgress = "idempotency-in-progress", 409, "Same key is being processed", true;
    /// The resource is not in the state that the caller expects.
    PreconditionFailed = "precondition-failed", 412, "Resource changed", false;
    /// The body is too large.
    PayloadTooLarge = "payload-too-large", 413, "Body is too large", false;
    /// The URL is too long.
    UriTooLong = "uri-too-long", 414, "URL is too long", false;
    /// The content type of the body is not supported.
    UnsupportedMediaType = "unsupported-media-type", 415, "Body type is not supported", false;
    /// The request is well formed but has invalid values; `errors` lists them.
    ValidationFailed = "validation-failed", 422, "Request is not valid", false;
    /// The idempotency key belongs to another request.
    IdempotencyKeyReused = "idempotency-key-reused", 422, "Key used with another request", false;
    /// The header fields are too many or too long.
    HeadersTooLarge = "headers-too-large", 431, "Header fields are too large", false;
    /// The rate limit is exceeded.
    RateLimited = "rate-limited", 429, "Too many requests", true;
    /// The limit of concurrent requests is reached.
    ConcurrencyLimited = "concurrency-limited", 429, "Too many requests under way", true;
    /// A quota or budget of the period is used up.
    QuotaExceeded = "quota-exceeded", 429, "Quota used up", true;
    /// The service failed.
    InternalError = "internal-error", 500, "Unexpected error", true;
    /// A supplier does not answer.
    SupplierUnavailable = "supplier-unavailable", 503, "Supplier does not answer", true;
    /// The queue is full.
    QueueFull = "queue-full", 503, "Queue is full", true;
    /// The database does not answer.
    DatabaseUnavailable = "database-unavailable", 503, "Storage is not available", true;
    /// The server is overloaded.
    Overloaded = "overloaded", 503, "Server is overloaded", true;
}

impl Code {
    /// Registered by IANA (`draft-ietf-httpapi-ratelimit-headers-11`, 6); other codes have a type of this server.
    pub const fn registered_type(self) -> Option<&'static str> {
        match self {
            Self::RateLimited => {
                Some("https://iana.org/assignments/http-problem-types#quota-exceeded")
            }
            Self::Overloaded => {
                Some("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity")
            }
            _ => None,
        }
    }

    /// Only the session API returns it.
    pub const fn is_for_people(self) -> bool {
        matches!(
            self,
            Self::SessionRequired
                | Self::SignInRefused
                | Self::CsrfRejected
                | Self::ReauthenticationRequired
                | Self::WelcomeOver
                | Self::EmailTaken
                | Self::MailNotConfigured
                | Self::MessageNotFailed
                | Self::SuppressionFinal
                | Self::ContentPlanNotFound
                | Self::SupplierUnavailable
                | Self::RoleInsufficient
                | Self::InvitationForAnother
                | Self::LinkInvalid
                | Self::AlreadyMember
                | Self::LastOwner
                | Self::AccountChanged
        )
    }
}
