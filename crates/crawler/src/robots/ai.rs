use super::RobotsRules;
use analysis::findings::geo_score::{AI_AGENTS, AgentVerdict};
use analysis::observation::web_site::RobotsFact;
use url::Url;

pub struct AiRobots {
    rules: Vec<(&'static str, RobotsRules)>,
}

impl AiRobots {
    /// Without a robots.txt there are no verdicts.
    pub fn of(robots: Option<&RobotsFact>) -> Self {
        let rules = robots.into_iter().flat_map(|fact| {
            let parsed = |name| (name, RobotsRules::parse(&fact.text, name));
            AI_AGENTS.iter().map(move |agent| parsed(agent.name))
        });
        Self {
            rules: rules.collect(),
        }
    }

    pub fn verdicts(&self, url: &str) -> Vec<AgentVerdict> {
        let Ok(url) = Url::parse(url) else {
            return Vec::new();
        };
        let verdicts = self.rules.iter().map(|(name, rules)| AgentVerdict {
            name: (*name).to_owned(),
            allowed: rules.allow(&url),
            rule: None,
        });
        verdicts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::observation::web_site::RobotsState;

    #[test]
    fn each_ai_crawler_has_its_own_rules() {
        let fact = RobotsFact {
            origin: "https://example.com".to_owned(),
            state: RobotsState::Rules,
            text: "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private\n"
                .to_owned(),
        };
        let robots = AiRobots::of(Some(&fact));
        let allowed = |url: &str, agent: &str| {
            let verdicts = robots.verdicts(url);
            verdicts.iter().find(|it| it.name == agent).unwrap().allowed
        };
        assert!(!allowed("https://example.com/", "GPTBot"));
        assert!(allowed("https://example.com/", "PerplexityBot"));
        assert!(!allowed("https://example.com/private", "PerplexityBot"));
        assert_eq!(
            robots.verdicts("https://example.com/").len(),
            AI_AGENTS.len()
        );
        assert!(
            AiRobots::of(None)
                .verdicts("https://example.com/")
                .is_empty()
        );
    }
}
