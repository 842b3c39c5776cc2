//! How the command line writes for people: colours, notes, progress.

use std::fmt;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use clap::builder::Styles;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Time after which a command shows that it works.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);
/// Time between two steps of the spinner.
const TICK: Duration = Duration::from_millis(120);

pub(super) const HEADING: Style = AnsiColor::Green.on_default().bold();
pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const NAME: Style = AnsiColor::Cyan.on_default();
pub(super) const FAINT: Style = Style::new().dimmed();

/// The colours of `--help` and of refused command lines: those of cargo.
pub(super) const HELP_STYLES: Styles = Styles::styled()
    .header(HEADING)
    .usage(HEADING)
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(NAME)
    .error(ERROR)
    .valid(NAME)
    .invalid(WARNING);

#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct TerminalArgs {
    /// When to use colours; `auto` is: on a terminal, unless `NO_COLOR` is set
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    color: ColorWhen,

    /// Write nothing to standard error but errors: no notes, no progress
    #[arg(long, short, global = true, help_heading = "Output")]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ColorWhen {
    Auto,
    Always,
    Never,
}

/// What a command may write to standard error besides errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terminal {
    is_quiet: bool,
}

impl Terminal {
    /// Puts the colours in force for everything that is written from now on.
    pub(super) fn new(args: TerminalArgs) -> Self {
        match args.color {
            // Takes NO_COLOR, CLICOLOR and CLICOLOR_FORCE into account, for each stream.
            ColorWhen::Auto => anstream::ColorChoice::Auto,
            ColorWhen::Always => anstream::ColorChoice::Always,
            ColorWhen::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        Self { is_quiet: args.quiet }
    }

    /// Whether only errors may be written.
    pub(super) fn is_quiet(self) -> bool {
        self.is_quiet
    }

    /// Returns standard error for notes, which go nowhere with `--quiet`.
    pub(super) fn notes(self) -> Box<dyn io::Write> {
        if self.is_quiet { Box::new(io::sink()) } else { Box::new(anstream::stderr()) }
    }

    /// Writes one line for people to standard error. A reader who has gone is no error: what was
    /// asked for is on standard output.
    pub(super) fn note(self, text: &str) {
        let _ = writeln!(self.notes(), "{text}");
    }

    /// Shows on standard error, if that is a terminal, that a command works, from the first second on.
    pub(super) fn progress(self, what: &'static str) -> Progress {
        let target =
            if self.is_quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        let what = Arc::new(Mutex::new(what));
        if let Ok(style) = ProgressStyle::with_template("{line}") {
            let what = Arc::clone(&what);
            let line = move |state: &ProgressState, line: &mut dyn fmt::Write| {
                let elapsed = state.elapsed();
                if let Ok(what) = what.lock()
                    && elapsed >= PROGRESS_DELAY
                {
                    let _ = write!(line, "{what}, {} s", elapsed.as_secs());
                }
            };
            bar.set_style(style.with_key("line", line));
        }
        bar.enable_steady_tick(TICK);
        Progress { bar, what }
    }
}

/// A line that says what is being done. It goes when the value does.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    what: Arc<Mutex<&'static str>>,
}

impl Progress {
    pub(super) fn set(&self, what: &'static str) {
        if let Ok(mut current) = self.what.lock() {
            *current = what;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
