//! The settings of a server that another command starts or looks at.

use clap::Parser;

use crate::config::Config;

#[derive(Debug, Parser)]
struct ServeFlags {
    #[command(flatten)]
    config: Config,
}

/// Reads flags as `serve` does: what they do not say is as the environment says, or at its default.
pub(super) fn read(flags: &[&str]) -> Result<Config, clap::Error> {
    let line = ["serve"].iter().chain(flags);
    Ok(ServeFlags::try_parse_from(line)?.config)
}
