// Rows of texts before and after, with the words that differ, next to the map of their tokens.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Action, MessageDecision } from "../api/schema.ts";
import { count, plural } from "../format.ts";
import { choiceOf, choose, href, route } from "../state/route.ts";
import { useSearch } from "../state/search.ts";
import type { Row } from "../text/pairs.ts";
import type { Unit } from "../text/units.ts";
import { side, type Piece } from "../text/words.ts";
import { Badge, Legend } from "./actions.tsx";
import { useDifference } from "./differences.ts";
import { TokenMap } from "./token-map.tsx";
import { VirtualList } from "./virtual.tsx";

const FOLDED_CHARS = 900;
/** Characters of a text that is sent as it is, or not at all, before it is folded. */
const QUIET_CHARS = 300;

const GONE: Partial<Record<Action, string>> = {
  summarized: "replaced by a summary",
  dropped: "left out",
  removed: "removed",
};
const UNFOLDED_CHARS = 200_000;

/** `isLinked`: messages have addresses, since the texts are those of a record. */
export function PairList({ rows, decisions, isLinked = false }: { rows: Row[]; decisions: MessageDecision[]; isLinked?: boolean }) {
  const only = choiceOf("only", ["", "changed"]);
  const onlyChanged = only.value === "changed";
  const wanted = useSearch();
  const wish = useSignal({ index: 0, wish: 0 });
  const shown = useMemo(() => {
    const text = wanted.value.toLowerCase();
    const holds = (unit: Unit | null) => unit !== null && `${unit.author} ${unit.name ?? ""} ${unit.text}`.toLowerCase().includes(text);
    return rows.filter((row) => (!onlyChanged || row.action !== "kept") && (text === "" || holds(row.before) || holds(row.after)));
  }, [rows, onlyChanged, wanted.value]);
  const counts = useMemo(() => {
    const found: Partial<Record<Action, number>> = {};
    for (const { action } of decisions) found[action] = (found[action] ?? 0) + 1;
    const added = rows.filter((row) => row.action === "added").length;
    if (added > 0) found.added = added;
    return found;
  }, [rows, decisions]);

  function reveal(test: (row: Row) => boolean, from = 0, step = 1): void {
    for (let at = from; at >= 0 && at < shown.length; at += step) {
      const row = shown[at];
      if (row && test(row)) {
        wish.value = { index: at, wish: wish.value.wish + 1 };
        return;
      }
    }
  }

  // An address may name a message.
  useEffect(() => {
    const message = route.peek().query.get("message");
    if (message !== null) reveal((row) => String(row.before?.index) === message);
  }, [rows]);

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLElement && event.target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select")) return;
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      if (step !== 0) reveal((row) => row.action !== "kept", wish.value.index + step, step);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });

  return (
    <div class="pairs">
      <aside class="map" aria-label="Map of the tokens">
        <TokenMap decisions={decisions} onPick={(index) => reveal((row) => row.before?.index === index)} />
        <Legend counts={counts} />
        <p class="hint"><kbd>j</kbd> <kbd>k</kbd> next and previous change</p>
      </aside>
      <div class="pair-rows">
        <div class="pair-tools">
          <input type="search" aria-label="Find in the texts" placeholder="Find in the texts" value={wanted.value} onInput={(event) => wanted.set(event.currentTarget.value)} />
          <label class="check-line">
            <input type="checkbox" checked={onlyChanged} onChange={(event) => only.set(event.currentTarget.checked ? "changed" : "")} />
            Changes only
          </label>
          <p class="dim" role="status">{shown.length === rows.length ? plural(rows.length, "text") : `${count(shown.length)} of ${plural(rows.length, "text")}`}</p>
        </div>
        <div class="pair-head"><span>Came in</span><span>Is sent</span></div>
        {shown.length === 0 && <p class="dim">{onlyChanged && wanted.value === "" ? "Every text is sent as it came." : "No text is like this."}</p>}
        <VirtualList items={shown} keyOf={(row) => row.key} estimate={estimate} label="Texts before and after"
          reveal={wish.value} row={(row, index) => <PairRow row={row} isLinked={isLinked} marked={wish.value.wish > 0 && wish.value.index === index} />} />
      </div>
    </div>
  );
}

