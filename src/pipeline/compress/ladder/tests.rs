use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::compress::Depth;
use crate::pipeline::compress::view::Clearing;
use crate::request::Level;

/// Every turn but the user's can be taken to six tenths and on, to one; a summary takes half
/// of its cap.
struct Fifth<'t>(&'t [TurnCost], u64);

impl TurnCosts for Fifth<'_> {
    type Error = Infallible;

    fn arrival_cost(&mut self, turn: usize) -> Result<(u64, u64), Infallible> {
        Ok((self.0[turn].flat, self.0[turn].real))
    }

    fn settle_costs(&mut self, _: &[TurnForm]) -> Result<Vec<(u64, u64)>, Infallible> {
        Ok(Vec::new())
    }

    fn form_cost(&mut self, turn: usize, form: TurnForm) -> Result<Option<(u64, u64)>, Infallible> {
        let cost = self.0[turn];
        let shown = tenths(form, cost.flat);
        Ok((!cost.user && cost.flat >= 5).then_some((shown, shown)))
    }

    fn summary_cost(&mut self, _: &[TurnForm]) -> Result<u64, Infallible> {
        Ok(self.1 / 2)
    }
}

fn tenths(form: TurnForm, tokens: u64) -> u64 {
    match form {
        TurnForm::Whole => tokens,
        TurnForm::Reduced(Depth::Reduced) => tokens * 6 / 10,
        TurnForm::Reduced(Depth::Outline) => tokens * 5 / 10,
        TurnForm::Reduced(Depth::Extract) => tokens * 4 / 10,
        TurnForm::Reduced(Depth::Digest) => tokens * 3 / 10,
        TurnForm::Reduced(Depth::Gist) => tokens * 2 / 10,
        TurnForm::Excerpt { bytes } => u64::from(bytes).min(tokens),
        TurnForm::Cleared(_) => tokens / 10,
        TurnForm::Covered => 0,
    }
}

fn turn(tokens: u64, user: bool, index: usize, keep: usize) -> TurnCost {
    TurnCost {
        flat: tokens,
        real: tokens,
        user,
        live_start: (index + 1).saturating_sub(keep),
        clear_start: (index + 1).saturating_sub(keep),
        ..TurnCost::default()
    }
}

fn turns(list: &[(u64, bool)], keep: usize) -> Vec<TurnCost> {
    list.iter().enumerate().map(|(at, (tokens, user))| turn(*tokens, *user, at, keep)).collect()
}

fn room(room: u64) -> LadderPlan {
    LadderPlan {
        level: Level::Drop,
        digests: true,
        clear_thinking: true,
        trigger: room,
        compress_to: room * 6 / 10,
        summary_cap: room / 8,
        marker: 2,
        allowed: room,
        drop_allowed: room,
        opening: None,
        note_pays: false,
        keep_live: false,
        payoff: None,
    }
}

/// A room in which a payload may take so many tokens.
fn allowing(allowed: u64, size: u64) -> LadderPlan {
    LadderPlan { allowed, drop_allowed: allowed, ..room(size) }
}

fn outcome(turns: &[TurnCost], by: &LadderPlan) -> LadderOutcome {
    match plan(turns, by, &mut Fifth(turns, by.summary_cap)) {
        Ok(outcome) => outcome,
        Err(never) => match never {},
    }
}

fn shown(turns: &[TurnCost], outcome: &LadderOutcome) -> u64 {
    turns.iter().zip(&outcome.forms).map(|(turn, form)| tenths(*form, turn.real)).sum()
}

/// The same; of long turns excerpts of any size can be shown, of a token a byte.
struct Excerpts<'t>(Fifth<'t>);

