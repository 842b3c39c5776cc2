// What a session carries in each request, and what of it was used.

import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { Inventory as Carried, ModelRow, TimelineRow } from "../api/schema.ts";
import { count, money, percent, plural } from "../format.ts";
import { useFollow } from "../state/follow.ts";
import { go, href, route } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { may } from "../state/session.ts";
import { PageHead } from "../ui/frame.tsx";
import { Stat } from "../ui/stat.tsx";
import { Empty, FirstRequest, Loaded } from "../ui/states.tsx";

const TURNS = [5, 20, 50, 200];

export function InventoryPage() {
  const wanted = route.value.query.get("session") ?? "";
  const given = Number(route.value.query.get("turns"));
  const turns = Number.isInteger(given) && given >= 1 && given <= 200 ? given : 20;
  const sessions = useResource(
    async (signal) => (await readAll((cursor) => get("/sessions", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), 5000)).items
      .sort((one, other) => (one.used_at < other.used_at ? 1 : -1)),
    [],
  );
  return (
    <>
      <PageHead title="Inventory" about="Tools, skills and memory that every request of a session carries: what of it was used, and what leaving it out would save." />
      <Loaded of={sessions} rows={6}>
        {(list) => {
          const id = wanted || list[0]?.id;
          return id === undefined ? (
            <Empty title="No session is open"><p>A request with <code>session_id</code> begins one.</p><FirstRequest /></Empty>
          ) : (
            <>
              <div class="filters">
                <label class="choice grow">
                  Session
                  <select value={id} onChange={(event) => go("inventory", undefined, { session: event.currentTarget.value, turns: String(turns) })}>
                    {!list.some((row) => row.id === id) && <option>{id}</option>}
                    {list.slice(0, 500).map((row) => <option key={row.id}>{row.id}</option>)}
                  </select>
                </label>
                <div class="segments" role="group" aria-label="Newest turns that count">
                  {TURNS.map((many) => (
                    <button key={many} type="button" aria-pressed={many === turns} onClick={() => go("inventory", undefined, { session: id, turns: String(many) })}>{many} turns</button>
                  ))}
                </div>
              </div>
              <Session key={`${id} ${turns}`} id={id} turns={turns} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Session({ id, turns }: { id: string; turns: number }) {
  const carried = useResource(async (signal) => {
    const [inventory, timeline, models] = await Promise.all([
      get("/inventory", { query: { session_id: id, turns }, signal }),
      get("/sessions/{id}/timeline", { path: { id }, query: { limit: 1 }, signal }),
      may("compile", "compress") ? get("/models", { signal }) : { items: [] as ModelRow[] },
    ]);
    const newest = timeline.items[0] ?? null;
    return { inventory, newest, prices: models.items.find((row) => row.name === newest?.model)?.prices ?? null };
  }, []);
  useFollow((event) => event.session_id === id && event.type === "compile:done", [carried]);
  return (
    <Loaded of={carried} rows={6}>
      {({ inventory, newest, prices }) => inventory.records === 0 ? (
        <Empty title="No turn of this session is recorded"><p>Send a request without <code>"record": "none"</code>.</p></Empty>
      ) : <Shown inventory={inventory} newest={newest} prices={prices} turns={turns} />}
    </Loaded>
  );
}

function Shown({ inventory, newest, prices, turns }: { inventory: Carried; newest: TimelineRow | null; prices: ModelRow["prices"]; turns: number }) {
  const tools = useMemo(() => [...inventory.tools].sort((one, other) => Number(one.calls > 0) - Number(other.calls > 0) || other.tokens - one.tokens), [inventory]);
  const all = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const unused = tools.filter((tool) => tool.calls === 0);
  // What may be used without a trace is not counted.
  const items = [...inventory.skills, ...inventory.memory].filter((item) => item.uses === 0 && item.tokens != null);
  const spare = [...unused, ...items].reduce((sum, one) => sum + (one.tokens ?? 0), 0);
  const what = [unused.length > 0 && plural(unused.length, "tool"), items.length > 0 && `${plural(items.length, "memory entry or skill", "memory entries and skills")} without a trace of use`].filter(Boolean).join(", ");
  const most = Math.max(...tools.map((tool) => tool.tokens), 1);
  // Prices are in dollars for a million tokens, which is micro-dollars for one.
  const cached = prices ? spare * (prices.cache_read ?? prices.input) * 1000 : null;
  const fresh = prices ? spare * prices.input * 1000 : null;
  const parts = newest?.parts ?? null;
  const within = `in the newest ${plural(Math.min(turns, 200), "turn")}`;
  return (
    <>
      <dl class="stats">
        <Stat label="Tools, in each request" value={count(all)} of={`tokens of ${plural(tools.length, "definition")}${newest ? `, ${percent(all, newest.tokens_after)} of the newest payload` : ""}`} />
        <Stat label="Not called" value={unused.length === 0 ? "none" : `${count(unused.length)} of ${count(tools.length)}`} bad={unused.length > 0} of={within} />
        <Stat label="Leaving these out saves" value={`${count(spare)} tokens`} of={`a request${what ? `: ${what}` : ""}`} />
        {cached !== null && fresh !== null && <Stat label="In 1,000 requests" value={money(cached)} of={`if they are read from the cache, ${money(fresh)} if not`} />}
      </dl>
      <section class="card">
        <header><h2>Tools</h2>{inventory.compilation_id && <p class="dim">of <a href={href("records", inventory.compilation_id)}>the newest record in full</a>; calls {within}</p>}</header>
        {tools.length === 0 ? (
          <p class="dim">{inventory.compilation_id ? "The newest request has no tools." : <>No record of this session is in full, which its tools are read from. A request with <code>"record": "full"</code> makes one.</>}</p>
        ) : (
          <div class="scroll" tabIndex={0}>
            <table class="numbers rows">
              <thead><tr><th>Tool</th><th>Tokens</th><th>Share</th><th>Calls</th><th>Last call</th><th class="wide left"><span class="hidden">To scale</span></th></tr></thead>
              <tbody>
                {tools.map((tool) => (
                  <tr key={tool.name}>
                    <th scope="row" title={tool.name}>{tool.name}</th>
                    <td>{count(tool.tokens)}</td>
                    <td>{percent(tool.tokens, all)}</td>
                    <td class={tool.calls === 0 ? "bad" : ""}>{tool.calls === 0 ? "none" : count(tool.calls)}</td>
                    <td>{ago(tool.turns_since_call)}</td>
                    <td class="wide left"><span class="meter"><b class={tool.calls === 0 ? "spare" : ""} style={{ width: `${(100 * tool.tokens) / most}%` }} /></span></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {unused.length > 0 && <p class="hint">Tools are the start of the prefix: leave them out at the start of a session, or at a compaction point. Within a session a change makes the provider read everything again.</p>}
      </section>
      <div class="columns">
        <Items title="Skills" tokens={parts?.skill ?? sumOf(inventory.skills)} items={inventory.skills} records={inventory.records} none="No skill was active."
          rule="A skill is used by a call of a tool of its allowed_tools. Following instructions leaves no other trace." />
        <Items title="Memory entries" tokens={parts?.memory ?? sumOf(inventory.memory)} items={inventory.memory} records={inventory.records} none="No entry was shown." link={(key) => href("memory", key)}
          rule="An entry is used by a message of the model that calls a memory tool with its key, or repeats its value word for word. A model can heed it without a trace." />
      </div>
    </>
  );
}

/** Tokens of items, as far as they are known: records of the gateway have no parts. */
function sumOf(items: Carried["skills"]): number {
  return items.reduce((sum, item) => sum + (item.tokens ?? 0), 0);
}

/** How long ago a turn was. */
function ago(turns: number | null | undefined): string {
  return turns == null ? "never" : turns === 0 ? "newest turn" : `${plural(turns, "turn")} ago`;
}

/** Items without a trace of use first, then those of which nothing is known. */
function rank(item: Carried["skills"][number]): number {
  return item.uses === 0 ? 0 : item.uses == null ? 1 : 2;
}

function Unknown() {
  return <span class="dim" title="Not known: see below, and a record in full is needed">–</span>;
}

function Items({ title, tokens, items, records, none, rule, link }: { title: string; tokens: number; items: Carried["skills"]; records: number; none: string; rule: string; link?: (name: string) => string }) {
  const sorted = useMemo(() => [...items].sort((one, other) => rank(one) - rank(other) || (other.tokens ?? 0) - (one.tokens ?? 0)), [items]);
  return (
    <section class="card">
      <header><h2>{title}</h2><p class="dim">{count(tokens)} tokens in the newest payload</p></header>
      {items.length === 0 ? <p class="dim">{none}</p> : (
        <div class="scroll" {...(link ? {} : { tabIndex: 0 })}>
          <table class="numbers rows">
            <thead><tr><th>Name</th><th>Tokens</th><th>Uses</th><th>Last use</th><th>Carried by</th></tr></thead>
            <tbody>
              {sorted.map((item) => (
                <tr key={item.name}>
                  <th scope="row" title={item.name}>{link ? <a href={link(item.name)}>{item.name}</a> : item.name}</th>
                  <td>{item.tokens == null ? <Unknown /> : count(item.tokens)}</td>
                  <td class={item.uses === 0 ? "bad" : ""}>{item.uses == null ? <Unknown /> : item.uses === 0 ? "no trace" : count(item.uses)}</td>
                  <td>{item.uses == null ? <Unknown /> : ago(item.turns_since_use)}</td>
                  <td>{count(item.records)} of {plural(records, "record")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {items.length > 0 && <p class="hint">{rule}</p>}
    </section>
  );
}
