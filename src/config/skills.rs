//! Folders of skills.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::Skill;

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Skills")]
pub struct SkillsConfig {
    /// A folder whose folders hold a `SKILL.md` each; may be given several times, the last of a name is used
    #[arg(long, env = "CONTEXTURE_SKILLS_DIR", value_name = "DIR", value_delimiter = ':')]
    pub skills_dir: Vec<PathBuf>,
}

/// What was found in a place: a skill, or why there is none.
pub type ReadSkill = (PathBuf, Result<Skill, String>);

/// Reads `DIR/*/SKILL.md` of every folder, in the byte order of the names in each.
pub fn read(folders: &[PathBuf]) -> Vec<ReadSkill> {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for folder in folders {
        let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        if seen.contains(&real) {
            continue;
        }
        match list(&real) {
            Ok(files) => found.extend(files.into_iter().map(|file| {
                let skill = read_skill(&file);
                (file, skill)
            })),
            Err(error) => found.push((folder.clone(), Err(error.to_string()))),
        }
        seen.push(real);
    }
    found
}

fn list(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path().join("SKILL.md");
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn read_skill(file: &Path) -> Result<Skill, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut skill = Skill::parse(&text).map_err(|faults| faults.join("; "))?;
    skill.base_dir = file.parent().map(|folder| folder.to_string_lossy().into());
    Ok(skill)
}
