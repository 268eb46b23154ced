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
    /// No token.
    TokenMissing = "token-missing", 401, "Access token required", false;
    /// Not a token that is known.
    TokenInvalid = "token-invalid", 401, "Access token not accepted", false;
    /// A token whose time is over.
    TokenExpired = "token-expired", 401, "Access token has expired", false;
    /// A token that was revoked.
    TokenRevoked = "token-revoked", 401, "Access token was revoked", false;
    /// No session, or one that has ended; tokens do not count here.
    SessionRequired = "session-required", 401, "Sign-in required", false;
    /// E-mail address and password do not open anything together.
    SignInRefused = "sign-in-refused", 401, "E-mail address or password not accepted", false;
    /// The token lacks a scope.
    InsufficientScope = "insufficient-scope", 403, "Token lacks a required scope", false;
    /// The request names another host, or was made by a page elsewhere.
    OriginNotAllowed = "origin-not-allowed", 403, "Host or origin not allowed", false;
    /// The request was not made by a page of this server.
    CsrfRejected = "csrf-rejected", 403, "Request origin not allowed", false;
    /// The password has to be given again first.
    ReauthenticationRequired = "reauthentication-required", 403, "Password required again", false;
    /// Nothing is served there.
    NotFound = "not-found", 404, "Nothing is here", false;
    /// No such project of this account.
    ProjectNotFound = "project-not-found", 404, "No such project", false;
    /// No such keyword of this account.
    KeywordNotFound = "keyword-not-found", 404, "No such keyword", false;
    /// No such content plan of the project.
    ContentPlanNotFound = "content-plan-not-found", 404, "No such content plan", false;
    /// No such job of this account.
    JobNotFound = "job-not-found", 404, "No such analysis", false;
    /// The method is not served there.
    MethodNotAllowed = "method-not-allowed", 405, "Method is not served here", false;
    /// No representation that the caller accepts.
    NotAcceptable = "not-acceptable", 406, "No acceptable representation", false;
    /// The request did not arrive in time.
    RequestTimeout = "request-timeout", 408, "Request did not arrive in time", true;
    /// An active project has the domain.
    ProjectExists = "project-exists", 409, "Project is already there", false;
    /// The project tracks the keyword in that market.
    KeywordExists = "keyword-exists", 409, "Keyword is already there", false;
    /// The project is out of use.
    ProjectDeactivated = "project-deactivated", 409, "Project is deactivated", false;
    /// The project has nothing to measure.
    NothingToMeasure = "nothing-to-measure", 409, "Nothing to measure", false;
    /// The domain has the right form and cannot be monitored.
    DomainNotMonitorable = "domain-not-monitorable", 409, "Domain cannot be monitored", false;
    /// A level is used up; waiting does not help.
    AllowanceExceeded = "allowance-exceeded", 409, "Plan allowance used up", false;
    /// The first account was created already.
    WelcomeOver = "welcome-over", 409, "First account exists already", false;
    /// Another person signs in with that e-mail address.
    EmailTaken = "email-taken", 409, "E-mail address cannot be used", false;
    /// This server or version does not do it.
    FeatureDisabled = "feature-disabled", 409, "Not available on this server", false;
    /// Another request with the same idempotency key is being executed.
    IdempotencyInProgress = "idempotency-in-progress", 409, "Same key is being processed", true;
    /// The thing is not as the caller expects it.
    PreconditionFailed = "precondition-failed", 412, "Resource changed", false;
    /// The body is too large.
    PayloadTooLarge = "payload-too-large", 413, "Body is too large", false;
    /// The URL is too long.
    UriTooLong = "uri-too-long", 414, "URL is too long", false;
    /// A body of that type is not read here.
    UnsupportedMediaType = "unsupported-media-type", 415, "Body type is not supported", false;
    /// Well formed, and not valid.
    ValidationFailed = "validation-failed", 422, "Request is not valid", false;
    /// The idempotency key was used for another request.
    IdempotencyKeyReused = "idempotency-key-reused", 422, "Key used with another request", false;
    /// The header fields are too many or too long.
    HeadersTooLarge = "headers-too-large", 431, "Header fields are too large", false;
    /// More requests than the rate limit grants.
    RateLimited = "rate-limited", 429, "Too many requests", true;
    /// As many requests are under way as may be.
    ConcurrencyLimited = "concurrency-limited", 429, "Too many requests under way", true;
    /// A month's budget or a quota is used up.
    QuotaExceeded = "quota-exceeded", 429, "Quota used up", true;
    /// An error in the service.
    InternalError = "internal-error", 500, "Unexpected error", true;
    /// Somebody whom the service asks does not answer.
    SupplierUnavailable = "supplier-unavailable", 503, "Supplier does not answer", true;
    /// The queue takes no more.
    QueueFull = "queue-full", 503, "Queue is full", true;
    /// The database does not answer.
    DatabaseUnavailable = "database-unavailable", 503, "Storage is not available", true;
    /// The server has too much to do.
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
                | Self::ContentPlanNotFound
                | Self::SupplierUnavailable
        )
    }
}
