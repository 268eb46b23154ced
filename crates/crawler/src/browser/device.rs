//! The emulated devices and their networks.
//!
//! Screens and throttling follow Lighthouse 12.8.2 (`core/config/constants.js`): a mid-range phone on slow 4G, a
//! desktop on dense 4G. The browser throttles whole requests (`--throttling-method=devtools` in Lighthouse), so
//! Lighthouse takes 3.75 round trips as latency and 90 % of the throughput; so does this module. Lighthouse's
//! devtools preset does not throttle desktops; here the same factors apply to the desktop's 40 ms and 10 Mb/s.

use analysis::observation::vitals::FormFactor;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    pub mobile: bool,
    width: u32,
    height: u32,
    scale: f64,
    /// Slowdown relative to this machine.
    cpu_slowdown: f64,
    round_trip_ms: f64,
    /// Kilobits (1,024 bits) per second.
    down_kbps: f64,
    up_kbps: f64,
}

const PHONE: Device = Device {
    mobile: true,
    width: 412,
    height: 823,
    scale: 1.75,
    cpu_slowdown: 4.0,
    round_trip_ms: 150.0,
    down_kbps: 1.6 * 1_024.0,
    up_kbps: 750.0,
};

const DESKTOP: Device = Device {
    mobile: false,
    width: 1_350,
    height: 940,
    scale: 1.0,
    cpu_slowdown: 1.0,
    round_trip_ms: 40.0,
    down_kbps: 10.0 * 1_024.0,
    up_kbps: 10.0 * 1_024.0,
};

/// Request latency in round trips, and the usable share of the throughput.
const LATENCY_FACTOR: f64 = 3.75;
const THROUGHPUT_FACTOR: f64 = 0.9;

impl Device {
    /// `None` for `All`.
    pub const fn of(form_factor: FormFactor) -> Option<Self> {
        match form_factor {
            FormFactor::Phone => Some(PHONE),
            FormFactor::Desktop => Some(DESKTOP),
            FormFactor::All => None,
        }
    }

    /// `Emulation.setDeviceMetricsOverride`.
    pub fn screen(&self) -> Value {
        json!({
            "mobile": self.mobile,
            "width": self.width,
            "height": self.height,
            "deviceScaleFactor": self.scale,
        })
    }

    /// `Emulation.setTouchEmulationEnabled`.
    pub fn touch(&self) -> Value {
        json!({"enabled": self.mobile})
    }

    /// `Emulation.setCPUThrottlingRate`.
    pub fn processor(&self) -> Value {
        json!({"rate": self.cpu_slowdown})
    }

    /// `Network.emulateNetworkConditions`, in ms and bytes per second.
    pub fn network(&self) -> Value {
        let bytes = |kbps: f64| (kbps * THROUGHPUT_FACTOR * 1_024.0 / 8.0).floor();
        json!({
            "offline": false,
            "latency": self.round_trip_ms * LATENCY_FACTOR,
            "downloadThroughput": bytes(self.down_kbps),
            "uploadThroughput": bytes(self.up_kbps),
        })
    }

    /// `Network.setUserAgentOverride`: the device's browser in this browser's version, then the crawler's product
    /// token.
    pub fn user_agent(&self, chrome: &str, product_token: &str) -> Value {
        let version = chrome.split('.').next().unwrap_or(chrome);
        let (system, suffix) = if self.mobile {
            ("Linux; Android 11; moto g power (2022)", " Mobile")
        } else {
            ("X11; Linux x86_64", "")
        };
        let brands =
            ["Chromium", "Not:A-Brand"].map(|brand| json!({"brand": brand, "version": version}));
        json!({
            "userAgent": format!(
                "Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0{suffix} Safari/537.36 {product_token}"
            ),
            "userAgentMetadata": {
                "brands": brands,
                "fullVersion": chrome,
                "platform": if self.mobile { "Android" } else { "Linux" },
                "platformVersion": if self.mobile { "11.0" } else { "" },
                "architecture": if self.mobile { "" } else { "x86" },
                "model": if self.mobile { "moto g power (2022)" } else { "" },
                "mobile": self.mobile,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lighthouse 12.8.2, mobile preset: 562.5 ms, 1,474.56 and 675 Kb/s.
    #[test]
    fn phone_network_matches_lighthouse() {
        let network = PHONE.network();
        assert_eq!(network["latency"], 562.5);
        assert_eq!(network["downloadThroughput"], 188_743.0);
        assert_eq!(network["uploadThroughput"], 86_400.0);
    }

    #[test]
    fn user_agent_ends_with_the_product_token() {
        let agent = PHONE.user_agent("156.0.8078.79", "sightlinebot/0.1 (+https://x.example)");
        let text = agent["userAgent"].as_str().unwrap();
        assert!(text.contains("Android 11") && text.contains("Chrome/156.0.0.0 Mobile"));
        assert!(text.ends_with("sightlinebot/0.1 (+https://x.example)"));
        assert_eq!(Device::of(FormFactor::All), None);
    }
}
