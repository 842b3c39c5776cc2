// What was typed into a search box, which the address of the page has too.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { choose, route } from "./route.ts";

/** Browsers limit how often a page may change its address, so it follows a pause in typing. */
const PAUSE_MS = 200;

/**
 * The text of a search box, as the address of the page has it under `find`; a link with another text changes it. The address
 * leaves out what is there from the start.
 */
export function useSearch(start = ""): { value: string; set: (text: string) => void } {
  const given = route.value.query.get("find") ?? start;
  const text = useSignal(given);
  const written = useRef(given);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => {
    if (given === written.current) return;
    written.current = given;
    text.value = given;
  }, [given]);
  // What is typed just before a page is left must not get into the address of the next one.
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    value: text.value,
    set: (typed) => {
      text.value = typed;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        written.current = typed;
        choose({ find: typed === start ? null : typed });
      }, PAUSE_MS);
    },
  };
}
