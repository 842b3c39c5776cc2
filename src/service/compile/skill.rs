//! Looks up the skill that a compile names.

use super::Error;
use crate::request::CompileRequest;
use crate::service::{Services, skills};

/// Reads the instructions of the skill, filled in with the arguments of the request.
pub(super) fn take_skill(services: &Services, request: &mut CompileRequest) -> Result<(), Error> {
    let Some(skill) = &mut request.skill else { return Ok(()) };
    let Some(wanted) = skill.wanted.take() else { return Ok(()) };
    match skills::instructions(services, &skill.name, &wanted)? {
        Ok(instructions) => {
            skill.instructions = instructions.into();
            Ok(())
        }
        Err(fault) => Err(Error::Invalid(vec![fault])),
    }
}
