// Events as they come, in words.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { EventRow } from "../api/schema.ts";
import { count, fullTime, time } from "../format.ts";
import { events, isRecorded, liveState } from "../state/live.ts";
import { choiceOf, href, sessionHref } from "../state/route.ts";
import { useSearch } from "../state/search.ts";
import { eventTone, eventWords } from "../text/event-words.ts";
import { PageHead } from "../ui/frame.tsx";
import { Empty, FirstRequest, Loading } from "../ui/states.tsx";
import { VirtualList } from "../ui/virtual.tsx";

const ROW_PX = 43;
const GROUPS = [
  { id: "", label: "All" }, { id: "compile", label: "Compiles" }, { id: "gateway", label: "Gateway" }, { id: "memory", label: "Memory" },
  { id: "hook", label: "Hooks" }, { id: "trouble", label: "Trouble" },
];

const KINDS = ["", "compile", "gateway", "memory", "hook", "trouble"] as const;

export function Events() {
  const group = choiceOf("kind", KINDS);
  const text = useSearch();
  const paused = useSignal<EventRow[] | null>(null);
  const list = paused.value ?? events.value;
  const shown = useMemo(() => {
    const wanted = text.value.toLowerCase();
    return list.filter((event) => isOf(event, group.value)
      && (wanted === "" || `${event.type} ${event.session_id ?? ""} ${event.compilation_id ?? ""} ${eventWords(event)}`.replaceAll("\u00a0", " ").toLowerCase().includes(wanted)));
  }, [list, group.value, text.value]);
  return (
    <>
      <PageHead title="Events" about="The newest 500, as they come. They have ids and counts, no texts.">
        <button type="button" aria-pressed={paused.value !== null} onClick={() => { paused.value = paused.value ? null : events.value; }}>
          {paused.value ? `Go on (${count(newer(events.value, paused.value))} new)` : "Pause"}
        </button>
      </PageHead>
      <div class="filters">
        <div class="segments" role="group" aria-label="Kind of event">
          {GROUPS.map(({ id, label }) => (
            <button key={id} type="button" aria-pressed={group.value === id} onClick={() => group.set(id)}>{label}</button>
          ))}
        </div>
        <input type="search" aria-label="Find in events" placeholder="Find by words, type or id" value={text.value} onInput={(event) => text.set(event.currentTarget.value)} />
        <p class="dim" role="status">{count(shown.length)} shown</p>
      </div>
      {shown.length === 0 ? (
        liveState.value === "connecting" ? <Loading /> : list.length > 0 ? <Empty title="No event is like this"><p>Another kind, or other words, may find some.</p></Empty>
          : liveState.value === "reconnecting" ? <Empty title="The stream of events is not connected"><p>It is opened again as soon as the server responds.</p></Empty>
          : <Empty title="Nothing has happened yet"><p>Compiles, changes of memory and calls of hooks are shown here as they happen.</p><FirstRequest /></Empty>
      ) : (
        <div class="events card">
          <VirtualList items={shown} keyOf={(event, at) => String(event.seq ?? `s${at}`)} estimate={() => ROW_PX} label="Events, newest first"
            row={(event) => <EventLine event={event} />} />
        </div>
      )}
    </>
  );
}

function EventLine({ event }: { event: EventRow }) {
  const open = useSignal(false);
  return (
    <div class="event">
      <time dateTime={event.at ?? ""} title={event.at ? fullTime(event.at) : ""}>{event.at ? time(event.at) : ""}</time>
      <span class={`dot ${eventTone(event)}`} aria-hidden="true" />
      <p class="words">
        <button type="button" class="link quiet" aria-expanded={open.value} onClick={() => { open.value = !open.value; }} title="Show the event's data">{eventWords(event)}</button>
        {" "}<code class="type">{event.type}</code>
      </p>
      <span class="links">
        {event.session_id && <a class="cut" href={sessionHref(event.session_id)}>{event.session_id}</a>}
        {event.compilation_id && isRecorded(event) && <a href={href("records", event.compilation_id)}>record</a>}
      </span>
      {open.value && <pre>{JSON.stringify(event.data, null, 2)}</pre>}
    </div>
  );
}

function isOf(event: EventRow, group: string): boolean {
  if (group === "") return true;
  if (group === "trouble") return eventTone(event) === "bad" || eventTone(event) === "warn";
  return event.type.startsWith(group) || (group === "compile" && (event.type === "compress" || event.type === "context:injected"));
}

function newer(all: EventRow[], kept: EventRow[]): number {
  const last = kept[0]?.seq ?? 0;
  return all.filter((event) => (event.seq ?? 0) > last).length;
}
