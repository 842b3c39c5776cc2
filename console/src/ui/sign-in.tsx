// Asks for a key, which is exchanged for a cookie and not kept here.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { errorOf } from "../api/problem.ts";
import { findSession, session, signIn } from "../state/session.ts";
import { Icon } from "./icon.tsx";

export function SignIn() {
  const fault = useSignal("");
  const busy = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const key = input.current?.value.trim() ?? "";
    if (key === "") return;
    busy.value = true;
    fault.value = "";
    try {
      await signIn(key);
    } catch (thrown) {
      const error = errorOf(thrown);
      fault.value = error.status === 401 ? "The server does not know this key, or it was revoked." : error.message;
      if (input.current) input.current.select();
    } finally {
      busy.value = false;
    }
  }

  return (
    <main class="sign-in" id="main">
      <form onSubmit={(event) => void submit(event)}>
        <h1><Icon name="mark" /> Contexture</h1>
        <p>This server needs a key. It is exchanged for a cookie that no script can read.</p>
        <label for="key">Key</label>
        <input id="key" ref={input} type="password" autocomplete="off" spellcheck={false} aria-describedby="fault"
          aria-invalid={fault.value !== ""} />
        <p id="fault" class="fault" role="alert">{fault.value}</p>
        <button class="primary" disabled={busy.value}>{busy.value ? "Signing in…" : "Sign in"}</button>
      </form>
    </main>
  );
}

export function Unreachable({ message }: { message: string }) {
  return (
    <main class="sign-in" id="main">
      <div>
        <h1><Icon name="mark" /> Contexture</h1>
        <p role="alert">{message}</p>
        <button class="primary" type="button" onClick={() => { session.value = { status: "unknown" }; void findSession(); }}>
          Try again
        </button>
      </div>
    </main>
  );
}
