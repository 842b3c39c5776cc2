// Data of the server, as a page shows it: loading, there, failed, or there and stale.

import { effect, signal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { errorOf, type ApiError } from "../api/problem.ts";
import { liveState } from "./live.ts";
import { session } from "./session.ts";

export interface Resource<Data> {
  data: Data | undefined;
  error: ApiError | undefined;
  loading: boolean;
}

export interface Handle<Data> {
  state: Signal<Resource<Data>>;
  reload: () => void;
}

/**
 * Loads data when the page opens, when `inputs` change, and with `reload`. Old data stays until the new is there, and
 * stays with an error if the new one cannot be had. What failed because the server was away is loaded again once it is back.
 */
export function useResource<Data>(load: (signal: AbortSignal) => Promise<Data>, inputs: unknown[], known?: Data): Handle<Data> {
  const state = useMemo(() => signal<Resource<Data>>({ data: known, error: undefined, loading: true }), inputs);
  const running = useMemo(() => ({ current: undefined as AbortController | undefined }), inputs);
  const reload = () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    state.value = { ...state.peek(), loading: true };
    load(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) state.value = { data, error: undefined, loading: false };
      },
      (thrown: unknown) => {
        if (controller.signal.aborted) return;
        const error = errorOf(thrown);
        if (error.status === 401) session.value = { status: "signed out" };
        state.value = { data: state.peek().data, error, loading: false };
      },
    );
  };
  useEffect(() => {
    reload();
    const stop = effect(() => {
      const { error } = state.peek();
      if (liveState.value === "live" && error !== undefined && (error.status === 0 || error.status >= 502)) reload();
    });
    return () => {
      stop();
      running.current?.abort();
    };
  }, inputs);
  return { state, reload };
}
