//! Skills: those that callers have stored, else those of the server's folders.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Error, Services, StoreError, WriteCondition};
use crate::domain::{
    MAX_SKILL_BYTES, RenderedTooLong, Skill, SkillUse, StoredSkill, is_skill_name, render_skill,
};
use crate::json::{self, Fault, Faults, Limits, Path};
use crate::request::{Fields, read_skill_use};

const KEYS: &[&str] =
    &["name", "description", "when_to_use", "instructions", "allowed_tools", "metadata"];
const RENDER_KEYS: &[&str] =
    &["args", "vars", "argument_names", "include_base_dir", "append_args_if_no_placeholder"];

/// The skills of folders, read when the server starts.
#[derive(Debug, Clone, Default)]
pub struct FolderSkills {
    /// In the order of reading; the last skill of a name wins.
    pub skills: Vec<Skill>,
    pub errors: Vec<FolderError>,
}

/// A file or folder that is not a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderError {
    pub path: PathBuf,
    pub message: String,
}

/// A skill, with its row if it is stored.
#[derive(Debug, Clone)]
pub struct FoundSkill {
    pub skill: Skill,
    pub stored: Option<StoredSkill>,
}

/// Lists all skills in the byte order of their names.
pub fn all(services: &Services) -> Result<Vec<FoundSkill>, Error> {
    let mut found = std::collections::BTreeMap::new();
    for skill in &services.folder_skills().skills {
        found.insert(Arc::clone(&skill.name), FoundSkill { skill: skill.clone(), stored: None });
    }
    for (stored, text) in services.tenant().read(|tx| tx.skills())? {
        let found_one = FoundSkill { skill: parse(&text)?, stored: Some(stored) };
        found.insert(Arc::clone(&found_one.skill.name), found_one);
    }
    Ok(found.into_values().collect())
}

/// Files and folders that could not be read.
pub fn errors(services: &Services) -> &[FolderError] {
    &services.folder_skills().errors
}

/// Finds a skill by its name.
pub fn find(services: &Services, name: &str) -> Result<Option<FoundSkill>, StoreError> {
    if let Some((stored, text)) = services.tenant().read(|tx| tx.skill(name))? {
        return Ok(Some(FoundSkill { skill: parse(&text)?, stored: Some(stored) }));
    }
    let mut skills = services.folder_skills().skills.iter().rev();
    let skill = skills.find(|skill| *skill.name == *name);
    Ok(skill.map(|skill| FoundSkill { skill: skill.clone(), stored: None }))
}

fn parse(text: &str) -> Result<Skill, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(Arc::new(error)))
}

/// Stores the skill in `body` under a name: its members as JSON, or the text of a `SKILL.md`.
pub fn put(
    services: &Services,
    name: &str,
    body: &str,
    is_text: bool,
    condition: WriteCondition,
) -> Result<(FoundSkill, bool), Error> {
    let mut faults = Faults::default();
    if !is_skill_name(name) {
        let detail = "a name is 1 to 128 letters, digits, `_`, `-`, `.` and `:`";
        faults.add(&Path::Root.key("name"), detail);
    }
    let skill = if is_text { read_text(body, &mut faults) } else { read_json(body, &mut faults)? };
    let Some(mut skill) = skill.filter(|_| faults.is_empty()) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    if !skill.name.is_empty() && *skill.name != *name {
        let detail = format!("must be `{name}`, as in the path, not `{}`", skill.name);
        faults.add(&Path::Root.key("name"), detail);
        return Err(Error::Invalid(faults.into_vec()));
    }
    skill.name = name.into();
    // A skill is plain data: serialising it cannot fail.
    let text = serde_json::to_string(&skill).unwrap_or_default();
    let name = name.to_owned();
    let (stored, is_new) = services.tenant().write_durable(move |tx| {
        if condition != WriteCondition::Anything {
            condition.check(tx.skill(&name)?.map(|(stored, _)| stored.version))?;
        }
        Ok::<_, Error>(tx.put_skill(&name, &text)?)
    })?;
    Ok((FoundSkill { skill, stored: Some(stored) }, is_new))
}

fn read_text(text: &str, faults: &mut Faults) -> Option<Skill> {
    match Skill::parse(text) {
        Ok(skill) => Some(skill),
        Err(found) => {
            for detail in found {
                faults.add(&Path::Root, detail);
            }
            None
        }
    }
}

