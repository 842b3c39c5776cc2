// Something that a reader does: a request that is under way, its outcome, and a question before what cannot be undone.

import { useSignal, type Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { errorOf, type ApiError } from "../api/problem.ts";
import { session } from "../state/session.ts";
import { Failed } from "./states.tsx";

export interface Task {
  busy: Signal<boolean>;
  error: Signal<ApiError | null>;
  /** What was done, for the reader. */
  outcome: Signal<string>;
  /** Does the work. Returns whether it succeeded. */
  run: (work: () => Promise<string>) => Promise<boolean>;
}

export function useTask(): Task {
  const busy = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const outcome = useSignal("");
  const run = async (work: () => Promise<string>) => {
    busy.value = true;
    error.value = null;
    outcome.value = "";
    try {
      outcome.value = await work();
      return true;
    } catch (thrown) {
      error.value = errorOf(thrown);
      if (error.value.status === 401) session.value = { status: "signed out" };
      return false;
    } finally {
      busy.value = false;
    }
  };
  return { busy, error, outcome, run };
}

export function TaskState({ task }: { task: Task }) {
  return (
    <>
      <p class={task.outcome.value === "" ? "hidden" : "said"} role="status">{task.busy.value ? "Working…" : task.outcome.value}</p>
      {task.error.value && <Failed error={task.error.value} title={task.error.value.status === 403 ? "This key has no right to do this" : "This could not be done"} />}
    </>
  );
}

/** A button that asks before it does something. */
export function ConfirmButton({ label, question, confirm, disabled, onConfirm }: {
  label: string;
  question: string;
  /** What the second button says. */
  confirm: string;
  disabled?: boolean;
  onConfirm: () => void;
}) {
  const asks = useSignal(false);
  const first = useRef<HTMLButtonElement>(null);
  const sure = useRef<HTMLButtonElement>(null);
  // Before the next key arrives, which may be the one that closes the question.
  useLayoutEffect(() => {
    if (asks.value) sure.current?.focus();
  }, [asks.value]);
  const close = () => {
    asks.value = false;
    setTimeout(() => first.current?.focus());
  };
  if (!asks.value) return <button ref={first} type="button" disabled={disabled} onClick={() => { asks.value = true; }}>{label}</button>;
  return (
    <span class="confirm" role="group" aria-label={question} onKeyDown={(event) => { if (event.key === "Escape") close(); }}>
      <span>{question}</span>
      <button ref={sure} type="button" class="danger" disabled={disabled} onClick={() => { asks.value = false; onConfirm(); }}>{confirm}</button>
      <button type="button" onClick={close}>Keep</button>
    </span>
  );
}
