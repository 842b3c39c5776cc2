use super::*;

/// Ways to write an address that may not be called. None is to be accepted.
#[rustfmt::skip]
const DENIED: &[&str] = &[
    // Loopback, in every notation that some parser takes.
    "https://127.0.0.1/", "https://127.0.0.1:443/", "https://127.0.0.1:8443/x?y", "https://127.1/",
    "https://127.0.1/", "https://127.255.255.254/", "https://2130706433/", "https://0x7f000001/",
    "https://0x7F.1/", "https://0x7f.0x0.0x0.0x1/", "https://0177.0.0.1/", "https://0177.1/",
    "https://017700000001/", "https://0x7f.1/", "https://127.0x1/", "https://127.0.0.01/",
    "https://127.0.0.0x1/", "https://①②⑦.⓪.⓪.①/", "https://１２７.０.０.１/", "https://127。0。0。1/",
    "https://127．0．0．1/", "https://127｡0｡0｡1/", "https://%31%32%37.0.0.1/", "https://127.0.0.1./",
    "https://127.0.0.%31/", "https://1𝟚7.0.0.1/", "https://0000177.0.0.1/", "https://00000000177.1/",
    "https:127.0.0.1/", "https:/127.0.0.1/", "https:///127.0.0.1/", "https:////127.0.0.1/",
    "https:\\\\127.0.0.1\\", "https:/\\127.0.0.1/", " https://127.0.0.1/ ", "https://127.0.0.1\t/",
    "ht\ntps://127.0.0.1/", "https://12\t7.0.0.1/", "HTTPS://127.0.0.1/", "https://[::1]/",
    "https://[::1]:8443/", "https://[0:0:0:0:0:0:0:1]/", "https://[0000::0001]/", "https://[::0.0.0.1]/",
    "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::FFFF:7F00:0001]/",
    "https://[0:0:0:0:0:ffff:127.0.0.1]/", "https://[::127.0.0.1]/", "https://[::7f00:1]/",
    "https://[::ffff:0:127.0.0.1]/", "https://[64:ff9b::127.0.0.1]/", "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::7f00:1]/", "https://[2002:7f00:1::]/", "https://[2002:7f00:1::1]/",
    "https://[2001:0:0:0:0:0:80ff:fffe]/",
    "https://localhost/", "https://localhost./", "https://LOCALHOST/", "https://LocalHost:8443/",
    "https://a.localhost/", "https://a.b.localhost./", "https://ｌocalhost/", "https://loc%61lhost/",
    "https://ⓛocalhost/", "https://localhos\u{ad}t/",
    // This host, and nothing at all.
    "https://0/", "https://0.0.0.0/", "https://0x0/", "https://00/", "https://0.1.2.3/",
    "https://[::]/", "https://[::0]/", "https://[::ffff:0.0.0.0]/",
    // Private networks.
    "https://10.0.0.1/", "https://10.255.255.255/", "https://167772161/", "https://0xa000001/",
    "https://012.0.0.1/", "https://10.1/", "https://[::ffff:10.0.0.1]/", "https://[::ffff:a00:1]/",
    "https://[64:ff9b::10.0.0.1]/", "https://[2002:a00:1::]/", "https://172.16.0.1/",
    "https://172.31.255.255/", "https://2886729729/", "https://0254.020.0.1/", "https://192.168.0.1/",
    "https://192.168.1/", "https://3232235521/", "https://0xc0a80001/", "https://0300.0250.0.1/",
    "https://[::ffff:192.168.0.1]/", "https://[fc00::1]/", "https://[fd00::1]/", "https://[fdff::]/",
    // Metadata services and link-local addresses.
    "https://169.254.169.254/latest/meta-data/", "https://2852039166/", "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/", "https://0xa9.0xfe.0xa9.0xfe/", "https://169.254.43518/",
    "https://169.16689662/", "https://[::ffff:169.254.169.254]/", "https://[::ffff:a9fe:a9fe]/",
    "https://[64:ff9b::169.254.169.254]/", "https://[2002:a9fe:a9fe::]/", "https://[fd00:ec2::254]/",
    "https://[fe80::1]/", "https://[febf::1]/", "https://[fec0::1]/", "https://100.100.100.200/",
    "https://100.64.0.1/", "https://192.0.0.192/", "https://169.254.170.2/",
    // Reserved, documentation, benchmark, relay, multicast.
    "https://192.0.2.1/", "https://198.51.100.1/", "https://203.0.113.1/", "https://198.18.0.1/",
    "https://198.19.255.255/", "https://192.88.99.1/", "https://192.31.196.1/", "https://224.0.0.1/",
    "https://239.255.255.250/", "https://240.0.0.1/", "https://255.255.255.255/", "https://4294967295/",
    "https://[2001:db8::1]/", "https://[3fff::1]/", "https://[2001::1]/", "https://[2001:20::1]/",
    "https://[ff02::1]/", "https://[ff0e::1]/", "https://[100::1]/", "https://[5f00::1]/",
    "https://[4000::1]/", "https://[::ffff:224.0.0.1]/",
    // What hides the host, and other schemes.
    "https://example.com@127.0.0.1/", "https://example.com:x@127.0.0.1/", "https://a@example.com/",
    "https://:x@example.com/", "https://127.0.0.1#@example.com/", "https://127.0.0.1\\@example.com/",
    "https://example.com/#x", "https://example.com#", "https:///", "https://", "https://[::1%25lo]/",
    "https://[fe80::1%25eth0]/", "https://[::ffff:127.0.0.1", "https://256.0.0.1/", "https://1.2.3.4.5/",
    "https://0x100000000/", "https://example.com:0/", "https://example.com:22/",
    "https://example.com:25/", "https://example.com:6379x/", "https://example.com:99999/",
    "http://example.com/", "http://1.1.1.1/", "http://127.0.0.1/", "ftp://example.com/",
    "file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "javascript:alert(1)", "data:text/plain,x",
    "//example.com/", "example.com", "/x", "", "unix:/var/run/docker.sock", "dict://127.0.0.1:11211/",
    "jar:https://127.0.0.1!/", "https://exa mple.com/", "https://exam\u{0}ple.com/",
];