function estimate(row: Row): number {
  const size = Math.max(row.before?.text.length ?? 0, row.after?.text.length ?? 0);
  return 62 + Math.min(Math.ceil(size / (row.same ? 130 : 62)), row.same ? 4 : 14) * 20;
}

function PairRow({ row, marked, isLinked }: { row: Row; marked: boolean; isLinked: boolean }) {
  const open = useSignal(false);
  const { before, after, decision } = row;
  const unit = before ?? after;
  const most = open.value ? UNFOLDED_CHARS : row.same || !after ? QUIET_CHARS : FOLDED_CHARS;
  const pieces = useDifference(row);
  if (!unit) return null;
  const size = Math.max(before?.text.length ?? 0, after?.text.length ?? 0);
  const left = before && side(pieces ?? [{ text: before.text, kind: "same" }], "added", most);
  const right = after && side(pieces ?? [{ text: after.text, kind: "same" }], "removed", most);
  return (
    <article class={`pair ${row.action}${marked ? " marked" : ""}`}>
      <header>
        <b>{unit.author}</b>
        {unit.kind !== "text" && <span class="kind">{unit.kind === "call" ? `calls ${unit.name ?? ""}` : unit.kind}</span>}
        {unit.index !== null && before && (isLinked
          ? <a class="dim" href={href(route.value.page, route.value.id ?? undefined, { message: String(unit.index) })} title="The address of this message" onClick={(event) => { event.preventDefault(); choose({ message: String(unit.index) }); }}>{unit.index}</a>
          : <span class="dim">{unit.index}</span>)}
        <Badge action={row.action} />
        {decision && row.action !== "kept" && (
          <span class="why"><code>{decision.rule}</code>{decision.class && !(row.action in GONE) && <span title="How much of the original the text keeps">{decision.class}</span>}</span>
        )}
        {decision && row.part > 0 && <span class="tokens" title="The tokens of the message are at its first part">part {row.part + 1} of the message</span>}
        {decision && row.part === 0 && (
          <span class="tokens">
            {decision.tokens_before === decision.tokens_after ? count(decision.tokens_before)
              : <>{count(decision.tokens_before)} → <b>{count(decision.tokens_after)}</b></>} tokens
          </span>
        )}
      </header>
      {row.same && row.action === "kept" ? (
        <div class="texts one"><Text pieces={right?.pieces ?? []} cut={right?.cut ?? false} /></div>
      ) : (
        <div class="texts">
          {left ? <Text pieces={left.pieces} cut={left.cut} /> : <p class="none">not in the request</p>}
          {right ? <Text pieces={right.pieces} cut={right.cut} /> : <p class="none">{GONE[row.action] ?? "not sent"}</p>}
        </div>
      )}
      <footer>
        {(left?.cut || right?.cut || open.value) && (
          <button type="button" class="link" aria-expanded={open.value} onClick={() => { open.value = !open.value; }}>
            {open.value ? "Show less" : `Show all ${count(size)} characters`}
          </button>
        )}
        {decision?.artifact && <a href={`/artifacts/${decision.artifact}`} target="_blank" rel="noopener">Original {decision.artifact.slice(0, 14)}…</a>}
      </footer>
    </article>
  );
}

function Text({ pieces, cut }: { pieces: Piece[]; cut: boolean }) {
  return (
    <pre class="text">
      {pieces.map((piece, at) =>
        piece.kind === "same" ? piece.text
          : piece.kind === "added" ? <ins key={at}>{piece.text}</ins>
          : <del key={at}>{piece.text}</del>)}
      {cut && <span class="dim"> …</span>}
    </pre>
  );
}
