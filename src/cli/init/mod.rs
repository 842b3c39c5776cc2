//! `contexture init`: the first file of an agent that uses Contexture.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use super::CommandError;
use super::terminal::Terminal;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum Starter {
    /// `contexture_agent.py`: an agent loop with a session
    Python,
    /// `contexture-agent.mjs`: an agent loop with a session
    Typescript,
    /// Settings in the folder .claude: Claude Code through the gateway, long results in their short form
    ClaudeCode,
}

/// A file to begin with.
struct StarterFile {
    name: &'static str,
    text: &'static str,
    /// What to do next.
    next: &'static str,
}

const fn file(starter: Starter) -> StarterFile {
    match starter {
        Starter::Python => StarterFile {
            name: "contexture_agent.py",
            text: include_str!("agent.py"),
            next: "Start a server (contexture serve), install the client and the provider's package \
                   (the file's first lines say how), and run: python contexture_agent.py",
        },
        Starter::Typescript => StarterFile {
            name: "contexture-agent.mjs",
            text: include_str!("agent.mjs"),
            next: "Start a server (contexture serve), install the client and the provider's package \
                   (the file's first lines say how), and run: node contexture-agent.mjs",
        },
        Starter::ClaudeCode => StarterFile {
            name: ".claude/settings.json",
            text: include_str!("claude_settings.json"),
            next: "Start a gateway (contexture serve --upstream anthropic), and run: claude",
        },
    }
}

/// Writes the file, unless it is there: then it prints what would be in it.
pub(super) fn run(starter: Starter, terminal: Terminal) -> Result<(), CommandError> {
    let StarterFile { name, text, next } = file(starter);
    let path = Path::new(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    }
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    match opened {
        Ok(mut file) => {
            file.write_all(text.as_bytes())?;
            terminal.note(&format!("{name} is written. {next}"));
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            io::stdout().write_all(text.as_bytes())?;
            Err(format!("{name} is there already and was left as it is; this is what to add")
                .into())
        }
        Err(error) => Err(format!("cannot write {name}: {error}").into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_settings_are_json() {
        let settings: Value = serde_json::from_str(file(Starter::ClaudeCode).text).unwrap();
        assert_eq!(settings["env"]["ANTHROPIC_BASE_URL"], "http://127.0.0.1:8080");
    }
}
