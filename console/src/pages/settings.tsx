// The settings in force: what the server was started with, and where each value came from.

import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import type { SettingRow } from "../api/schema.ts";
import { count } from "../format.ts";
import { choiceOf } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { useSearch } from "../state/search.ts";
import { PageHead } from "../ui/frame.tsx";
import { Sentence } from "../ui/markdown.tsx";
import { Empty, Loaded } from "../ui/states.tsx";

export function Settings() {
  const list = useResource((signal) => get("/settings", { signal }), []);
  return (
    <>
      <PageHead title="Settings" about="What this node was started with. Secrets are not shown." />
      <Loaded of={list} rows={10}>{({ items }) => <List items={items} />}</Loaded>
    </>
  );
}

const SOURCES: Record<string, string> = { default: "default", environment: "environment", flag: "command line" };

function List({ items }: { items: SettingRow[] }) {
  const wanted = useSearch();
  const only = choiceOf("only", ["", "changed"]);
  const changed = only.value === "changed";
  const found = useMemo(() => {
    const text = wanted.value.toLowerCase();
    return items.filter((row) => (!changed || row.source !== "default") && (text === "" || `${row.flag} ${row.variable} ${row.about}`.toLowerCase().includes(text)));
  }, [items, wanted.value, changed]);
  const sections = [...new Set(found.map((row) => row.section))];
  if (items.length === 0) return <Empty title="The settings are not known"><p>This server was not started by <code>contexture serve</code>.</p></Empty>;
  return (
    <>
      <div class="filters">
        <input type="search" aria-label="Find a setting" placeholder="Find by name or words" value={wanted.value} onInput={(event) => wanted.set(event.currentTarget.value)} />
        <label class="check-line"><input type="checkbox" checked={changed} onChange={(event) => only.set(event.currentTarget.checked ? "changed" : "")} />Changed ones only</label>
        <p class="dim" role="status">{count(found.length)} of {count(items.length)}</p>
      </div>
      {found.length === 0 && <Empty title={changed ? "Every setting has its default" : "No setting is called so"} />}
      {sections.map((section) => (
        <section key={section} class="card">
          <header><h2>{section}</h2></header>
          <div class="scroll" tabIndex={0}>
            <table class="rows settings">
              <thead><tr><th>Setting</th><th>Value</th><th>From</th><th>Means</th></tr></thead>
              <tbody>
                {found.filter((row) => row.section === section).map((row) => (
                  <tr key={row.flag}>
                    <th scope="row"><code>--{row.flag}</code><small class="block">{row.variable}</small></th>
                    <td class="set">{row.secret ? <span class="dim">{row.source === "default" ? "not set" : "set, not shown"}</span> : row.value === null || row.value === undefined ? <span class="dim">not set</span> : <code>{row.value}</code>}</td>
                    <td class={row.source === "default" ? "dim whole" : "whole"}>{SOURCES[row.source] ?? row.source}</td>
                    <td><Sentence text={row.about} /></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      ))}
    </>
  );
}
