// Who is signed in, and what the key may do.

import { signal } from "@preact/signals";
import { get, post, remove, setCsrfToken } from "../api/client.ts";
import { errorOf } from "../api/problem.ts";
import type { ConsoleSession } from "../api/schema.ts";

export type SessionState =
  | { status: "unknown" }
  | { status: "signed out" }
  | { status: "failed"; message: string }
  | { status: "signed in"; who: ConsoleSession };

export const session = signal<SessionState>({ status: "unknown" });
/** Tells other tabs, which share the cookie, that someone signed in or out. */
const tabs = new BroadcastChannel("contexture-session");
tabs.onmessage = () => void findSession();

function enter(who: ConsoleSession): void {
  setCsrfToken(who.csrf_token ?? null);
  session.value = { status: "signed in", who };
}

/** Asks the server who this is: a server that needs no key answers without a cookie. */
export async function findSession(): Promise<void> {
  try {
    enter(await get("/console/session"));
  } catch (thrown) {
    const error = errorOf(thrown);
    session.value = error.status === 401 ? { status: "signed out" } : { status: "failed", message: error.message };
  }
}

export async function signIn(key: string): Promise<void> {
  enter(await post("/console/session", "", { key }));
  tabs.postMessage(null);
}

export async function signOut(): Promise<void> {
  await remove("/console/session");
  setCsrfToken(null);
  session.value = { status: "signed out" };
  tabs.postMessage(null);
}

/** Whether the key has one of these scopes, each of which suffices. */
export function may(...scopes: string[]): boolean {
  const state = session.value;
  return state.status === "signed in" && state.who.scopes.some((scope) => scopes.includes(scope) || scope === "admin" || scope === "operator");
}
