//! The README's tables are complete.

use clap::CommandFactory as _;

#[derive(Debug, clap::Parser)]
struct Flags {
    #[command(flatten)]
    config: contexture::config::Config,
}

#[test]
fn every_setting_stands_in_the_readme() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("a README.md");
    let command = Flags::command();
    let missing: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| {
            let flag = format!("--{}", argument.get_long()?);
            let variable = argument.get_env()?.to_string_lossy().into_owned();
            Some((flag, variable))
        })
        .filter(|(flag, variable)| {
            !readme.lines().any(|line| {
                line.contains(&format!("`{flag}`")) && line.contains(&format!("`{variable}`"))
            })
        })
        .map(|(flag, variable)| format!("{flag} {variable}"))
        .collect();
    assert!(missing.is_empty(), "no line of the README holds these: {missing:?}");
}
