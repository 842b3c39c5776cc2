/** Time as the client sees it. Tests put a clock of their own in its place. */
export const clock = {
  /** Milliseconds that only go on. */
  now: (): number => performance.now(),
  /** Milliseconds since 1970. */
  date: (): number => Date.now(),
  /** Waits, or rejects with the signal's reason. */
  sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", abort, { once: true });
    }),
};