impl TurnCosts for Excerpts<'_> {
    type Error = Infallible;

    fn arrival_cost(&mut self, turn: usize) -> Result<(u64, u64), Infallible> {
        self.0.arrival_cost(turn)
    }

    fn settle_costs(&mut self, forms: &[TurnForm]) -> Result<Vec<(u64, u64)>, Infallible> {
        self.0.settle_costs(forms)
    }

    fn form_cost(&mut self, turn: usize, form: TurnForm) -> Result<Option<(u64, u64)>, Infallible> {
        self.0.form_cost(turn, form)
    }

    fn find_excerpt(
        &mut self,
        turn: usize,
        max_tokens: u64,
        _: MediaCost,
    ) -> Result<Option<TurnExcerpt>, Infallible> {
        let cost = self.0.0[turn];
        let tokens = max_tokens.min(cost.flat);
        let form = TurnForm::Excerpt { bytes: u32::try_from(tokens).unwrap() };
        Ok((!cost.user && cost.flat >= 500).then_some(TurnExcerpt { form, cost: (tokens, tokens) }))
    }

    fn summary_cost(&mut self, forms: &[TurnForm]) -> Result<u64, Infallible> {
        self.0.summary_cost(forms)
    }
}

fn excerpts(turns: &[TurnCost], by: &LadderPlan) -> LadderOutcome {
    match plan(turns, by, &mut Excerpts(Fifth(turns, by.summary_cap))) {
        Ok(outcome) => outcome,
        Err(never) => match never {},
    }
}

#[test]
fn a_newest_turn_that_is_too_long_alone_is_cut_to_the_room_beside_the_others() {
    let small: Vec<_> = std::iter::once((50, true)).chain([(100, false); 4]).collect();
    let with = |newest| [small.clone(), vec![(newest, false)]].concat();
    // At a point the history is down to 6,000 tokens: the others have 450 of them.
    let at_point = excerpts(&turns(&with(50_000), 4), &allowing(10_000, 10_000));
    assert_eq!(at_point.forms[..5], [TurnForm::Whole; 5]);
    assert_eq!(at_point.forms[5], TurnForm::Excerpt { bytes: 5_550 });
    assert_eq!((at_point.note, at_point.squeezed), (HistoryNote::None, false));
    // For one payload alone, the room is all that is allowed.
    let by = LadderPlan { trigger: u64::MAX, ..allowing(3_000, 10_000) };
    let squeezed = excerpts(&turns(&with(50_000), 4), &by);
    assert_eq!(squeezed.forms[5], TurnForm::Excerpt { bytes: 2_550 });
    assert!(squeezed.squeezed);
    // Next to long turns half is its own, and they are edited as ever.
    let long = turns(&[(50, true), (4_000, false), (4_000, false), (50_000, false)], 0);
    let both = excerpts(&long, &allowing(10_000, 10_000));
    let TurnForm::Excerpt { bytes } = both.forms[3] else { panic!("{:?}", both.forms) };
    assert!(bytes >= 2_975 && shown(&long, &both) <= 6_000, "{:?}", both.forms);
}

#[test]
fn the_last_edit_takes_no_more_than_is_needed() {
    let list: Vec<_> = std::iter::once((50, true)).chain([(2_000, false); 5]).collect();
    let turns = turns(&list, 1);
    let by = LadderPlan { level: Level::Reversible, digests: false, ..allowing(10_000, 10_000) };
    let filled = excerpts(&turns, &by);
    // Clearing the oldest frees 1,800 tokens, of which the target needs 1,650.
    let reduced = TurnForm::Reduced(Depth::Reduced);
    let cut = TurnForm::Excerpt { bytes: 350 };
    assert_eq!(filled.forms, [TurnForm::Whole, cut, reduced, reduced, reduced, TurnForm::Whole]);
    assert_eq!(shown(&turns, &filled), 6_000);
}

#[test]
fn what_fits_stays_whole() {
    let turns = turns(&[(10, true), (40, false), (50, false)], 4);
    let outcome = outcome(&turns, &room(100));
    assert!(outcome.forms.iter().all(|form| *form == TurnForm::Whole));
    assert_eq!(outcome.note, HistoryNote::None);
}

