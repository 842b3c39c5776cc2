// What is around every page: navigation, the state of the stream, the theme, and who is signed in.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { errorOf } from "../api/problem.ts";
import { zoneName } from "../format.ts";
import { liveState } from "../state/live.ts";
import { href, pageKey, route, type Route } from "../state/route.ts";
import { may, session, signOut } from "../state/session.ts";
import { theme, type Theme } from "../state/theme.ts";
import { Icon, type IconName } from "./icon.tsx";

interface Entry {
  page: Route["page"];
  label: string;
  icon: IconName;
  scopes: string[];
}

const GROUPS: { name: string; entries: Entry[] }[] = [
  { name: "Look", entries: [
    { page: "overview", label: "Overview", icon: "overview", scopes: [] },
    { page: "sessions", label: "Sessions", icon: "sessions", scopes: ["sessions:read", "sessions:write"] },
    { page: "records", label: "Records", icon: "records", scopes: ["compile"] },
    { page: "events", label: "Events", icon: "events", scopes: ["events:read"] },
  ] },
  { name: "Improve", entries: [
    { page: "playground", label: "Playground", icon: "playground", scopes: ["compile"] },
    { page: "cache", label: "Cache misses", icon: "cache", scopes: ["compile"] },
    { page: "inventory", label: "Inventory", icon: "inventory", scopes: ["sessions:read", "sessions:write"] },
  ] },
  { name: "Manage", entries: [
    { page: "memory", label: "Memory", icon: "memory", scopes: ["memory:read", "memory:write"] },
    { page: "hooks", label: "Hooks", icon: "hooks", scopes: ["hooks:read", "hooks:write"] },
    { page: "packs", label: "Packs", icon: "packs", scopes: ["packs:read", "packs:write"] },
    { page: "keys", label: "Keys and usage", icon: "keys", scopes: ["admin"] },
  ] },
  { name: "Reference", entries: [
    { page: "settings", label: "Settings", icon: "settings", scopes: ["operator"] },
    { page: "api", label: "API", icon: "api", scopes: [] },
    { page: "problems", label: "Problems", icon: "problems", scopes: [] },
  ] },
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
  const groups = GROUPS.map(({ name, entries }) => ({ name, entries: entries.filter((entry) => entry.scopes.length === 0 || may(...entry.scopes)) }))
    .filter(({ entries }) => entries.length > 0);
  // On narrow screens the menu opens over the page, and closes when a page was chosen.
  const open = useSignal(false);
  const key = pageKey.value;
  useEffect(() => {
    open.value = false;
  }, [key]);
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={skip}>Skip to content</a>
      <header class="side">
        <a class="brand" href={href("overview")} aria-label="Contexture">
          <Icon name="mark" /> <span>Contexture</span>
        </a>
        <button type="button" class="menu" aria-expanded={open.value} aria-controls="pages" onClick={() => { open.value = !open.value; }}>
          <Icon name="sessions" /> Menu
        </button>
        <nav aria-label="Pages" id="pages" class={open.value ? "open" : ""}>
          {groups.map(({ name, entries }) => (
            <div key={name} role="group" aria-label={name}>
              <p aria-hidden="true">{name}</p>
              {entries.map((entry) => (
                <a key={entry.page} href={href(entry.page)} aria-current={entry.page === shown ? "page" : undefined}>
                  <Icon name={entry.icon} /> <span>{entry.label}</span>
                </a>
              ))}
            </div>
          ))}
        </nav>
        <div class="foot">
          <p class={`live ${liveState.value.replace(" ", "-")}`} role="status">
            <i aria-hidden="true" /> <span>{LIVE[liveState.value]}</span>
          </p>
          <ThemeSwitch />
          <p class="zone" title="All times are local">{zoneName()}</p>
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
  const fault = useSignal("");
  if (state.status !== "signed in") return null;
  const { key, tenant } = state.who;
  const leave = () => signOut().catch((thrown: unknown) => { fault.value = `Still signed in: ${errorOf(thrown).message}`; });
  return (
    <p class="who">
      <span title={`tenant ${tenant}`}>{key === null || key === undefined ? "No key needed" : `Key ${key}`}</span>
      {key !== null && key !== undefined && (
        <button type="button" class="link" onClick={() => void leave()}>Sign out</button>
      )}
      <span class="bad" role="alert">{fault.value}</span>
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
