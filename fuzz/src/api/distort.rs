//! Makes a good value large, odd or wrong in a few places.

use arbitrary::{Result, Unstructured};
use serde_json::Value;

use super::known::Known;
use super::leaf::{self, chance, many};

/// Changes `count` places of a value that may grow by about `room` bytes.
pub(super) fn distort(
    u: &mut Unstructured<'_>,
    known: &Known,
    value: &mut Value,
    room: usize,
    count: usize,
) -> Result<()> {
    for _ in 0..count {
        let levels = u.int_in_range(1..=12)?;
        change(u, known, value, room / count, levels)?;
    }
    Ok(())
}

/// Goes down by at most so many levels, and changes what is there.
fn change(
    u: &mut Unstructured<'_>,
    known: &Known,
    value: &mut Value,
    room: usize,
    levels: usize,
) -> Result<()> {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = u.int_in_range(0..=items.len() - 1)?;
            if levels > 0 && !chance(u, 1, 3)? {
                return change(u, known, &mut items[at], room, levels - 1);
            }
            repeat(u, items, at, room)
        }
        Value::Object(members) if !members.is_empty() => {
            let at = u.int_in_range(0..=members.len() - 1)?;
            let name = members.keys().nth(at).cloned().unwrap_or_default();
            if levels > 0 && !chance(u, 1, 24)? {
                return change(u, known, &mut members[&name], room, levels - 1);
            }
            match u.int_in_range(0..=4)? {
                0 => drop(members.remove(&name)),
                1 => drop(members.insert(leaf::text(u, known, 64)?, leaf::any(u, known, room, 0)?)),
                2 => {
                    let same = members[&name].clone();
                    let size = same.to_string().len() + 16;
                    for at in 0..many(u, (room / size).max(1))? {
                        members.insert(format!("{name}{at}"), same.clone());
                    }
                }
                3 => {
                    let long = leaf::long(u, (room / 4).max(8))?;
                    let same = members[&name].clone();
                    members.insert(long, same);
                }
                _ => members[&name] = leaf::any(u, known, room, 0)?,
            }
            Ok(())
        }
        Value::String(text) => {
            *text = match u.int_in_range(0..=7)? {
                0 => leaf::text(u, known, room)?,
                1 => text.repeat(many(u, (room / text.len().max(1)).max(1))?),
                2 => format!("{text}{}", leaf::long(u, room)?),
                _ => leaf::long(u, room)?,
            };
            Ok(())
        }
        Value::Number(_) => {
            *value = leaf::integer(u)?.into();
            Ok(())
        }
        _ => {
            *value = leaf::any(u, known, room, 0)?;
            Ok(())
        }
    }
}

/// One item again and again; its names and ids are told apart by a number, most of the time.
fn repeat(u: &mut Unstructured<'_>, items: &mut Vec<Value>, at: usize, room: usize) -> Result<()> {
    let item = items[at].clone();
    let times = many(u, (room / (item.to_string().len() + 8)).max(1))?;
    let tells_apart = !chance(u, 1, 4)?;
    let pad = match chance(u, 1, 4)? {
        true => "n".repeat(many(u, (room / times).max(1))?.min(2_000)),
        false => String::new(),
    };
    for number in 0..times {
        let mut copy = item.clone();
        if tells_apart {
            rename(&mut copy, &format!("{pad}{number}"));
        }
        items.push(copy);
    }
    Ok(())
}

/// Appends to what names an item.
fn rename(value: &mut Value, suffix: &str) {
    match value {
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                let is_name =
                    name == "id" || name == "name" || name == "key" || name.ends_with("_id");
                match value {
                    Value::String(text) if is_name => text.push_str(suffix),
                    Value::Object(_) => rename(value, suffix),
                    Value::Array(items) => items.iter_mut().for_each(|item| rename(item, suffix)),
                    _ => {}
                }
            }
        }
        Value::String(text) => text.push_str(suffix),
        _ => {}
    }
}
