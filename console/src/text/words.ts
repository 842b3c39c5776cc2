// The difference of two texts, word by word; by lines where the texts are long. Bounded in work: of texts that differ too
// much, each is marked as a whole.

import { diffLines, diffWordsWithSpace, type Change } from "diff";

export interface Piece {
  text: string;
  kind: "same" | "removed" | "added";
}

const MAX_WORD_CHARS = 8000;
/** Work grows with the square of the edits. This many take some 20 ms. */
const MAX_EDITS = 900;
const TIMEOUT_MS = 80;

export function difference(before: string, after: string): Piece[] {
  const isLong = Math.max(before.length, after.length) > MAX_WORD_CHARS;
  const options = { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS };
  const changes: Change[] | undefined = isLong ? diffLines(before, after, options) : diffWordsWithSpace(before, after, options);
  if (!changes) return [{ text: before, kind: "removed" }, { text: after, kind: "added" }];
  return changes.map(({ value, added, removed }) => ({ text: value, kind: added ? "added" : removed ? "removed" : "same" }));
}

/** The pieces of one side, cut after so many characters. */
export function side(pieces: Piece[], hidden: "removed" | "added", most: number): { pieces: Piece[]; cut: boolean } {
  const shown: Piece[] = [];
  let left = most;
  for (const piece of pieces) {
    if (piece.kind === hidden) continue;
    if (left <= 0) return { pieces: shown, cut: true };
    if (piece.text.length > left) {
      shown.push({ ...piece, text: piece.text.slice(0, left) });
      return { pieces: shown, cut: true };
    }
    shown.push(piece);
    left -= piece.text.length;
  }
  return { pieces: shown, cut: false };
}
