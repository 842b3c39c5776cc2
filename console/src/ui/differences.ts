// Differences of the rows that are shown, one after the other, each in a task of its own: many long texts that come into
// view together do not block the page. Until its difference is there, a row shows its texts without marks.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Row } from "../text/pairs.ts";
import { difference, type Piece } from "../text/words.ts";

interface Wanted {
  row: Row;
  onFound: (pieces: Piece[]) => void;
}

/** Texts that together are not longer are compared at once. */
const SHORT_CHARS = 1200;
const known = new WeakMap<Row, Piece[]>();
const waiting = new Set<Wanted>();
let timer: ReturnType<typeof setTimeout> | undefined;

function find(row: Row): Piece[] {
  const pieces = difference(row.before?.text ?? "", row.after?.text ?? "");
  known.set(row, pieces);
  return pieces;
}

function work(): void {
  timer = undefined;
  const [first] = waiting;
  if (!first) return;
  waiting.delete(first);
  first.onFound(known.get(first.row) ?? find(first.row));
  if (waiting.size > 0) timer = setTimeout(work);
}

/** The pieces of both texts of a row; null if it has one text, or until the difference is found. */
export function useDifference(row: Row): Piece[] | null {
  const found = useSignal<{ row: Row; pieces: Piece[] } | null>(null);
  const { before, after } = row;
  const isWanted = before !== null && after !== null && !row.same;
  const now = !isWanted ? null : known.get(row) ?? (before.text.length + after.text.length <= SHORT_CHARS ? find(row) : null);
  useEffect(() => {
    if (!isWanted || known.has(row)) return undefined;
    const wanted: Wanted = { row, onFound: (pieces) => { found.value = { row, pieces }; } };
    waiting.add(wanted);
    timer ??= setTimeout(work);
    return () => {
      waiting.delete(wanted);
    };
  }, [row]);
  return now ?? (found.value?.row === row ? found.value.pieces : null);
}
