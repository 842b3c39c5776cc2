// Loads a page's data again after events, at most once in a while however many there are.

import { useEffect, useRef } from "preact/hooks";
import type { EventRow } from "../api/schema.ts";
import { events } from "./live.ts";
import type { Handle } from "./resource.ts";

const PAUSE_MS = 1200;

/** Loads again once a newer event is there that `concerns` the page. */
export function useFollow(concerns: (event: EventRow) => boolean, handles: Handle<unknown>[], pause = PAUSE_MS): void {
  const newest = events.value.find(concerns)?.seq ?? 0;
  const state = useRef({ last: 0, seen: newest, timer: undefined as ReturnType<typeof setTimeout> | undefined });
  useEffect(() => {
    const own = state.current;
    if (newest <= own.seen || own.timer !== undefined) return;
    own.timer = setTimeout(() => {
      own.timer = undefined;
      own.last = performance.now();
      own.seen = events.peek().find(concerns)?.seq ?? 0;
      for (const handle of handles) if (!handle.state.peek().loading) handle.reload();
    }, Math.max(pause - (performance.now() - own.last), 60));
  }, [newest]);
  useEffect(() => () => clearTimeout(state.current.timer), []);
}
