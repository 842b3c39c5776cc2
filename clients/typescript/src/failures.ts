/** What happens to a request that could not be compiled. */

import { clock } from "./clock.js";
import { CONNECTION_FAILED, type ContextureError, TIMEOUT } from "./errors.js";

/** After a failure to reach the server, calls go out as they are for so long. */
const PAUSE_AFTER_FAILURE_MS = 5_000;
/** What a rule of the operator or the caller refused; anything else that fails is passed by. */
const REFUSALS: Readonly<Record<string, number>> = {
  hook_denied: 403, hook_failed: 403, hook_timeout: 403, over_budget: 422,
};

export class FailurePolicy {
  #pausedUntil = 0;

  /** `keys` are those of `/compile` that every request has. */
  constructor(private readonly failOpen: boolean, private readonly keys: object) {}

  /**
   * The status of a refusal, or undefined if the request goes out as it is; then a pause begins if the server could not
   * be reached.
   */
  refusal(error: ContextureError): number | undefined {
    const governed = "pack" in this.keys || Boolean(error.problem?.stage);
    const status = REFUSALS[error.code] ?? (governed ? 422 : this.failOpen ? undefined : 503);
    const unreachable = error.code === CONNECTION_FAILED || error.code === TIMEOUT;
    if (status === undefined && unreachable) this.#pausedUntil = clock.now() + PAUSE_AFTER_FAILURE_MS;
    return status;
  }

  /** Whether requests go out as they are, because one of them did when the server could not be reached. */
  get paused(): boolean {
    return clock.now() < this.#pausedUntil;
  }
}
