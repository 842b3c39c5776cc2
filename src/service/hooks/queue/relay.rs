//! Queues new events as calls of the hooks at the point `event`.

use std::sync::Arc;

use serde_json::Value;

use crate::domain::{Event, EventKind, word_of};
use crate::hook::{EventInput, Hook, MatchContext, Point, PointInput as _};
use crate::json::{Limits, parse};
use crate::limit::Deadline;
use crate::service::{Services, StoreError};
use crate::store::{Follower, NewDelivery};
use crate::webhook::new_id;

/// Hooks that one pass serves.
const MAX_HOOKS: usize = 32;
/// Events that the hooks of one pass get together, so that no pass delays due calls for long.
const MAX_EVENTS: usize = 256;

/// Queues the next events for the hooks that follow them, of tenants after the tenant `after` first.
/// Returns the last tenant that was served, if any was.
pub(super) fn relay(services: &Services, after: &str) -> Result<Option<Arc<str>>, StoreError> {
    let store = &services.inner.store;
    let set = services.hooks();
    let mut of_file = set.file.hooks.iter().filter(|hook| follows_events(hook)).peekable();
    if !store.look_for_followers(of_file.peek().is_some())? {
        return Ok(None);
    }
    for hook in of_file {
        for tenant in store.unfollowed(&hook.id)? {
            let id = hook.id.clone();
            store.tenant(&tenant).write(move |tx| tx.follow_events(&id, true))?;
        }
    }
    let followers = store.followers(after, MAX_HOOKS)?;
    let each = MAX_EVENTS.checked_div(followers.len()).unwrap_or_default().max(1);
    let mut last = None;
    for follower in followers {
        // A tenant whose hooks cannot be read does not keep others from their events.
        match queue_events(&services.for_tenant(&follower.tenant), &follower, each) {
            Ok(()) => last = Some(follower.tenant),
            Err(error) => {
                tracing::debug!(
                    %error,
                    tenant = &*follower.tenant,
                    "events could not be queued for hooks, retrying"
                );
            }
        }
    }
    Ok(last)
}

fn follows_events(hook: &Hook) -> bool {
    hook.enabled && hook.points.contains(&Point::Event)
}

fn queue_events(services: &Services, follower: &Follower, most: usize) -> Result<(), StoreError> {
    let tenant = services.tenant();
    let (id, from) = (follower.hook.clone(), follower.seq);
    let Some(hook) = services.hook_of(&id)?.filter(|hook| follows_events(hook)) else {
        return tenant.write(move |tx| tx.follow_events(&id, false));
    };
    let (events, newest) =
        tenant.read(|tx| Ok::<_, StoreError>((tx.events(from, most)?, tx.event_bounds()?.0)))?;
    // Without events, the older ones were removed: the hook continues after the newest one.
    let to = events.last().map_or(newest, |event| event.seq);
    let calls: Vec<(Event, String)> = events
        .into_iter()
        .filter(|event| is_for(&hook, event))
        .map(|event| {
            let input = input(&hook, &event);
            (event, input)
        })
        .collect();
    tenant.write(move |tx| {
        if !tx.advance_follower(&id, from, to)? {
            return Ok(());
        }
        for (event, input) in &calls {
            tx.enqueue(&NewDelivery {
                id: &new_id(),
                hook: &id,
                point: Point::Event.as_str(),
                session_id: event.session_id.as_deref(),
                compilation_id: event.compilation_id.as_deref(),
                agent: None,
                turn: None,
                hops: 0,
                occurrence: 0,
                input,
            })?;
        }
        Ok(())
    })
}

/// Whether events of a kind and a session are for a hook.
pub(crate) fn follows(hook: &Hook, kind: EventKind, session: Option<&str>) -> bool {
    let event = Some(word_of(EventKind::WORDS, kind));
    let Ok(nothing) = parse("{}", Limits::default()) else { return false };
    let facts = MatchContext { session, event, ..MatchContext::default() };
    hook.matching.fits(Point::Event, &facts, &nothing, &Deadline::default())
        && (hook.session.is_none() || hook.session.as_deref() == session)
}

/// Whether an event is for a hook. Events about the hook itself are not, since its failures would
/// cause events that fail again.
fn is_for(hook: &Hook, event: &Event) -> bool {
    let word = word_of(EventKind::WORDS, event.kind);
    let data = serde_json::from_str::<Value>(event.data.as_str());
    let of_itself =
        data.is_ok_and(|data| data.get("hook").and_then(Value::as_str) == Some(&hook.id));
    follows(hook, event.kind, event.session_id.as_deref())
        && !(word.starts_with("hook:") && of_itself)
}

/// Writes the input of the call for an event.
fn input(hook: &Hook, event: &Event) -> String {
    let input = EventInput {
        seq: event.seq,
        kind: word_of(EventKind::WORDS, event.kind),
        at: &event.at.with_millis(),
        session_id: event.session_id.as_deref(),
        compilation_id: event.compilation_id.as_deref(),
        data: event.data.as_json(),
    }
    .to_json();
    match parse(&input, Limits::default()) {
        Ok(node) if !hook.projection.is_all() => hook.projection.apply(&node),
        _ => input,
    }
}
