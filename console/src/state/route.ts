// Which page is shown: the part of the address after `#`. A record has an address of its own, too.

import { computed, signal } from "@preact/signals";

const PAGES = [
  "overview", "sessions", "records", "cache", "inventory", "playground", "memory", "hooks", "packs", "keys", "events",
  "problems", "api", "settings",
] as const;

export interface Route {
  page: (typeof PAGES)[number];
  /** What the page is about, such as a session's id. */
  id: string | null;
  query: URLSearchParams;
}

// A record's own address is written like that of any other page, so that its tabs have addresses too.
const record = /^\/compilations\/([^/]+)$/.exec(location.pathname);
if (record) history.replaceState(null, "", location.hash.length < 3 ? `/#/records/${record[1] ?? ""}` : `/${location.hash}`);

function parse(): Route {
  const [name = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, ...rest] = name.split("/");
  const id = rest.join("/");
  let decoded = id;
  try {
    decoded = decodeURIComponent(id);
  } catch {
    // It is shown as it is, and not found.
  }
  return {
    page: PAGES.find((known) => known === page) ?? "overview",
    id: id === "" ? null : decoded,
    query: new URLSearchParams(query),
  };
}

export const route = signal<Route>(parse());
/** What stays the same while parts of a page, such as its tabs, are chosen. */
export const pageKey = computed(() => `${route.value.page}/${route.value.id ?? ""}`);

addEventListener("hashchange", () => {
  route.value = parse();
});

/** The address of a page. */
export function href(page: Route["page"], id?: string, query?: Record<string, string>): string {
  const given = new URLSearchParams(query).toString();
  const text = given && `?${given}`;
  const hash = `#/${page}${id === undefined ? "" : `/${encodeURIComponent(id)}`}${text}`;
  return location.pathname === "/" ? hash : `/${hash}`;
}

/** Whether the gateway made the session of its requests. Such a session has records, and no state of its own. */
export function isGatewaySession(id: string): boolean {
  return id.startsWith("gws_");
}

/** The address of a session's page. */
export function sessionHref(id: string): string {
  return href("sessions", id);
}

/** Changes what is chosen on the page in its address. `null` is the default, which the address leaves out. */
export function choose(changes: Record<string, string | null>): void {
  const { page, id, query } = route.peek();
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  history.replaceState(history.state, "", href(page, id ?? undefined, Object.fromEntries(next)));
  route.value = parse();
}

/** A choice of the page that its address has, one of `known`; the first one is the default. */
export function choiceOf<Known extends string>(name: string, known: readonly [Known, ...Known[]]): { value: Known; set: (value: string) => void } {
  const given = route.value.query.get(name);
  return {
    value: known.find((one) => one === given) ?? known[0],
    set: (value) => choose({ [name]: value === known[0] ? null : value }),
  };
}

/** A choice of the page that its address has, of values that the data decides. */
export function textOf(name: string): { value: string; set: (value: string) => void } {
  return { value: route.value.query.get(name) ?? "", set: (value) => choose({ [name]: value === "" ? null : value }) };
}

export function go(page: Route["page"], id?: string, query?: Record<string, string>): void {
  location.href = href(page, id, query);
}
