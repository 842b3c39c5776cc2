//! Settings of memory: which writes need a review.

use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::domain::MemoryPromotion;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Memory")]
pub struct MemoryConfig {
    /// What is remembered without a review: `auto`, what a policy allows; `review`, nothing, and what models write waits for one, too
    #[arg(
        long,
        env = "CONTEXTURE_MEMORY_PROMOTION",
        value_enum,
        default_value_t = MemoryPromotion::Auto
    )]
    pub memory_promotion: MemoryPromotion,
}

impl ValueEnum for MemoryPromotion {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Auto, Self::Review]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Auto => PossibleValue::new("auto").help("What a policy allows"),
            Self::Review => PossibleValue::new("review").help("Nothing"),
        })
    }
}
