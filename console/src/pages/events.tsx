// Events as they come.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { EventRow } from "../api/schema.ts";
import { count, fullTime, time } from "../format.ts";
import { events, liveState } from "../state/live.ts";
import { href, sessionHref } from "../state/route.ts";
import { useRecorded } from "../state/recorded.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, Loading } from "../ui/states.tsx";
import { VirtualList } from "../ui/virtual.tsx";

const ROW_PX = 55;

export function Events() {
  const wanted = useSignal("");
  const paused = useSignal<EventRow[] | null>(null);
  const list = paused.value ?? events.value;
  const recorded = useRecorded();
  const types = useMemo(() => [...new Set(list.map((event) => event.type))].sort(), [list]);
  const shown = wanted.value === "" ? list : list.filter((event) => event.type === wanted.value);
  return (
    <>
      <PageHead title="Events" about="The newest 500, as they come. They have ids and counts, no texts.">
        <label class="choice">
          Type
          <select value={wanted.value} onChange={(event) => { wanted.value = event.currentTarget.value; }}>
            <option value="">All</option>
            {types.map((type) => <option key={type}>{type}</option>)}
          </select>
        </label>
        <button type="button" aria-pressed={paused.value !== null} onClick={() => { paused.value = paused.value ? null : events.value; }}>
          {paused.value ? `Go on (${count(newer(events.value, paused.value))} new)` : "Pause"}
        </button>
      </PageHead>
      {shown.length === 0 ? (liveState.value === "connecting" ? <Loading /> : <Empty title="Nothing has happened yet"><p>Compiles, changes of memory and calls of hooks are told here.</p></Empty>) : (
        <div class="events card">
          <VirtualList items={shown} keyOf={(event, at) => String(event.seq ?? `s${at}`)} estimate={() => ROW_PX} label="Events, newest first"
            row={(event) => <EventLine event={event} recorded={recorded} />} />
        </div>
      )}
    </>
  );
}

function EventLine({ event, recorded }: { event: EventRow; recorded: ReadonlySet<string> }) {
  return (
    <div class="event">
      <time dateTime={event.at ?? ""} title={event.at ? fullTime(event.at) : ""}>{event.at ? time(event.at) : ""}</time>
      <b>{event.type}</b>
      {event.compilation_id && recorded.has(event.compilation_id) && <a href={href("records", event.compilation_id)}>record</a>}
      {event.session_id && <a class="cut" href={sessionHref(event.session_id)}>{event.session_id}</a>}
      <code>{JSON.stringify(event.data)}</code>
    </div>
  );
}

function newer(all: EventRow[], kept: EventRow[]): number {
  const last = kept[0]?.seq ?? 0;
  return all.filter((event) => (event.seq ?? 0) > last).length;
}
