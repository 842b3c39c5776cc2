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

function parse(): Route {
  const path = /^\/compilations\/([^/]+)$/.exec(location.pathname);
  if (path && location.hash.length < 3) {
    return { page: "records", id: decodeURIComponent(path[1] ?? ""), query: new URLSearchParams() };
  }
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
export const pageKey = computed(() => `${route.value.page}/${route.value.id ?? ""}`);

addEventListener("hashchange", () => {
  route.value = parse();
});

/** The address of a page. */
export function href(page: Route["page"], id?: string, query?: Record<string, string>): string {
  const text = query ? `?${new URLSearchParams(query).toString()}` : "";
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

export function go(page: Route["page"], id?: string, query?: Record<string, string>): void {
  location.href = href(page, id, query);
}
