//! Settings of packs: the keys of their signatures.

use std::path::PathBuf;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Packs")]
pub struct PacksConfig {
    /// File of the keys that packs must be signed with; without it signatures are not checked
    ///
    /// A line each of a name and the 64 hex digits of an ed25519 public key. Text after `#`
    /// is passed over.
    #[arg(long, env = "CONTEXTURE_PACK_KEYS_FILE", value_name = "FILE")]
    pub pack_keys_file: Option<PathBuf>,
}
