// The stream of events: kept open while someone is signed in, and opened again after it breaks.

import { effect, signal } from "@preact/signals";
import { get } from "../api/client.ts";
import { errorOf } from "../api/problem.ts";
import type { EventRow } from "../api/schema.ts";
import { may, session } from "./session.ts";

export type LiveState = "off" | "connecting" | "live" | "reconnecting" | "no right";

const MAX_EVENTS = 500;
const RETRY_MS = 2000;
/** Events that arrive together are shown together: a page is drawn at most four times a second. */
const FLUSH_MS = 250;

export const liveState = signal<LiveState>("off");
/** The newest events, newest first. */
export const events = signal<EventRow[]>([]);

/** Whether the compile or the request of an event left a record. */
export function isRecorded(event: EventRow): boolean {
  return "record" in event.data && event.data.record !== "none";
}

let last = 0;
let source: EventSource | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: EventRow[] = [];

function flush(): void {
  timer = undefined;
  events.value = [...waiting.reverse(), ...events.peek()].slice(0, MAX_EVENTS);
  waiting = [];
}

function take(event: EventRow): void {
  last = Math.max(last, event.seq ?? 0);
  waiting.push(event);
  if (waiting.length > MAX_EVENTS) waiting.shift();
  timer ??= setTimeout(flush, FLUSH_MS);
}

function connect(): void {
  source?.close();
  source = new EventSource(`/events?as=message&after=${last}`);
  source.onopen = () => {
    liveState.value = "live";
  };
  source.onmessage = (message) => take(JSON.parse(String(message.data)) as EventRow);
  source.onerror = () => {
    source?.close();
    liveState.value = "reconnecting";
    setTimeout(start, RETRY_MS);
  };
}

async function start(): Promise<void> {
  if (session.peek().status !== "signed in") return;
  try {
    // After the last number there is nothing, and the response says which number that is.
    const end = await get("/events", { query: { format: "json", limit: 1, after: Number.MAX_SAFE_INTEGER } });
    let after = Math.max(last, end.next_after - MAX_EVENTS);
    for (let more = true; more; ) {
      const page = await get("/events", { query: { format: "json", limit: 1000, after } });
      page.items.forEach(take);
      after = page.next_after;
      more = page.has_more;
    }
    last = Math.max(last, after);
    connect();
  } catch (thrown) {
    const error = errorOf(thrown);
    if (error.status === 403) liveState.value = "no right";
    else if (error.status === 401) session.value = { status: "signed out" };
    else {
      liveState.value = "reconnecting";
      setTimeout(start, RETRY_MS);
    }
  }
}

effect(() => {
  const isIn = session.value.status === "signed in";
  if (isIn && !may("events:read")) {
    liveState.value = "no right";
  } else if (isIn) {
    liveState.value = "connecting";
    void start();
  } else {
    source?.close();
    source = null;
    liveState.value = "off";
    events.value = [];
    last = 0;
  }
});
