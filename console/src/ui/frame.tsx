// What is around every page: navigation, the state of the stream, the theme, and who is signed in.

import type { ComponentChildren } from "preact";
import { liveState } from "../state/live.ts";
import { href, route, type Route } from "../state/route.ts";
import { may, session, signOut } from "../state/session.ts";
import { theme, type Theme } from "../state/theme.ts";
import { Icon, type IconName } from "./icon.tsx";

interface Entry {
  page: Route["page"];
  label: string;
  icon: IconName;
  scopes: string[];
}

const ENTRIES: Entry[] = [
  { page: "overview", label: "Overview", icon: "overview", scopes: [] },
  { page: "sessions", label: "Sessions", icon: "sessions", scopes: ["sessions:read", "sessions:write"] },
  { page: "records", label: "Records", icon: "records", scopes: ["compile"] },
  { page: "playground", label: "Playground", icon: "playground", scopes: ["compile"] },
  { page: "hooks", label: "Hooks", icon: "hooks", scopes: ["hooks:read", "hooks:write"] },
  { page: "events", label: "Events", icon: "events", scopes: ["events:read"] },
];

const LIVE: Record<string, string> = {
  live: "Live",
  connecting: "Connecting",
  reconnecting: "Reconnecting",
  "no right": "Not live: the key lacks events:read",
  off: "Offline",
};

export function Frame({ children }: { children: ComponentChildren }) {
  const shown = route.value.page;
  const entries = ENTRIES.filter((entry) => entry.scopes.length === 0 || may(...entry.scopes));
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={skip}>Skip to content</a>
      <header class="side">
        <a class="brand" href={href("overview")}>
          <Icon name="mark" /> <span>Contexture</span>
        </a>
        <nav aria-label="Pages">
          {entries.map((entry) => (
            <a key={entry.page} href={href(entry.page)} aria-current={entry.page === shown ? "page" : undefined}>
              <Icon name={entry.icon} /> <span>{entry.label}</span>
            </a>
          ))}
        </nav>
        <div class="foot">
          <p class={`live ${liveState.value.replace(" ", "-")}`} role="status">
            <i aria-hidden="true" /> <span>{LIVE[liveState.value]}</span>
          </p>
          <p class="more"><a href="/docs/">API</a> <a href="/problems">Problems</a></p>
          <ThemeSwitch />
          <Who />
        </div>
      </header>
      <main id="main" tabIndex={-1}>{children}</main>
    </div>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Who() {
  const state = session.value;
  if (state.status !== "signed in") return null;
  const { key, tenant } = state.who;
  return (
    <p class="who">
      <span title={`tenant ${tenant}`}>{key === null || key === undefined ? "No key needed" : `Key ${key}`}</span>
      {key !== null && key !== undefined && (
        <button type="button" class="link" onClick={() => void signOut()}>Sign out</button>
      )}
    </p>
  );
}

const THEMES: { value: Theme; label: string; icon: IconName }[] = [
  { value: "light", label: "Light", icon: "light" },
  { value: "system", label: "As the system", icon: "system" },
  { value: "dark", label: "Dark", icon: "dark" },
];

function ThemeSwitch() {
  return (
    <fieldset class="switch">
      <legend class="hidden">Theme</legend>
      {THEMES.map(({ value, label, icon }) => (
        <label key={value} title={label}>
          <input type="radio" name="theme" checked={theme.value === value} onChange={() => { theme.value = value; }} />
          <Icon name={icon} /> <span class="hidden">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** The head of a page: its title, a line about it, and what can be done. */
export function PageHead({ title, about, children }: {
  title: ComponentChildren;
  about?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <div>
        <h1>{title}</h1>
        {about && <p class="about">{about}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
