//! Policy of the addresses that may be called: public ones, and those that the operator allows.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::config::AllowCidr;

/// Whom hooks may call. Only an operator sets it.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Private addresses that may be called, by http too.
    pub allow: Vec<AllowCidr>,
    /// Whether loopback may be called, by http too.
    pub loopback: bool,
    /// The addresses of this service: a hook that calls it would be a loop.
    pub own: Vec<SocketAddr>,
}

/// Why an address may not be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockReason {
    #[error(
        "the address is not public; the server's flag `--dev` allows this machine, `--hooks-allow-cidr` \
         other private addresses"
    )]
    NotPublic,
    #[error("http is for addresses that the operator allows: use https")]
    PlainHttp,
    #[error("the address is this service's own")]
    Own,
}

impl Policy {
    /// Whether an address may be dialled. It is the very address that is dialled then.
    pub fn check(&self, address: IpAddr, port: u16, is_https: bool) -> Result<(), BlockReason> {
        let address = address.to_canonical();
        if self.is_own(address, port) {
            return Err(BlockReason::Own);
        }
        let allowed = self.allow.iter().any(|rule| rule.covers(address, port));
        if allowed || (self.loopback && address.is_loopback()) {
            return Ok(());
        }
        match (is_public(address), is_https) {
            (false, _) => Err(BlockReason::NotPublic),
            (true, false) => Err(BlockReason::PlainHttp),
            (true, true) => Ok(()),
        }
    }

    /// Whether any address may be called by http.
    pub fn allows_http(&self) -> bool {
        self.loopback || !self.allow.is_empty()
    }

    fn is_own(&self, address: IpAddr, port: u16) -> bool {
        self.own.iter().any(|own| {
            let listens = own.ip().to_canonical();
            // A listener on all addresses is reachable by every address of this machine; those that
            // are not loopback cannot be known here.
            let same = listens == address || (listens.is_unspecified() && address.is_loopback());
            own.port() == port && same
        })
    }
}

/// Blocks of IPv4 that are not the public Internet: the special-purpose registry, multicast,
/// what is reserved, and anycast relays.
const DENIED_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(192, 175, 48, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Blocks of `2000::/3` that are not public either, or that carry an IPv4 address. All of IPv6
/// outside of `2000::/3` is denied: what is mapped, translated, local, multicast.
const DENIED_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Whether an address is of the public Internet. An IPv4 address inside of an IPv6 one is judged
/// as the former.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => !DENIED_V4
            .iter()
            .any(|(net, bits)| u64::from(address.to_bits() ^ net.to_bits()) >> (32 - bits) == 0),
        IpAddr::V6(address) => {
            let inside = |(net, bits): &(Ipv6Addr, u32)| {
                (address.to_bits() ^ net.to_bits()) >> (128 - bits) == 0
            };
            inside(&GLOBAL_V6) && !DENIED_V6.iter().any(inside)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_public() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:200::1",
            "2a00:1450::1",
            "3ffe::1",
            "2003::1",
        ] {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn all_others_are_not() {
        for address in [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.1",
            "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.0.0",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.31.196.1",
            "192.52.193.1",
            "192.88.99.1",
            "192.168.0.0",
            "192.168.255.255",
            "192.175.48.1",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:10.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:1::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::",
            "3fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!public(address), "{address}");
        }
    }

    proptest! {
        #[test]
        fn no_spelling_of_a_denied_address_is_public(
            (net, bits) in prop::sample::select(DENIED_V4.to_vec()), any in any::<u32>()
        ) {
            let low = any & u32::try_from((1_u64 << (32 - bits)) - 1).unwrap();
            let v4 = Ipv4Addr::from_bits(net.to_bits() | low);
            prop_assert!(!is_public(v4.into()));
            let wide = u128::from(v4.to_bits());
            let [a, b, c, d] = v4.octets().map(u16::from);
            let (high, low) = (a << 8 | b, c << 8 | d);
            for v6 in [
                v4.to_ipv6_mapped(),
                Ipv6Addr::from_bits(wide),
                Ipv6Addr::from_bits(0xffff_0000_0000 << 16 | wide),
                Ipv6Addr::from_bits(0x0064_ff9b << 96 | wide),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
                // Teredo hides the client's address by turning its bits.
                Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low),
            ] {
                prop_assert!(!is_public(v6.into()), "{v6}");
            }
        }

        #[test]
        fn an_address_is_public_or_in_one_of_the_blocks(any in any::<u32>()) {
            let v4 = Ipv4Addr::from_bits(any);
            let listed = DENIED_V4.iter().any(|(net, bits)| {
                let net = ipnet::Ipv4Net::new(*net, u8::try_from(*bits).unwrap()).unwrap();
                net.contains(&v4)
            });
            prop_assert_eq!(is_public(v4.into()), !listed);
        }
    }

    #[test]
    fn the_operator_opens_and_nobody_opens_the_service_itself() {
        let policy = Policy {
            allow: vec!["10.0.0.0/8:8080".parse().unwrap()],
            loopback: true,
            own: vec!["0.0.0.0:8080".parse().unwrap(), "10.1.1.1:8080".parse().unwrap()],
        };
        let check =
            |address: &str, port, https| policy.check(address.parse().unwrap(), port, https);
        assert_eq!(check("10.2.3.4", 8080, false), Ok(()));
        assert_eq!(check("::ffff:10.2.3.4", 8080, false), Ok(()));
        assert_eq!(check("10.2.3.4", 443, true), Err(BlockReason::NotPublic));
        assert_eq!(check("127.0.0.1", 9000, false), Ok(()));
        assert_eq!(check("::1", 8080, false), Err(BlockReason::Own));
        assert_eq!(check("10.1.1.1", 8080, true), Err(BlockReason::Own));
        assert_eq!(check("8.8.8.8", 80, false), Err(BlockReason::PlainHttp));
        assert_eq!(check("8.8.8.8", 443, true), Ok(()));
        assert_eq!(
            Policy::default().check("127.0.0.1".parse().unwrap(), 443, true),
            Err(BlockReason::NotPublic)
        );
    }
}