#[test]
fn no_spelling_of_a_denied_target_is_accepted() {
    assert!(DENIED.len() >= 150, "{}", DENIED.len());
    let policy = Policy::default();
    let taken: Vec<_> =
        DENIED.iter().filter_map(|url| Some((url, policy.check_url(url).ok()?))).collect();
    assert_eq!(taken, []);
    assert!(policy.check_url(&format!("https://example.com/{}", "a".repeat(2048))).is_err());
}

#[test]
fn public_targets_are_accepted_in_one_form() {
    let policy = Policy::default();
    for (given, taken) in [
        ("https://example.com", "https://example.com/"),
        ("https://EXAMPLE.com:443/a?b=c", "https://example.com/a?b=c"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://1.1.1.1/", "https://1.1.1.1/"),
        ("https://0x01010101/", "https://1.1.1.1/"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://localhost.example.com/", "https://localhost.example.com/"),
    ] {
        assert_eq!(policy.check_url(given).as_deref(), Ok(taken), "{given}");
    }
}

#[test]
fn what_the_operator_allows_may_be_registered() {
    let dev = Policy { loopback: true, ..Policy::default() };
    for url in ["http://127.0.0.1:8131/", "http://localhost:8131/x", "https://[::1]:8131/"] {
        assert!(dev.check_url(url).is_ok(), "{url}");
    }
    assert!(dev.check_url("http://10.0.0.1:8131/").is_err());
    assert!(dev.check_url("http://1.1.1.1/").is_err());
    // A name is judged when it is called.
    assert!(dev.check_url("http://hooks.internal:8131/").is_ok());
    let allow = vec!["10.0.0.0/8:8131".parse().unwrap()];
    let inside = Policy { allow, ..Policy::default() };
    assert!(inside.check_url("http://10.0.0.1:8131/").is_ok());
    assert!(inside.check_url("http://10.0.0.1:8132/").is_err());
    assert!(inside.check_url("http://127.0.0.1:8131/").is_err());
}
