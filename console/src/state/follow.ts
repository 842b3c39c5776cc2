// Loads a page's data again after events, at most once in a while however many there are.

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { EventRow } from "../api/schema.ts";
import { events } from "./live.ts";
import type { Handle } from "./resource.ts";

const PAUSE_MS = 1200;
/** How long a reload waits for one that is under way. */
const BUSY_MS = 200;

const newestOf = (list: EventRow[], concerns: (event: EventRow) => boolean): number => list.find(concerns)?.seq ?? 0;

/** Loads again once a newer event is there that `concerns` the page. Events alone do not draw the page again. */
export function useFollow(concerns: (event: EventRow) => boolean, handles: Handle<unknown>[], pause = PAUSE_MS): void {
  const now = useRef({ concerns, handles });
  now.current = { concerns, handles };
  useEffect(() => {
    let seen = newestOf(events.peek(), now.current.concerns);
    let last = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () => {
      timer = undefined;
      if (now.current.handles.some((handle) => handle.state.peek().loading)) {
        timer = setTimeout(load, BUSY_MS);
        return;
      }
      last = performance.now();
      seen = newestOf(events.peek(), now.current.concerns);
      now.current.handles.forEach((handle) => handle.reload());
    };
    const stop = effect(() => {
      if (newestOf(events.value, now.current.concerns) <= seen || timer !== undefined) return;
      timer = setTimeout(load, Math.max(pause - (performance.now() - last), 60));
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
}