fn read_json(body: &str, faults: &mut Faults) -> Result<Option<Skill>, Error> {
    let node = json::parse(body, Limits::default())?;
    if node.raw.len() > MAX_SKILL_BYTES {
        faults.add(&Path::Root, format!("must be at most {MAX_SKILL_BYTES} bytes"));
    }
    let Some(fields) = Fields::read(&node, Path::Root, KEYS, faults) else { return Ok(None) };
    for key in ["description", "instructions"] {
        if fields.get(key).is_none() {
            fields.fault(key, "is missing", faults);
        }
    }
    let description = fields.text("description", faults);
    if description.is_some_and(|text| text.trim().is_empty()) {
        fields.fault("description", "must not be empty", faults);
    }
    let tools = fields.get("allowed_tools").map(|_| {
        fields.texts("allowed_tools", 1_000, faults).into_iter().map(Into::into).collect()
    });
    let metadata = match fields.get("metadata") {
        Some(node) if node.as_object().is_none() => {
            fields.fault("metadata", format!("must be an object, not {}", node.kind()), faults);
            None
        }
        Some(node) => serde_json::from_str(node.raw).ok(),
        None => None,
    };
    Ok(Some(Skill {
        name: fields.text("name", faults).unwrap_or_default().into(),
        description: description.unwrap_or_default().into(),
        when_to_use: fields.text("when_to_use", faults).map(Into::into),
        instructions: fields.text("instructions", faults).unwrap_or_default().into(),
        allowed_tools: tools,
        base_dir: None,
        metadata: metadata.unwrap_or_default(),
    }))
}

/// Removes a stored skill. A skill of the folders with this name applies again.
pub fn delete(services: &Services, name: &str, if_match: Option<u64>) -> Result<(), Error> {
    let name = name.to_owned();
    services.tenant().write_durable(move |tx| {
        let version = tx.skill(&name)?.map(|(stored, _)| stored.version);
        match (version, if_match) {
            (None, _) => Err(Error::NotFound("no skill of this name is stored")),
            (Some(version), Some(wanted)) if version != wanted => Err(Error::Stale(version)),
            _ => {
                tx.delete_skill(&name)?;
                Ok(())
            }
        }
    })
}

/// Renders the skill of a name as `body` asks: `{"args"?, "vars"?, "argument_names"?,
/// "include_base_dir"?, "append_args_if_no_placeholder"?}`.
pub fn render(services: &Services, name: &str, body: &str) -> Result<(Skill, String), Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(&node, Path::Root, RENDER_KEYS, &mut faults) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let given = read_skill_use(&fields, &mut faults);
    let names =
        fields.get("argument_names").map(|_| fields.texts("argument_names", 64, &mut faults));
    let with_folder = fields.flag("include_base_dir", &mut faults).unwrap_or(false);
    let append = fields.flag("append_args_if_no_placeholder", &mut faults).unwrap_or(true);
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let found = find(services, name)?.ok_or(Error::NotFound("there is no skill of this name"))?;
    let names = names.unwrap_or_else(|| found.skill.argument_names());
    let folder = found.skill.base_dir.as_deref().filter(|_| with_folder);
    let text = render_skill(&found.skill.instructions, folder, &given, &names, append);
    let text = text.map_err(|error| Error::Invalid(vec![too_long(Path::Root, error)]))?;
    Ok((found.skill, text))
}

fn too_long(path: Path<'_>, error: RenderedTooLong) -> Fault {
    Fault { pointer: path.pointer(), detail: error.to_string(), did_you_mean: None }
}

/// Renders the instructions of the skill that a compile names, with its arguments. Returns a fault
/// if there is no skill of this name.
pub(super) fn instructions(
    services: &Services,
    name: &str,
    given: &SkillUse,
) -> Result<Result<String, Fault>, StoreError> {
    if let Some(found) = find(services, name)? {
        let names = found.skill.argument_names();
        let text = render_skill(&found.skill.instructions, None, given, &names, true);
        return Ok(text.map_err(|error| too_long(Path::Root.key("skill"), error)));
    }
    let known = all(services).unwrap_or_default();
    let names: Vec<&str> = known.iter().take(50).map(|found| &*found.skill.name).collect();
    let list = if names.is_empty() { "(none)".to_owned() } else { names.join(", ") };
    let mut faults = Faults::default();
    let detail = format!("there is no skill `{name}`; these are there: {list}");
    faults.add(&Path::Root.key("skill"), detail);
    let fault = faults.into_vec().pop();
    Ok(fault.map_or_else(|| Ok(String::new()), Err))
}
