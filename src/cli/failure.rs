//! What a failed command prints, and its exit code.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;

use super::CommandError;
use super::terminal::ERROR;
use crate::config::KeysError;
use crate::http::problem::Problem;
use crate::json::Fault;
use crate::server;
use crate::service::OpenError;
use crate::telemetry;

/// The error of a server that stopped because its disk lost data that was written.
#[derive(Debug, thiserror::Error)]
#[error("the disk did not keep what was written: start again, so that what is there is read again")]
pub(super) struct StoreLost;

/// The error of a server whose address another process has.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot listen on {address} ({setting}): {} uses it; {}take a free port with \
     `--listen 127.0.0.1:0`",
    if *is_ours { "a Contexture server" } else { "another program" },
    if *is_ours { "use that server, or " } else { "" },
)]
pub(super) struct AddressInUse {
    pub(super) address: SocketAddr,
    /// What the address is set with.
    pub(super) setting: &'static str,
    pub(super) is_ours: bool,
}

/// The error of a command that a setting does not let start, in words that name the setting.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct SettingRefusal(pub(super) String);

/// Faults in a file that a setting names.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct SettingFileFaults(pub(super) FileFaults);

/// The error of a check that found inconsistent data.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct UnsoundStore(pub(super) String);

/// What is wrong in a file, as it is printed: with its own `error:`, and colours.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct FileFaults(pub(super) String);

/// A value of a flag that is refused after the command line was read, in the words of clap.
#[derive(Debug, thiserror::Error)]
#[error(
    "invalid value {}for '{flag}': {detail}\n\nFor more information, try '--help'.",
    quoted(value)
)]
pub(super) struct FlagFault {
    /// As the usage shows it, such as `--window <TOKENS>`.
    flag: &'static str,
    value: String,
    detail: String,
}

fn quoted(value: &str) -> String {
    if value.is_empty() { String::new() } else { format!("'{value}' ") }
}

/// A flag that was given, and the member of a request that it sets.
#[derive(Debug)]
pub(super) struct GivenFlag {
    /// As the usage shows it, such as `--window <TOKENS>`.
    pub(super) flag: &'static str,
    /// Empty if there are several.
    pub(super) value: String,
    pub(super) pointer: &'static str,
}

/// The flags that were given, each with the member of a request that it sets and its value.
pub(super) fn given_flags<const FLAGS: usize>(
    flags: [(&'static str, &'static str, Option<String>); FLAGS],
) -> Vec<GivenFlag> {
    let given = flags.into_iter();
    given
        .filter_map(|(flag, pointer, value)| Some(GivenFlag { flag, pointer, value: value? }))
        .collect()
}

/// The first fault that is of what a flag says, if there is one.
pub(super) fn flag_fault(faults: &[Fault], given: &[GivenFlag]) -> Option<FlagFault> {
    faults.iter().find_map(|fault| {
        let is_set = |flag: &&GivenFlag| {
            let rest = fault.pointer.strip_prefix(flag.pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let GivenFlag { flag, value, .. } = given.iter().find(is_set)?;
        Some(FlagFault { flag, value: value.clone(), detail: fault.detail.clone() })
    })
}

/// Returns the code of `sysexits.h` for failures that have one; 1 for all others.
pub(super) fn exit_code(failure: &(dyn std::error::Error + 'static)) -> ExitCode {
    const FAULTY_DATA: u8 = 65;
    const FAULTY_DISK: u8 = 70;
    const FAULTY_SETTING: u8 = 78;
    if failure.is::<FlagFault>() {
        return ExitCode::from(2);
    }
    if failure.is::<StoreLost>() {
        return ExitCode::from(FAULTY_DISK);
    }
    if failure.is::<UnsoundStore>() {
        return ExitCode::from(FAULTY_DATA);
    }
    let is_setting = failure.is::<AddressInUse>()
        || failure.is::<SettingRefusal>()
        || failure.is::<SettingFileFaults>()
        || failure.is::<KeysError>()
        || failure.is::<telemetry::Error>();
    match failure.downcast_ref::<server::Error>() {
        Some(server::Error::Store(error)) => match error {
            OpenError::Damaged { .. } | OpenError::CopyDamaged { .. } => {
                ExitCode::from(FAULTY_DATA)
            }
            OpenError::Full { .. } => ExitCode::from(74),
            OpenError::Open { .. }
            | OpenError::Connect { .. }
            | OpenError::Missing { .. }
            | OpenError::Newer { .. }
            | OpenError::TooNew { .. }
            | OpenError::Older { .. }
            | OpenError::InUse { .. }
            | OpenError::InUseElsewhere { .. } => ExitCode::from(FAULTY_SETTING),
            // The file that an argument names, or what was asked for.
            OpenError::CopyUnread { .. }
            | OpenError::Copy { .. }
            | OpenError::Exists { .. }
            | OpenError::InMemory
            | OpenError::Unread { .. }
            | OpenError::Elsewhere => ExitCode::FAILURE,
        },
        Some(server::Error::Unread(_)) => ExitCode::FAILURE,
        Some(_) => ExitCode::from(FAULTY_SETTING),
        None if is_setting => ExitCode::from(FAULTY_SETTING),
        None => ExitCode::FAILURE,
    }
}

/// Prints an error and its causes.
pub(super) fn print_error(failure: &(dyn std::error::Error + 'static)) {
    let of_setting = failure.downcast_ref::<SettingFileFaults>().map(|own| &own.0);
    if let Some(shown) = failure.downcast_ref::<FileFaults>().or(of_setting) {
        let _ = writeln!(anstream::stderr(), "{shown}");
        return;
    }
    let text = with_causes(failure);
    let _ = writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {text}");
}

/// An error and its causes on one line.
pub(super) fn with_causes(failure: &(dyn std::error::Error + 'static)) -> String {
    let mut text = failure.to_string();
    let mut source = failure.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Formats a problem as lines for a person.
pub(super) fn refused(problem: &Problem) -> CommandError {
    let mut text = problem.kind.title().to_owned();
    if !problem.detail.is_empty() {
        text.push_str(": ");
        text.push_str(&problem.detail);
    }
    for fault in &problem.errors {
        let place = if fault.pointer.is_empty() { "/" } else { &fault.pointer };
        let _ = write!(text, "\n  {place}: {}", fault.detail);
        if let Some(near) = &fault.did_you_mean {
            let _ = write!(text, " (did you mean `{near}`?)");
        }
    }
    text.into()
}

/// Formats faults of what flags say, a line each.
pub(super) fn fault_lines(faults: &[Fault]) -> CommandError {
    let lines: Vec<_> =
        faults.iter().map(|fault| format!("{}: {}", fault.pointer, fault.detail)).collect();
    lines.join("\n").into()
}
