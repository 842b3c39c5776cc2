//! Settings of what each tenant may keep.

use crate::domain::Quotas;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Quotas")]
pub struct QuotasConfig {
    /// Sessions that a tenant may keep; one more is a 507
    #[arg(
        long,
        env = "CONTEXTURE_TENANT_MAX_SESSIONS",
        value_name = "N",
        default_value_t = Quotas::default().sessions
    )]
    pub tenant_max_sessions: u64,

    /// Bytes of messages in the sessions of a tenant, as they are stored; more is a 507
    #[arg(
        long,
        env = "CONTEXTURE_TENANT_MAX_TURN_BYTES",
        value_name = "BYTES",
        default_value_t = Quotas::default().turn_bytes
    )]
    pub tenant_max_turn_bytes: u64,

    /// Memory entries that a tenant may keep; one more is a 507
    #[arg(
        long,
        env = "CONTEXTURE_TENANT_MAX_MEMORY_ENTRIES",
        value_name = "N",
        default_value_t = Quotas::default().memory_entries
    )]
    pub tenant_max_memory_entries: u64,

    /// Memory candidates that a tenant may keep; one more is a 507
    #[arg(
        long,
        env = "CONTEXTURE_TENANT_MAX_CANDIDATES",
        value_name = "N",
        default_value_t = Quotas::default().candidates
    )]
    pub tenant_max_candidates: u64,

    /// Skills that a tenant may keep; one more is a 507
    #[arg(
        long,
        env = "CONTEXTURE_TENANT_MAX_SKILLS",
        value_name = "N",
        default_value_t = Quotas::default().skills
    )]
    pub tenant_max_skills: u64,

    /// Bytes of records of compiles that a tenant may keep; a compile that needs more is a 507
    #[arg(
        long,
        env = "CONTEXTURE_TENANT_MAX_COMPILATION_BYTES",
        value_name = "BYTES",
        default_value_t = Quotas::default().compilation_bytes
    )]
    pub tenant_max_compilation_bytes: u64,

    /// Bytes of responses that a tenant may keep for idempotency keys; more is a 507
    ///
    /// A response is kept for a day. Requests without an idempotency key keep none.
    #[arg(
        long,
        env = "CONTEXTURE_TENANT_MAX_REPLY_BYTES",
        value_name = "BYTES",
        default_value_t = Quotas::default().reply_bytes
    )]
    pub tenant_max_reply_bytes: u64,
}

impl From<&QuotasConfig> for Quotas {
    fn from(config: &QuotasConfig) -> Self {
        Self {
            sessions: config.tenant_max_sessions,
            turn_bytes: config.tenant_max_turn_bytes,
            memory_entries: config.tenant_max_memory_entries,
            candidates: config.tenant_max_candidates,
            skills: config.tenant_max_skills,
            compilation_bytes: config.tenant_max_compilation_bytes,
            reply_bytes: config.tenant_max_reply_bytes,
        }
    }
}
