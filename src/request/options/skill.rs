//! Reading the skill that a compile takes: by its name, or as its own instructions.

use super::SkillOptions;
use super::reader::SKILL;
use super::section::section;
use crate::domain::{Notes, SkillUse, render_skill};
use crate::json::{Faults, Fields};
use crate::provider::without_nul;

impl SkillOptions {
    pub(crate) fn read(
        fields: &Fields<'_, '_>,
        faults: &mut Faults,
        notes: &mut Notes,
    ) -> Option<Self> {
        if fields.get("skill").is_some_and(|node| node.as_str().is_some()) {
            let name = fields.text_without_nul("skill", faults)?;
            let wanted = Some(SkillUse::default());
            return Some(Self { name: name.into(), instructions: "".into(), wanted });
        }
        let given = section(fields, "skill", fields.path(), SKILL, faults)?;
        let name = given.text_without_nul("name", faults);
        if given.get("name").is_none() {
            given.fault("name", "is missing", faults);
        }
        let text = given.text("instructions", faults);
        let used = read_skill_use(&given, faults);
        let Some(text) = text else {
            return Some(Self { name: name?.into(), instructions: "".into(), wanted: Some(used) });
        };
        let text = render_skill(text, None, &used, &[], true)
            .map_err(|error| given.fault("instructions", error.to_string(), faults))
            .ok()?;
        let instructions = without_nul(&text, &given.path().key("instructions"), notes);
        Some(Self { name: name?.into(), instructions, wanted: None })
    }
}

/// Reads `args` and `vars`.
pub fn read_skill_use(given: &Fields<'_, '_>, faults: &mut Faults) -> SkillUse {
    /// Bytes of the arguments, and of each variable.
    const MAX_TEXT_BYTES: usize = 64 << 10;
    let args = given.text("args", faults);
    if args.is_some_and(|args| args.len() > MAX_TEXT_BYTES) {
        given.fault("args", format!("must be at most {MAX_TEXT_BYTES} bytes"), faults);
    }
    let path = given.path().key("vars");
    let mut vars = Vec::new();
    if let Some(node) = given.get("vars") {
        match node.as_object() {
            None => faults.add(&path, format!("must be an object, not {}", node.kind())),
            Some(members) => {
                for (name, value) in members {
                    if let Some(text) = value.as_str().filter(|text| text.len() <= MAX_TEXT_BYTES) {
                        vars.push((name.as_ref().into(), text.into()));
                    } else {
                        let detail = format!("must be a string of at most {MAX_TEXT_BYTES} bytes");
                        faults.add(&path.key(name), detail);
                    }
                }
            }
        }
    }
    SkillUse { args: args.map(Into::into), vars }
}
