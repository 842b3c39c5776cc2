//! Weights of lines, by why they are asked for.

pub(super) const ERROR: u8 = 100;
pub(super) const END_TOTAL: u8 = 102;
pub(super) const TOTAL: u8 = 96;
/// A count of results that announces them, if another is at the end.
pub(super) const INNER_TOTAL: u8 = 74;
/// One of many counts: of a part each.
pub(super) const PART_TOTAL: u8 = 40;
/// Counts of results before the end that are not of parts.
pub(super) const MAX_INNER_TOTALS: usize = 4;
/// How long it took.
pub(super) const DURATION: u8 = 65;
pub(super) const LAST_LINE: u8 = 94;
pub(super) const FIRST_LINE: u8 = 92;
/// The first line of a text that names tests that failed: the command, the version of a runner.
pub(super) const FIRST_LINE_OF_FAILURES: u8 = 64;
pub(super) const RARE_ROW: u8 = 90;
/// A row whose columns only blanks part: words of sentences look alike.
pub(super) const RARE_WORD: u8 = 79;
pub(super) const WEAK_ERROR: u8 = 84;
pub(super) const FAILED: u8 = 86;
pub(super) const CHANGE: u8 = 82;
/// What a section of settings is called.
pub(super) const SECTION: u8 = 80;
/// An entry of a section that has few.
pub(super) const FEW_ENTRIES: u8 = 54;
/// The first error that a failed test reports.
pub(super) const MESSAGE: u8 = 78;
/// A value that an assertion compared.
pub(super) const COMPARED: u8 = 77;
pub(super) const TABLE_HEAD: u8 = 76;
pub(super) const OUTLIER: u8 = 72;
pub(super) const DETAIL: u8 = 70;
pub(super) const RUN_DETAIL: u8 = 78;
/// Where an error is.
pub(super) const PLACE: u8 = 66;
pub(super) const BAD_STATE: u8 = 68;
pub(super) const RARE_SHAPE: u8 = 52;
/// The first or the last of many rows.
pub(super) const END_ROW: u8 = 48;
pub(super) const WARNING: u8 = 46;
pub(super) const NEAR_END: u8 = 57;
pub(super) const NEAR_START: u8 = 56;
pub(super) const HEADING: u8 = 36;
pub(super) const LIST_HEAD: u8 = 58;
/// Headings of lists in a text that is more than keys.
pub(super) const MAX_LIST_HEADS: usize = 12;

/// A line that is new in a difference of whole documents, and one that was.
pub(super) const NEW_LINE: u8 = 80;
pub(super) const OLD_LINE: u8 = 60;
/// The head of a block that declares something.
pub(super) const BLOCK_HEAD: u8 = 66;
/// A line that says what is described.
pub(super) const IDENTITY: u8 = 61;
/// An entry of a group that hardly another one is of.
pub(super) const RARE_GROUP: u8 = 60;
/// A message of a chat that tells a fact.
pub(super) const CHAT_FACT: u8 = 63;
/// The heading of a stack of calls, and the call that says where.
pub(super) const STACK_HEAD: u8 = 67;
pub(super) const STACK_CALL: u8 = 70;
/// One of the first lines of a list that is sorted by size.
pub(super) const LARGEST: u8 = 67;
/// One of few warnings.
pub(super) const FEW_WARNINGS: u8 = 62;
pub(super) const MAX_FEW_WARNINGS: usize = 6;

/// Lines at the end of a text in which it is summed up.
pub(super) const END_LINES: usize = 12;
/// Lines before the last that are near the end.
pub(super) const NEAR_END_LINES: usize = 5;
/// Full stops inside of a paragraph.
pub(super) const MIN_STOPS: usize = 2;
/// Lines of one kind that are rows of something.
pub(super) const MIN_ROWS: usize = 6;
/// What a heading weighs less than the line for which it is shown.
pub(super) const PARENT_DISCOUNT: u8 = 20;
/// What the drawn name of a test weighs less than the place where it failed.
pub(super) const BANNER_DISCOUNT: u8 = 1;
/// What a call of a library weighs less than other lines of a failure.
pub(super) const LIBRARY_DISCOUNT: u8 = 12;
/// What a second line of a kind weighs less than the first. Further ones count for what they show.
pub(super) const REPEAT_DISCOUNT: u8 = 26;
pub(super) const MAX_REPEATS: usize = 2;
/// What a name weighs less than the one before, up to so many.
pub(super) const MAX_NAME_STEPS: usize = 16;
