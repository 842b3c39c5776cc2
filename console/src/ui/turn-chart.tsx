// A column for each turn: parts from the start of the prompt upwards, the share that the cache has hatched, the budget
// as a line, and flags where the cache broke.

import { useEffect, useRef } from "preact/hooks";
import type { TimelineRow } from "../api/schema.ts";
import { count, short, time } from "../format.ts";
import { href } from "../state/route.ts";
import { PARTS } from "./parts.tsx";
import { whyText } from "./why.tsx";

const HEIGHT = 240;
/** Reasons that are decisions of a compile, not accidents. */
const OWN = new Set(["compaction", "squeeze"]);

export function TurnChart({ rows, first }: { rows: TimelineRow[]; first: number }) {
  const box = useRef<HTMLDivElement>(null);
  // The newest turn is the one that matters.
  useEffect(() => {
    if (box.current) box.current.scrollLeft = box.current.scrollWidth;
  }, [rows.length]);
  const budget = rows.at(-1)?.budget ?? null;
  const tallest = Math.max(...rows.map((row) => row.tokens_after), 1);
  // A budget far above everything would leave the columns flat.
  const top = budget !== null && budget < tallest * 4 ? Math.max(budget, tallest) * 1.06 : tallest * 1.12;
  const ticks = ticksOf(top);
  const y = (tokens: number) => `${(100 * tokens) / top}%`;
  return (
    <div class="turns">
      <div class="turn-scale" aria-hidden="true" style={{ height: `${HEIGHT}px` }}>
        {ticks.map((tick) => <span key={tick} style={{ bottom: y(tick) }}>{short(tick)}</span>)}
      </div>
      <div class="turn-scroll" ref={box} tabIndex={0} role="group" aria-label="Turns, oldest first">
        <div class="turn-area">
          <div class="turn-lines" aria-hidden="true" style={{ height: `${HEIGHT}px` }}>
            {ticks.map((tick) => <i key={tick} style={{ bottom: y(tick) }} />)}
            {budget !== null && budget <= top && <b style={{ bottom: y(budget) }}><span>budget {short(budget)}</span></b>}
          </div>
          <ol>
            {rows.map((row, at) => {
              const change = row.first_change ?? null;
              const label = describe(row, first + at + 1);
              return (
                <li key={row.compilation_id}>
                  <a href={href("records", row.compilation_id)} aria-label={label} title={label} style={{ height: `${HEIGHT}px` }}
                    class={row.fits ? "" : "over"}>
                    {change && (
                      <i class={OWN.has(change.why) ? "flag own" : "flag"} style={{ bottom: `calc(${y(row.tokens_after)} + 4px)` }} />
                    )}
                    <span class="column" style={{ height: y(row.tokens_after) }}>
                      {row.parts ? PARTS.filter(({ name }) => (row.parts?.[name] ?? 0) > 0).map(({ name }) => (
                        <span key={name} class={`part ${name}`} style={{ flexGrow: row.parts?.[name] ?? 0 }} />
                      )) : <span class="part history" style={{ flexGrow: 1 }} />}
                      {(row.cost?.cache.read_tokens ?? 0) > 0 && (
                        <span class="cached" style={{ height: `${(100 * (row.cost?.cache.read_tokens ?? 0)) / Math.max(row.tokens_after, 1)}%` }} />
                      )}
                    </span>
                  </a>
                  <small aria-hidden="true">{(first + at + 1) % 5 === 0 || rows.length < 16 ? first + at + 1 : ""}</small>
                </li>
              );
            })}
          </ol>
        </div>
      </div>
      <ul class="legend">
        {PARTS.filter(({ name }) => rows.some((row) => (row.parts?.[name] ?? 0) > 0)).map(({ name, about }) => (
          <li key={name} title={about}><i class={`part ${name}`} aria-hidden="true" />{name}</li>
        ))}
        <li title="What the provider reads from its cache, by its usage where that was reported"><i class="cached" aria-hidden="true" />read from the cache</li>
        <li title="The payload changed where a compaction or a squeeze was due"><i class="flag own" aria-hidden="true" />compaction</li>
        <li title="The payload changed before its end for another reason"><i class="flag" aria-hidden="true" />cache break</li>
      </ul>
    </div>
  );
}

function describe(row: TimelineRow, turn: number): string {
  const parts = PARTS.filter(({ name }) => (row.parts?.[name] ?? 0) > 0).map(({ name }) => `${name} ${count(row.parts?.[name] ?? 0)}`);
  const change = row.first_change;
  return [
    `Turn ${turn}, ${time(row.created_at)}: ${count(row.tokens_before)} → ${count(row.tokens_after)} tokens`,
    parts.join(", "),
    row.cost ? `${count(row.cost.cache.read_tokens)} read from the cache (${row.cost.cache.assumed})` : "",
    change ? `${whyText(change.why)} at ${change.pointer}: ${count(change.tokens_behind)} tokens are read again` : "",
    row.fits ? "" : "over the budget",
  ].filter(Boolean).join("\n");
}

function ticksOf(top: number): number[] {
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power * 10;
  const ticks: number[] = [];
  for (let tick = 0; tick <= top; tick += step) ticks.push(tick);
  return ticks;
}
