// The API from its own description: every operation with what it takes, returns and needs.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { count } from "../format.ts";
import { useResource } from "../state/resource.ts";
import { useSearch } from "../state/search.ts";
import { PageHead } from "../ui/frame.tsx";
import { CopyButton, JsonText } from "../ui/json.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Empty, Loaded } from "../ui/states.tsx";

interface Operation {
  method: string;
  path: string;
  id: string;
  tag: string;
  summary: string;
  description: string;
  parameters: { name: string; in: string; required?: boolean; description?: string }[];
  request: unknown;
  response: unknown;
  scopes: string[];
  isOpen: boolean;
}

interface Media {
  example?: unknown;
}

function operationsOf(document: Record<string, unknown>): Operation[] {
  const list: Operation[] = [];
  for (const [path, methods] of Object.entries((document["paths"] ?? {}) as Record<string, Record<string, Record<string, unknown>>>)) {
    for (const [method, found] of Object.entries(methods)) {
      const media = (of: unknown) => Object.values(((of as { content?: Record<string, Media> } | undefined)?.content) ?? {})[0]?.example;
      const responses = (found["responses"] ?? {}) as Record<string, unknown>;
      const security = (found["security"] ?? []) as { key?: string[] }[];
      list.push({
        method: method.toUpperCase(), path, id: String(found["operationId"] ?? ""), tag: String((found["tags"] as string[] | undefined)?.[0] ?? "other"),
        summary: String(found["summary"] ?? ""), description: String(found["description"] ?? ""), parameters: (found["parameters"] ?? []) as Operation["parameters"],
        request: media(found["requestBody"]), response: media(responses["200"] ?? responses["201"]),
        scopes: security.flatMap((one) => one.key ?? []), isOpen: security.length === 0,
      });
    }
  }
  return list;
}

export function Api() {
  const document = useResource(async (signal) => operationsOf(await get("/openapi.json" as never, { signal }) as Record<string, unknown>), []);
  return (
    <>
      <PageHead title="API" about={<>Every operation, from the description that the server has of itself. <a href="/openapi.json">openapi.json</a> · <a href="/docs/">all schemas</a></>} />
      <Loaded of={document} rows={10}>{(list) => <List list={list} />}</Loaded>
    </>
  );
}

function List({ list }: { list: Operation[] }) {
  const wanted = useSearch();
  const found = useMemo(() => {
    const text = wanted.value.toLowerCase();
    return list.filter((row) => text === "" || `${row.method} ${row.path} ${row.id} ${row.summary} ${row.tag}`.toLowerCase().includes(text));
  }, [list, wanted.value]);
  const tags = [...new Set(found.map((row) => row.tag))];
  return (
    <>
      <div class="filters">
        <input type="search" aria-label="Find an operation" placeholder="Find by path or words" value={wanted.value} onInput={(event) => wanted.set(event.currentTarget.value)} />
        <p class="dim" role="status">{count(found.length)} of {count(list.length)} operations</p>
      </div>
      {found.length === 0 && <Empty title="No operation is called so" />}
      {tags.map((tag) => (
        <section key={tag} class="card operations">
          <header><h2>{tag}</h2></header>
          {found.filter((row) => row.tag === tag).map((row) => <OperationRow key={row.method + row.path} row={row} open={found.length === 1} />)}
        </section>
      ))}
    </>
  );
}

function OperationRow({ row, open: first }: { row: Operation; open: boolean }) {
  const open = useSignal(first);
  const curl = () => `curl${row.method === "GET" ? "" : ` -X ${row.method}`} '${location.origin}${row.path}'${row.isOpen ? "" : " \\\n  -H \"authorization: Bearer $CONTEXTURE_KEY\""}`
    + (row.request === undefined ? "" : ` \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(row.request).replaceAll("'", "'\\''")}'`);
  return (
    <div class="operation">
      <button type="button" aria-expanded={open.value} onClick={() => { open.value = !open.value; }}>
        <b class={`method ${row.method.toLowerCase()}`}>{row.method}</b> <code>{row.path}</code> <span>{row.summary}</span>
      </button>
      {open.value && (
        <div class="about">
          {row.description && <Markdown text={row.description} />}
          <p class="dim">{row.isOpen ? "Open to all." : row.scopes.length > 0 ? `Needs one of the scopes ${row.scopes.join(", ")}.` : "Any key."} <CopyButton text={curl} label="Copy as curl" /></p>
          {row.parameters.length > 0 && (
            <div class="scroll" tabIndex={0}><table>
              <thead><tr><th>Parameter</th><th>In</th><th>Is</th></tr></thead>
              <tbody>{row.parameters.map((parameter) => <tr key={parameter.in + parameter.name}><th scope="row"><code>{parameter.name}</code>{parameter.required && <small> required</small>}</th><td>{parameter.in}</td><td>{parameter.description}</td></tr>)}</tbody>
            </table></div>
          )}
          <div class="columns">
            {row.request !== undefined && <JsonText value={row.request} label="Request" />}
            {row.response !== undefined && <JsonText value={row.response} label="Response" />}
          </div>
        </div>
      )}
    </div>
  );
}
