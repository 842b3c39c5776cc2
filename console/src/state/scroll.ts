// Where a page was scrolled to, for each entry of the browser's history: going back shows the place that one came from.

import { pageKey, route } from "./route.ts";

/** How long a page has to become as long as it was. */
const WAIT_MS = 4000;
const GESTURES = ["wheel", "touchstart", "keydown", "pointerdown"];

const tops = new Map<number, number>();
let entry = 0;
let newest = 0;
let shown = pageKey.peek();
/** Whether the page of the entry is drawn: before, `scroll` events are about the page that goes. */
let isDrawn = true;
let frame = 0;

function entryOf(state: unknown): number | null {
  return typeof state === "object" && state !== null && "entry" in state && typeof state.entry === "number" ? state.entry : null;
}

function enter(): void {
  const known = entryOf(history.state);
  entry = known ?? newest + 1;
  newest = Math.max(newest, entry);
  if (known === null) history.replaceState({ entry }, "");
}

/** The reader's own scrolling wins. */
function stop(): void {
  cancelAnimationFrame(frame);
  GESTURES.forEach((name) => removeEventListener(name, stop));
}

/** Scrolls to where this entry was, once the page is long enough; to the start if the entry is new. */
export function restoreScroll(): void {
  stop();
  isDrawn = true;
  const top = tops.get(entry) ?? 0;
  scrollTo(0, top);
  if (top === 0) return;
  const end = performance.now() + WAIT_MS;
  const look = () => {
    scrollTo(0, top);
    if (Math.abs(scrollY - top) < 2 || performance.now() > end) stop();
    else frame = requestAnimationFrame(look);
  };
  frame = requestAnimationFrame(look);
  GESTURES.forEach((name) => addEventListener(name, stop, { passive: true }));
}

history.scrollRestoration = "manual";
enter();
route.subscribe(() => {
  if (entryOf(history.state) === entry) return;
  enter();
  isDrawn = pageKey.peek() === shown;
  shown = pageKey.peek();
});
addEventListener("scroll", () => {
  if (isDrawn) tops.set(entry, scrollY);
}, { passive: true });
