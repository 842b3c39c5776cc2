// Which compiles of the newest events have a record: an event does not say whether its compile was recorded.

import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { useFollow } from "./follow.ts";
import { useResource } from "./resource.ts";
import { may } from "./session.ts";

/** At least as many as there are events, each of which is of one compile at most. */
const MAX_RECORDS = 500;
const PAUSE_MS = 2000;

/** The ids of the newest records. Empty until they are read, and without the scope to read records. */
export function useRecorded(): ReadonlySet<string> {
  const list = useResource(
    async (signal) => (may("compile") ? (await get("/compilations", { query: { limit: MAX_RECORDS }, signal })).items : []),
    [],
  );
  useFollow((event) => event.type === "compile:done" || event.type === "gateway:request", [list], PAUSE_MS);
  const items = list.state.value.data;
  return useMemo(() => new Set(items?.map((row) => row.id)), [items]);
}