#[test]
fn every_step_goes_over_the_old_turns_before_the_next_begins() {
    let list: Vec<_> = std::iter::once((5, true)).chain([(20, false); 6]).collect();
    let turns = turns(&list, 2);
    let at = |allowed| {
        let by = LadderPlan { trigger: u64::MAX, ..allowing(allowed, 100) };
        let outcome = outcome(&turns, &by);
        assert_eq!((outcome.note, outcome.forms[6]), (HistoryNote::None, TurnForm::Whole));
        outcome.forms[1..5].to_vec()
    };
    let (reduced, outline) = (TurnForm::Reduced(Depth::Reduced), TurnForm::Reduced(Depth::Outline));
    let (extract, digest) = (TurnForm::Reduced(Depth::Extract), TurnForm::Reduced(Depth::Digest));
    let cleared = TurnForm::Cleared(Clearing::Results);
    assert_eq!(at(109), [reduced, reduced, TurnForm::Whole, TurnForm::Whole]);
    assert_eq!(at(89), [outline, outline, reduced, reduced]);
    assert_eq!(at(73), [digest, digest, extract, extract]);
    assert_eq!(at(53), [cleared, cleared, cleared, cleared]);
}

#[test]
fn turns_that_do_not_pay_for_the_message_in_their_place_stay() {
    let list = turns(&[(5, true), (10, false), (10, false), (300, false)], 0);
    let by = |allowed| LadderPlan {
        trigger: u64::MAX,
        note_pays: true,
        marker: 30,
        summary_cap: 0,
        ..allowing(allowed, 100)
    };
    // The two old turns take less than the marker would: the newest is shortened instead.
    let some = outcome(&list, &by(150));
    assert_eq!(some.note, HistoryNote::None);
    assert!(!some.forms.contains(&TurnForm::Covered) && shown(&list, &some) <= 150);
    // With the newest one they take more.
    let none = outcome(&list, &by(36));
    assert_eq!((none.note, none.forms[3]), (HistoryNote::Marker, TurnForm::Covered));
}

#[test]
fn the_newest_results_are_not_cleared_while_older_ones_are_left() {
    let mut turns = turns(&[(5, true), (20, false), (20, false), (20, false)], 0);
    turns[3].clear_start = 2;
    let by = LadderPlan { level: Level::Reversible, keep_live: true, ..room(100) };
    let outcome =
        outcome(&turns, &LadderPlan { trigger: u64::MAX, allowed: 0, drop_allowed: 0, ..by });
    let (digest, cleared) = (TurnForm::Reduced(Depth::Gist), TurnForm::Cleared(Clearing::Results));
    assert_eq!(outcome.forms, [TurnForm::Whole, cleared, digest, digest]);
}

#[test]
fn an_opening_is_charged_only_if_the_list_needs_one() {
    // Turns that may be dropped, and none of the user's among them.
    let list = turns(&[(45, false), (50, false)], 0);
    let opening = |only_if_empty, is_note_first| {
        Some(OpeningPlan { tokens: 8, only_if_empty, is_note_first })
    };
    let by = |opening| LadderPlan { trigger: u64::MAX, opening, ..allowing(100, 1_000) };
    // Any message may be the first, so all of the room is the history's.
    let any_first = outcome(&list, &by(opening(true, true)));
    assert_eq!(
        (any_first.forms.as_slice(), any_first.squeezed),
        (&[TurnForm::Whole; 2][..], false)
    );
    let user_first = outcome(&list, &by(opening(false, true)));
    assert!(user_first.squeezed && shown(&list, &user_first) <= 92, "{:?}", user_first.forms);
    // The note is the user's, but it follows a provider's own compaction.
    let long = turns(&[(100, false); 6], 0);
    let by = |is_note_first| LadderPlan {
        summary_cap: 0,
        marker: 20,
        trigger: u64::MAX,
        opening: opening(false, is_note_first),
        ..allowing(50, 1_000)
    };
    let covered = |outcome: &LadderOutcome| {
        outcome.forms.iter().filter(|form| **form == TurnForm::Covered).count()
    };
    let (first, behind) = (outcome(&long, &by(true)), outcome(&long, &by(false)));
    assert_eq!((covered(&first), shown(&long, &first)), (3, 30));
    assert_eq!((covered(&behind), shown(&long, &behind)), (4, 20));
}

#[test]
fn the_last_user_message_outlives_everything() {
    let turns = turns(&[(30, true), (60, false), (70, false)], 4);
    let outcome = outcome(&turns, &allowing(30, 40));
    assert_eq!(outcome.forms, [TurnForm::Whole, TurnForm::Covered, TurnForm::Covered]);
    assert_eq!(outcome.note, HistoryNote::Silent);
}

