use crate::ToSchema;
use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// What an issue is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    // In the order of the catalogue.
    pub enum IssueGroup by as_str {
        Availability = "availability",
        Indexability = "indexability",
        Sitemaps = "sitemaps",
        Title = "title",
        Description = "description",
        Headings = "headings",
        Content = "content",
        Links = "links",
        Images = "images",
        International = "international",
        Url = "url",
        Html = "html",
        Security = "security",
        Pagination = "pagination",
        StructuredData = "structuredData",
        Performance = "performance",
        Ai = "ai",
    }
}

macro_rules! codes {
    ($($name:ident = $wire:literal,)*) => {
        /// What is wrong. `catalogue.tsv` says of each code what it means.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
        )]
        pub enum IssueCode {
            $(#[serde(rename = $wire)] $name,)*
        }

        impl IssueCode {
            /// All codes, in the order of the catalogue.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $wire,)*
                }
            }
        }
    };
}

codes! {
    Http4xx = "http4xx",
    Http5xx = "http5xx",
    Timeout = "timeout",
    DnsOrTls = "dnsOrTls",
    Redirect3xx = "redirect3xx",
    RedirectChain = "redirectChain",
    RedirectLoop = "redirectLoop",
    MetaRefreshRedirect = "metaRefreshRedirect",
    SoftNotFound = "softNotFound",
    SlowTtfb = "slowTtfb",
    HttpPage = "httpPage",
    MixedContent = "mixedContent",
    WrongMediaType = "wrongMediaType",
    Noindex = "noindex",
    BlockedByRobots = "blockedByRobots",
    CanonicalMissing = "canonicalMissing",
    CanonicalMultiple = "canonicalMultiple",
    CanonicalRelative = "canonicalRelative",
    CanonicalToNon200 = "canonicalToNon200",
    CanonicalToRedirect = "canonicalToRedirect",
    CanonicalToNoindex = "canonicalToNoindex",
    CanonicalChain = "canonicalChain",
    CanonicalHeaderMismatch = "canonicalHeaderMismatch",
    CanonicalToRoot = "canonicalToRoot",
    CanonicalFragment = "canonicalFragment",
    CanonicalOutsideHead = "canonicalOutsideHead",
    Nosnippet = "nosnippet",
    Noimageindex = "noimageindex",
    MetaInBody = "metaInBody",
    NofollowPage = "nofollowPage",
    RobotsTxtInvalid = "robotsTxtInvalid",
    SitemapNon200 = "sitemapNon200",
    SitemapNoindex = "sitemapNoindex",
    SitemapBlocked = "sitemapBlocked",
    SitemapNonCanonical = "sitemapNonCanonical",
    SitemapTooLarge = "sitemapTooLarge",
    SitemapInvalidXml = "sitemapInvalidXml",
    NotInSitemap = "notInSitemap",
    Orphan = "orphan",
    SitemapLastmodFuture = "sitemapLastmodFuture",
    TitleMissing = "titleMissing",
    TitleMultiple = "titleMultiple",
    TitleDuplicate = "titleDuplicate",
    TitleShort = "titleShort",
    TitleLong = "titleLong",
    TitleSameAsH1 = "titleSameAsH1",
    TitleOutsideHead = "titleOutsideHead",
    DescMissing = "descMissing",
    DescMultiple = "descMultiple",
    DescDuplicate = "descDuplicate",
    DescShort = "descShort",
    DescLong = "descLong",
    DescOutsideHead = "descOutsideHead",
    H1Missing = "h1Missing",
    H1Multiple = "h1Multiple",
    H1Duplicate = "h1Duplicate",
    H1Long = "h1Long",
    H1OnlyImageAlt = "h1OnlyImageAlt",
    HeadingOrder = "headingOrder",
    HeadingEmpty = "headingEmpty",
    ThinContent = "thinContent",
    DuplicateExact = "duplicateExact",
    DuplicateNear = "duplicateNear",
    ReadabilityVeryDifficult = "readabilityVeryDifficult",
    LoremIpsum = "loremIpsum",
    LangMissing = "langMissing",
    LangInvalid = "langInvalid",
    LangMismatch = "langMismatch",
    KeywordStuffing = "keywordStuffing",
    EmptyMainContent = "emptyMainContent",
    InternalBroken = "internalBroken",
    ExternalBroken = "externalBroken",
    ExternalRedirect = "externalRedirect",
    InternalNofollow = "internalNofollow",
    FollowNofollowMixed = "followNofollowMixed",
    TooManyLinks = "tooManyLinks",
    HighExternalOutlinks = "highExternalOutlinks",
    DepthHigh = "depthHigh",
    DeadEnd = "deadEnd",
    EmptyAnchor = "emptyAnchor",
    GenericAnchor = "genericAnchor",
    UncrawlableAnchor = "uncrawlableAnchor",
    LocalhostLink = "localhostLink",
    HttpLink = "httpLink",
    MissingFragment = "missingFragment",
    AltMissing = "altMissing",
    AltLong = "altLong",
    ImageLarge = "imageLarge",
    ImageNoSize = "imageNoSize",
    PictureWithoutImg = "pictureWithoutImg",
    ImageBroken = "imageBroken",
    HreflangNoReturn = "hreflangNoReturn",
    HreflangToNon200 = "hreflangToNon200",
    HreflangToRedirect = "hreflangToRedirect",
    HreflangToNoncanonical = "hreflangToNoncanonical",
    HreflangToNoindex = "hreflangToNoindex",
    HreflangInvalidCode = "hreflangInvalidCode",
    HreflangRelative = "hreflangRelative",
    HreflangNoSelf = "hreflangNoSelf",
    HreflangNoXDefault = "hreflangNoXDefault",
    HreflangLangMismatch = "hreflangLangMismatch",
    HreflangMultipleLangs = "hreflangMultipleLangs",
    Underscore = "underscore",
    Uppercase = "uppercase",
    Space = "space",
    DoubleSlash = "doubleSlash",
    NonAscii = "nonAscii",
    TooLong = "tooLong",
    RepetitivePath = "repetitivePath",
    TrackingParams = "trackingParams",
    SessionId = "sessionId",
    DoctypeMissing = "doctypeMissing",
    ViewportMissing = "viewportMissing",
    DuplicateId = "duplicateId",
    DomSize = "domSize",
    HtmlOver2MB = "htmlOver2MB",
    HeadInvalidElement = "headInvalidElement",
    CharsetMissing = "charsetMissing",
    HstsMissing = "hstsMissing",
    CspMissing = "cspMissing",
    ContentTypeOptionsMissing = "contentTypeOptionsMissing",
    XFrameOptionsMissing = "xFrameOptionsMissing",
    ReferrerPolicyMissing = "referrerPolicyMissing",
    FormOnHttp = "formOnHttp",
    FormActionHttp = "formActionHttp",
    UnsafeCrossOrigin = "unsafeCrossOrigin",
    PaginationNotLinked = "paginationNotLinked",
    PaginationNon200 = "paginationNon200",
    PaginationLoop = "paginationLoop",
    PaginationNoindex = "paginationNoindex",
    SdParseError = "sdParseError",
    SdRequiredMissing = "sdRequiredMissing",
    SdRecommendedMissing = "sdRecommendedMissing",
    SdUnknownTerm = "sdUnknownTerm",
    SdNotVisible = "sdNotVisible",
    SdOutsideItem = "sdOutsideItem",
    SdRetired = "sdRetired",
    LcpPoor = "lcpPoor",
    InpPoor = "inpPoor",
    ClsPoor = "clsPoor",
    TtfbPoor = "ttfbPoor",
    NoCompression = "noCompression",
    CacheShort = "cacheShort",
    RenderBlocking = "renderBlocking",
    AiSearchBlocked = "aiSearchBlocked",
    JsOnlyContent = "jsOnlyContent",
    LlmsTxtInvalid = "llmsTxtInvalid",
    NoAuthor = "noAuthor",
    NoDate = "noDate",
}

impl IssueCode {
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|it| it.as_str() == name)
    }
}
