use proptest::prelude::*;

use super::*;
use crate::hook::parser::{GivenId, read_hook};
use crate::hook::text::LIMITS;
use crate::json::parse;

fn hook(id: &str, point: &str, kind: &str, priority: i32) -> Arc<Hook> {
    let text = serde_json::json!({
        "id": id, "point": point, "kind": kind, "url": "https://a.example/", "priority": priority
    });
    let text = text.to_string();
    let mut faults = Faults::default();
    let node = parse(&text, LIMITS).unwrap();
    let url = |url: &str| Ok(url.to_owned());
    let hook = read_hook(&node, Path::Root, GivenId::Made(id), &url, &mut faults);
    assert_eq!(faults.into_vec(), []);
    Arc::new(hook.unwrap())
}

fn manifest(text: &str) -> Manifest {
    let mut faults = Faults::default();
    let read = Manifest::read(&parse(text, LIMITS).unwrap(), Path::Root, &mut faults);
    assert_eq!(faults.into_vec(), []);
    read.unwrap()
}

fn ids(set: &HookSet, point: Point) -> Vec<&str> {
    set.hooks_at(point).iter().map(|hook| &*hook.id).collect()
}

#[test]
fn listed_hooks_come_first_and_the_rest_by_the_bytes_of_their_ids() {
    let hooks: Vec<_> = ["a", "z", "m", "10", "9", "alpha", "zeta"]
        .map(|id| hook(id, "tool_result", "transform", 0))
        .into();
    let order = manifest(r#"{"points":{"tool_result":["z","a"]}}"#);
    let set = HookSet::new(&hooks, &order, None);
    assert_eq!(ids(&set, Point::ToolResult), ["z", "a", "10", "9", "alpha", "m", "zeta"]);
}

#[test]
fn the_kind_goes_before_the_list_and_so_does_the_priority() {
    let hooks = [
        hook("observer", "tool_call", "observe", 9),
        hook("guard", "tool_call", "guard", 0),
        hook("late", "tool_call", "transform", 0),
        hook("early", "tool_call", "transform", 5),
    ];
    let order = manifest(r#"{"points":{"tool_call":["observer","late","guard"]}}"#);
    let set = HookSet::new(&hooks, &order, None);
    assert_eq!(ids(&set, Point::ToolCall), ["guard", "early", "late", "observer"]);
    let last = [
        hook("g", "transform_context", "guard", 0),
        hook("t", "transform_context", "transform", 0),
    ];
    assert_eq!(ids(&HookSet::new(&last, &order, None), Point::TransformContext), ["t", "g"]);
}

#[test]
fn a_narrower_manifest_replaces_the_points_that_it_names() {
    let wide = manifest(r#"{"points":{"tool_result":["a","b"],"tool_call":["c"]}}"#);
    let session = manifest(r#"{"points":{"tool_result":["b","d"]}}"#);
    let both = wide.clone().under(&session);
    assert_eq!(both.write(), r#"{"points":{"tool_call":["c"],"tool_result":["b","d"]}}"#);
    assert_eq!(manifest(&both.write()), both);
    let change = both.difference(&wide, Point::ToolResult);
    assert_eq!((change.added, change.removed), (vec!["d".into()], vec!["a".into()]));
    assert!(change.reordered.is_empty());
    let turned = manifest(r#"{"points":{"tool_result":["b","a"]}}"#);
    assert_eq!(turned.difference(&wide, Point::ToolResult).reordered, ["b".into(), "a".into()]);
    let hooks = [hook("a", "tool_result", "transform", 0), hook("c", "tool_result", "observe", 0)];
    assert_eq!(wide.unknown(&hooks), ["c".into(), "b".into()]);
}

#[test]
fn a_faulty_manifest_is_refused_with_the_places() {
    let text =
        r#"{"version":1,"points":{"tool_result":[],"tool_call":["a","a",7,"Ä"],"tool_cal":["a"]}}"#;
    let mut faults = Faults::default();
    Manifest::read(&parse(text, LIMITS).unwrap(), Path::Root, &mut faults);
    let faults = faults.into_vec();
    let places: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(
        places,
        [
            "/version",
            "/points/tool_result",
            "/points/tool_call/1",
            "/points/tool_call/2",
            "/points/tool_call/3",
            "/points/tool_cal"
        ]
    );
    assert_eq!(faults[5].did_you_mean.as_deref(), Some("tool_call"));
}

#[test]
fn a_later_hook_takes_the_place_of_one_with_its_id_and_disabled_ones_are_out() {
    let mut off = (*hook("b", "tool_call", "guard", 0)).clone();
    off.enabled = false;
    let inline = hook("a", "tool_call", "observe", 0);
    let set = HookSet::new(
        &[hook("a", "tool_call", "guard", 0), Arc::new(off), inline],
        &Manifest::default(),
        None,
    );
    assert_eq!(set.write(), r#"{"tool_call":{"observe":["a"]}}"#);
    assert_eq!(set.order_hash(), hex(&Sha256::digest(set.write())));
    assert_eq!(HookSet::default().hooks_at(Point::Event).len(), 0);
}

proptest! {
    #[test]
    fn the_order_does_not_depend_on_the_order_of_registration(
        given in prop::collection::btree_map("[a-c0-9]{1,3}", (0..3_i32, 0..3_usize), 0..12),
        seed in any::<u64>(),
        listed in prop::collection::btree_set("[a-c0-9]{1,2}", 1..5),
    ) {
        let kinds = ["guard", "transform", "observe"];
        let mut hooks: Vec<_> = given.iter()
            .map(|(id, (priority, kind))| hook(id, "tool_call", kinds[*kind], *priority))
            .collect();
        let listed: Vec<_> = listed.into_iter().collect();
        let order = manifest(&serde_json::json!({"points": {"tool_call": listed}}).to_string());
        let one = HookSet::new(&hooks, &order, None);
        hooks.sort_by_key(|hook| hook.id.bytes().fold(seed, |hash, byte| {
            hash.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(byte)
        }));
        let two = HookSet::new(&hooks, &order, None);
        prop_assert_eq!(one.write(), two.write());
        prop_assert_eq!(one.order_hash(), two.order_hash());
    }
}

#[test]
fn a_hook_of_a_session_stands_in_that_session_alone() {
    let mut own = (*hook("own", "before_compile", "provide", 0)).clone();
    own.session = Some("s".into());
    let hooks = [hook("all", "before_compile", "provide", 0), Arc::new(own)];
    let set = |session| HookSet::new(&hooks, &Manifest::default(), session);
    let here = set(Some("s"));
    assert_eq!(ids(&here, Point::BeforeCompile), ["all", "own"]);
    assert_eq!(here.reserve(Point::BeforeCompile), 2048);
    for session in [None, Some("t")] {
        let elsewhere = set(session);
        assert_eq!(ids(&elsewhere, Point::BeforeCompile), ["all"]);
        assert_eq!(elsewhere.reserve(Point::BeforeCompile), 1024);
    }
}