#[test]
fn turns_are_summarised_but_not_dropped_while_the_larger_allowance_is_met() {
    let list: Vec<_> = std::iter::once((5, true)).chain([(100, false); 8]).collect();
    let turns = turns(&list, 0);
    let by = LadderPlan { trigger: u64::MAX, summary_cap: 60, ..allowing(20, 100) };
    let by = LadderPlan { digests: false, ..by };
    // By the smaller allowance alone the summary would give its room up.
    assert_eq!(outcome(&turns, &by).note, HistoryNote::Marker);
    let kept = outcome(&turns, &LadderPlan { drop_allowed: 900, ..by });
    assert_eq!((kept.note, kept.squeezed, kept.keeps_summary), (HistoryNote::Summary, true, true));
    // No room for a summary: nothing leaves the history.
    let without = LadderPlan { summary_cap: 0, ..by };
    assert!(outcome(&turns, &without).forms.contains(&TurnForm::Covered));
    let kept = outcome(&turns, &LadderPlan { drop_allowed: 900, ..without });
    assert!(kept.squeezed && !kept.forms.contains(&TurnForm::Covered));
    // Above the larger allowance, turns that cannot be shortened are dropped until it is met.
    let list: Vec<_> = std::iter::once((5, true)).chain([(4, false); 100]).collect();
    let turns = self::turns(&list, 0);
    let some = outcome(&turns, &LadderPlan { drop_allowed: 300, ..without });
    assert_eq!((some.note, some.keeps_summary), (HistoryNote::Marker, false));
    assert!((290..=300).contains(&shown(&turns, &some)));
}

proptest! {
    #[test]
    fn a_longer_list_goes_through_the_same_points(
        list in prop::collection::vec((1u64..60, prop::bool::weighted(0.2)), 1..60),
        keep in 0usize..6, size in 40u64..400
    ) {
        let turns = turns(&list, keep);
        let by = allowing(u64::MAX, size);
        let mut before: Option<LadderOutcome> = None;
        let mut spent: u64 = 0;
        let mut points = 0;
        for end in 1..=turns.len() {
            let now = outcome(&turns[..end], &by);
            spent += list[end - 1].0;
            if let Some(before) = before {
                let same = now.forms[..end - 1] == before.forms[..] && now.note == before.note;
                points += u64::from(!same);
            }
            before = Some(now);
        }
        // Between points nothing moves, and every point frees two fifths of the room for
        // turns to come, where what may not go leaves them free.
        if list.iter().all(|(tokens, user)| !user && *tokens * 4 < size) {
            prop_assert!(points <= spent * 10 / (size * 2) + 2, "{points} of {spent}");
        }
    }

    #[test]
    fn what_can_be_made_to_fit_fits(
        list in prop::collection::vec((1u64..60, prop::bool::weighted(0.2)), 1..60),
        keep in 0usize..6, size in 1u64..400, allowed in 60u64..400
    ) {
        let turns = turns(&list, keep);
        let by = allowing(allowed, size);
        let outcome = outcome(&turns, &by);
        prop_assert!(shown(&turns, &outcome) <= allowed);
        if let Some(user) = turns.iter().rposition(|turn| turn.user) {
            prop_assert_eq!(outcome.forms[user], TurnForm::Whole);
        }
    }

    #[test]
    fn a_bigger_allowance_never_shows_less(
        list in prop::collection::vec((1u64..60, prop::bool::weighted(0.2)), 1..40),
        keep in 0usize..6, allowed in 60u64..400, more in 0u64..200, note_pays in any::<bool>()
    ) {
        let turns = turns(&list, keep);
        let rank = |form: &TurnForm| tenths(*form, 10);
        let by = |allowed| LadderPlan { trigger: u64::MAX, note_pays, ..allowing(allowed, 100) };
        let small = outcome(&turns, &by(allowed));
        let big = outcome(&turns, &by(allowed + more));
        prop_assert_eq!((small.forms.len(), big.forms.len()), (list.len(), list.len()));
        for (a, b) in small.forms.iter().zip(&big.forms) {
            prop_assert!(rank(a) <= rank(b));
        }
    }
}
