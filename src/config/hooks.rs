//! Settings of hooks: allowed private addresses, the keys that seal secrets, and the operator's
//! hooks.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Hooks")]
pub struct HooksConfig {
    /// Private addresses that hooks may call, over http too: `10.2.0.0/16`, `10.2.0.7/32:8443`
    ///
    /// May be given more than once, or as a list with commas. Without it hooks call public
    /// addresses by https and no others.
    #[arg(
        long,
        env = "CONTEXTURE_HOOKS_ALLOW_CIDR",
        value_name = "CIDR[:PORT]",
        value_delimiter = ','
    )]
    pub hooks_allow_cidr: Vec<AllowCidr>,

    /// Certificates (PEM) that hooks' servers may be signed by, in addition to the public authorities
    #[arg(long, env = "CONTEXTURE_HOOKS_CA_FILE", value_name = "FILE")]
    pub hooks_ca_file: Option<PathBuf>,

    /// JSON file with hooks that run for every tenant: `{"hooks": [...], "secrets": {...}, "order": {...}}`
    ///
    /// Read at the start. Callers see these hooks without their addresses, and cannot change them.
    #[arg(long, env = "CONTEXTURE_HOOKS_FILE", value_name = "FILE")]
    pub hooks_file: Option<PathBuf>,

    /// Let hooks call this machine, over http too, seal secrets without a key file, and record in full
    ///
    /// For trying things out. Compiles of callers without a key, or with the bootstrap key, keep the request
    /// and the payload in their records unless the request or its session says otherwise. Without
    /// `--master-key-file` the key is in a file next to the database of SQLite, such as
    /// `contexture.db-dev-key`. With another database it lives as long as the process, so hooks that were
    /// registered before a restart cannot be called after it.
    #[arg(long, env = "CONTEXTURE_DEV")]
    pub dev: bool,

    /// File of keys that secrets are sealed with: lines of 64 hex digits, the first seals, all open
    #[arg(long, env = "CONTEXTURE_MASTER_KEY_FILE", value_name = "FILE")]
    pub master_key_file: Option<PathBuf>,
}

/// Addresses, at every port or at one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowCidr {
    net: IpNet,
    port: Option<u16>,
}

impl AllowCidr {
    /// Every address: for what an operator names by its own address.
    pub fn everywhere() -> Vec<Self> {
        let nets = [IpNet::V4(Ipv4Net::default()), IpNet::V6(Ipv6Net::default())];
        nets.into_iter().map(|net| Self { net, port: None }).collect()
    }

    pub fn covers(&self, address: IpAddr, port: u16) -> bool {
        self.net.contains(&address) && self.port.is_none_or(|own| own == port)
    }
}

impl FromStr for AllowCidr {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "must be a CIDR such as 10.2.0.0/16, fd00::/8 or 10.2.0.7/32:8443".to_owned();
        let (net, port) = match text.rsplit_once('/').and_then(|(_, rest)| rest.split_once(':')) {
            Some((_, port)) => {
                let net = text.strip_suffix(port).and_then(|rest| rest.strip_suffix(':'));
                (net.unwrap_or_default(), Some(port.parse().map_err(|_| wrong())?))
            }
            None => (text, None),
        };
        let net: IpNet = net.parse().map_err(|_| wrong())?;
        Ok(Self { net: net.trunc(), port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_name_a_port() {
        let covers = |rule: &str, address: &str, port| {
            rule.parse::<AllowCidr>().unwrap().covers(address.parse().unwrap(), port)
        };
        assert!(covers("10.2.0.0/16", "10.2.9.9", 1) && !covers("10.2.0.0/16", "10.3.0.0", 1));
        assert!(covers("10.2.0.7/32:8443", "10.2.0.7", 8443));
        assert!(!covers("10.2.0.7/32:8443", "10.2.0.7", 443));
        assert!(covers("fd00::/8:8443", "fd12::1", 8443) && !covers("fd00::/8", "fe80::1", 1));
        for bad in ["", "10.2.0.0", "10.2.0.0/33", "10.2.0.0/16:", "10.2.0.0/16:99999", "x/8"] {
            assert!(bad.parse::<AllowCidr>().is_err(), "{bad}");
        }
    }
}
