/** The budget of a compile: that of the options, and the reply that a request asks for. */

import { isRecord } from "./errors.js";

/** The budget of the options, with the largest answer of a request as its reserve, unless it has one. */
export function withReserve(given: unknown, reserve: number): unknown {
  if (given == null) return { reserve_output: reserve };
  // A number is the window alone.
  const budget = typeof given === "number" ? { context_window: given } : given;
  // The server names the fault of a budget that is not an object.
  if (!isRecord(budget) || budget["reserve_output"] != null) return budget;
  const window = budget["context_window"];
  // The server refuses a reserve that fills the window: the request would go out as it is.
  return typeof window === "number" && reserve >= window ? budget : { ...budget, reserve_output: reserve };
}
