//! Skills as a text for a model to choose from.

use super::Skill;

/// The format of a list of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillFormat {
    Plain,
    Xml,
}

/// Lists skills, in at most `max_chars` characters if that is set.
pub fn list_skills<'s>(
    skills: impl Iterator<Item = &'s Skill>,
    format: SkillFormat,
    with_when: bool,
    max_chars: Option<usize>,
) -> String {
    let when = |skill: &'s Skill| skill.when_to_use.as_deref().filter(|_| with_when);
    let text = match format {
        SkillFormat::Plain => {
            let line = |skill: &'s Skill| match when(skill) {
                Some(when) => format!("- {}: {} (when: {when})", skill.name, skill.description),
                None => format!("- {}: {}", skill.name, skill.description),
            };
            skills.map(line).collect::<Vec<_>>().join("\n")
        }
        SkillFormat::Xml => {
            let mut text = String::from("<skills>");
            for skill in skills {
                text.push_str("\n  <skill name=\"");
                text.push_str(&escaped(&skill.name));
                if let Some(when) = when(skill) {
                    text.push_str("\" when=\"");
                    text.push_str(&escaped(when));
                }
                text.push_str("\">");
                text.push_str(&escaped(&skill.description));
                text.push_str("</skill>");
            }
            let end = if text.ends_with("<skills>") { "</skills>" } else { "\n</skills>" };
            text + end
        }
    };
    max_chars.map_or_else(|| text.clone(), |max_chars| cut(&text, max_chars))
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Cuts a text to a number of characters, the last three of them dots if something is left out.
fn cut(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    match max_chars {
        0..=3 => text.chars().take(max_chars).collect(),
        _ => text.chars().take(max_chars - 3).chain("...".chars()).collect(),
    }
}
