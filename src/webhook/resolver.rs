//! From names to addresses, by DNS alone: no hosts file, no search domains.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
    ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;

/// Finds the addresses of a name. What is found is judged before it is called, so a resolver
/// need not be trusted.
pub trait Resolver: Send + Sync + fmt::Debug {
    fn resolve<'r>(&'r self, name: &'r str) -> LookupFuture<'r>;
}

/// The future of a look-up: addresses, or why there are none.
pub type LookupFuture<'r> = Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, String>> + Send + 'r>>;

/// Longest that one question to one server may take.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that answers are cached, whatever TTL they have.
const ANSWER_TTL: Duration = Duration::from_mins(1);
const ABSENCE_TTL: Duration = Duration::from_secs(10);

/// Asks the machine's name servers, or one that is named.
pub struct Dns(Option<TokioResolver>);

impl Dns {
    /// With the system's name servers. If it has none, no name is resolved; addresses can still be
    /// called.
    pub fn system() -> Self {
        let built = TokioResolver::builder_tokio().ok().and_then(|mut builder| {
            set(builder.options_mut());
            builder.build().ok()
        });
        Self(built)
    }

    /// With one name server.
    pub fn at(server: SocketAddr) -> Self {
        let mut udp = ConnectionConfig::udp();
        udp.port = server.port();
        let mut tcp = ConnectionConfig::tcp();
        tcp.port = server.port();
        let mut name_server = NameServerConfig::udp(server.ip());
        name_server.connections = vec![udp, tcp];
        let config = ResolverConfig::from_name_servers(vec![name_server]);
        let mut builder =
            TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        set(builder.options_mut());
        Self(builder.build().ok())
    }
}

fn set(options: &mut ResolverOpts) {
    options.timeout = QUERY_TIMEOUT;
    options.attempts = 2;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.use_hosts_file = ResolveHosts::Never;
    options.positive_max_ttl = Some(ANSWER_TTL);
    options.negative_max_ttl = Some(ABSENCE_TTL);
}

impl Resolver for Dns {
    fn resolve<'r>(&'r self, name: &'r str) -> LookupFuture<'r> {
        Box::pin(async move {
            let Some(resolver) = &self.0 else {
                return Err("this machine has no name server".to_owned());
            };
            // The dot at the end means that no search domain is tried.
            let whole = format!("{}.", name.trim_end_matches('.'));
            let found = resolver.lookup_ip(whole).await;
            found.map(|found| found.iter().collect()).map_err(|error| error.to_string())
        })
    }
}

impl fmt::Debug for Dns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dns")
    }
}
