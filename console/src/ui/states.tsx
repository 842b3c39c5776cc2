// What a page shows when it has no data yet, none at all, or none that can be had.

import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/problem.ts";
import type { Handle } from "../state/resource.ts";
import { session } from "../state/session.ts";
import { CopyButton } from "./json.tsx";
import { Sentence } from "./markdown.tsx";

export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => <div key={row} />)}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The first request, for a shell: what fills a page that is empty. */
export function FirstRequest() {
  const state = session.value;
  const key = state.status === "signed in" && state.who.key != null ? " \\\n  -H \"authorization: Bearer $CONTEXTURE_KEY\"" : "";
  const curl = `curl ${location.origin}/compile${key} \\\n  -H 'content-type: application/json' \\\n  -d '{"session_id": "first", "messages": [{"role": "user", "content": "Hello"}]}'`;
  return (
    <div class="first">
      <pre tabIndex={0}>{curl}</pre>
      <p><CopyButton text={curl} label="Copy" /> or see it with data: <code>contexture demo</code></p>
    </div>
  );
}

export function Failed({ error, retry, title: given }: { error: ApiError; retry?: () => void; title?: string }) {
  const title = given ?? (error.status === 403 ? "This key has no right to see this" : error.status === 404 ? "Not found" : "This could not be loaded");
  return (
    <div class="failed" role="alert">
      <h2>{title}</h2>
      <p class="pre"><Sentence text={error.message} /></p>
      <p class="meta">
        {error.status > 0 && <span>{error.code} · status {error.status}</span>}
        {error.requestId !== null && <span>request <code>{error.requestId}</code></span>}
      </p>
      {retry && error.status !== 403 && <button type="button" onClick={retry}>Try again</button>}
    </div>
  );
}

/** Shows data once it is there; old data stays with a note if it could not be loaded again. */
export function Loaded<Data>({ of, rows, children }: {
  of: Handle<Data>;
  rows?: number;
  children: (data: Data) => ComponentChildren;
}) {
  const { data, error, loading } = of.state.value;
  if (data === undefined) {
    if (error) return <Failed error={error} retry={of.reload} />;
    return loading ? <Loading rows={rows ?? 4} /> : null;
  }
  return (
    <div aria-busy={loading}>
      {error && (
        <p class="stale" role="status">
          Shown as it was last loaded: {error.message}{" "}
          <button type="button" class="link" onClick={of.reload}>Try again</button>
        </p>
      )}
      {children(data)}
    </div>
  );
}
