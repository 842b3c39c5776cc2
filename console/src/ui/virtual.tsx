// A list of which only the rows near the view are in the document. Rows may be of any height: each is measured once it
// is shown, and until then taken to be as high as `estimate` says.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";

const MARGIN_PX = 600;
const KEPT_HEIGHTS = 1000;

export function VirtualList<Item>({ items, keyOf, estimate, row, reveal, label }: {
  items: Item[];
  keyOf: (item: Item, index: number) => string;
  estimate: (item: Item) => number;
  row: (item: Item, index: number) => ComponentChildren;
  /** The index of a row to scroll to, and a number that changes with each wish. */
  reveal?: { index: number; wish: number };
  label: string;
}) {
  const outer = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>()).current;
  const version = useSignal(0);
  const view = useSignal({ top: 0, bottom: 1200 });

  const offsets = useMemo(() => {
    const list = new Float64Array(items.length + 1);
    items.forEach((item, index) => {
      list[index + 1] = (list[index] ?? 0) + (heights.get(keyOf(item, index)) ?? estimate(item));
    });
    return list;
  }, [items, version.value]);

  const total = offsets[items.length] ?? 0;
  const first = Math.max(find(offsets, view.value.top - MARGIN_PX) - 1, 0);
  const end = Math.min(find(offsets, view.value.bottom + MARGIN_PX) + 1, items.length);

  useEffect(() => {
    const look = () => {
      const element = outer.current;
      if (!element) return;
      const top = -element.getBoundingClientRect().top;
      view.value = { top, bottom: top + innerHeight };
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [items]);

  // Rows are measured where they are laid out anyway, when they appear and when they fold or unfold.
  const measured = useMemo(() => {
    const shown = new Set<HTMLElement>();
    const observer = new ResizeObserver((entries) => {
      let changed = false;
      for (const { target, borderBoxSize } of entries) {
        const key = (target as HTMLElement).dataset["row"] ?? "";
        const height = borderBoxSize[0]?.blockSize ?? 0;
        if (height > 0 && Math.abs((heights.get(key) ?? -1) - height) >= 1) {
          heights.set(key, height);
          changed = true;
        }
      }
      if (changed) version.value += 1;
    });
    return { shown, observer };
  }, []);
  useLayoutEffect(() => {
    const { shown, observer } = measured;
    const rows = new Set(outer.current?.querySelectorAll<HTMLElement>(":scope > [data-row]") ?? []);
    for (const element of shown) {
      if (rows.has(element)) continue;
      observer.unobserve(element);
      shown.delete(element);
    }
    for (const element of rows) {
      if (shown.has(element)) continue;
      observer.observe(element);
      shown.add(element);
    }
    // Lists that go on and on do not remember rows that are gone.
    if (heights.size > 2 * items.length + KEPT_HEIGHTS) {
      const keys = new Set(items.map(keyOf));
      for (const key of heights.keys()) if (!keys.has(key)) heights.delete(key);
    }
  });
  useEffect(() => () => measured.observer.disconnect(), []);

  useEffect(() => {
    const element = outer.current;
    if (!element || !reveal || reveal.wish === 0) return;
    const top = element.getBoundingClientRect().top + scrollY + (offsets[reveal.index] ?? 0);
    scrollTo({ top: top - 140 });
  }, [reveal?.wish]);

  return (
    <div ref={outer} class="virtual" role="list" aria-label={label} style={{ height: `${total}px` }}>
      {items.slice(first, end).map((item, at) => {
        const index = first + at;
        const key = keyOf(item, index);
        return (
          <div key={key} data-row={key} role="listitem" aria-setsize={items.length} aria-posinset={index + 1}
            class="virtual-row" style={{ top: `${offsets[index] ?? 0}px` }}>
            {row(item, index)}
          </div>
        );
      })}
    </div>
  );
}

/** The first index whose offset is at least `at`. */
function find(offsets: Float64Array, at: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
