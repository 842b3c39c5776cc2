// Why the provider's cache did not hold: two payloads, where the later one leaves the earlier, what that costs, what to do.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { placeOf } from "../api/records.ts";
import type { CompilationRecord, Json, ModelRow } from "../api/schema.ts";
import { bytes, count, fullTime, money, percent, shortId, time } from "../format.ts";
import { go, href, route, sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { may } from "../state/session.ts";
import { splitOf, type Excerpt, type Split } from "../text/prefix.ts";
import { PageHead } from "../ui/frame.tsx";
import { Stat } from "../ui/stat.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { whyAbout, whyAdvice, whyText } from "../ui/why.tsx";
import { Breaks, useDone } from "./recent.tsx";

interface Found {
  before: CompilationRecord;
  after: CompilationRecord;
  prices: ModelRow["prices"];
}

export function Cache() {
  const earlier = route.value.query.get("a") ?? "";
  const later = route.value.query.get("b") ?? "";
  return (
    <>
      <PageHead title="Cache misses" about="Why a provider read a prompt again that it had before: the first byte that differs, what it cost, what to do." />
      <Choose key={`${earlier} ${later}`} earlier={earlier} later={later} />
      {later === "" ? <Start /> : <Compare key={`${earlier} ${later}`} earlier={earlier} later={later} />}
    </>
  );
}

function Choose({ earlier, later }: { earlier: string; later: string }) {
  const a = useSignal(earlier);
  const b = useSignal(later);
  const submit = (event: Event) => {
    event.preventDefault();
    if (b.value.trim() === "") return;
    go("cache", undefined, { ...(a.value.trim() ? { a: a.value.trim() } : {}), b: b.value.trim() });
  };
  return (
    <form class="filters two" onSubmit={submit}>
      <label>Earlier record <input value={a.value} placeholder="the one before, if empty" spellcheck={false} onInput={(event) => { a.value = event.currentTarget.value; }} /></label>
      <label>Later record <input value={b.value} placeholder="cmp_…" spellcheck={false} onInput={(event) => { b.value = event.currentTarget.value; }} /></label>
      <button class="primary" disabled={b.value.trim() === ""}>Compare</button>
    </form>
  );
}

function Start() {
  const broken = useDone().some((row) => row.change !== null);
  return broken && may("events:read") ? <Breaks /> : (
    <Empty title="Choose two records">
      <p>Give the id of the later one: it is compared with the record before it in its session. The <a href={href("sessions")}>sessions</a> mark each turn whose cache broke.</p>
    </Empty>
  );
}

function Compare({ earlier, later }: { earlier: string; later: string }) {
  const found = useResource<Found | "first">(async (signal) => {
    const after = await get("/compilations/{id}", { path: { id: later }, signal });
    let id = earlier;
    if (id === "" && after.session_id) {
      id = (await placeOf(after.session_id, later, signal))?.older?.id ?? "";
    }
    if (id === "") return "first";
    const before = await get("/compilations/{id}", { path: { id }, signal });
    const { items: models } = await get("/models", { signal });
    return { before, after, prices: models.find((row) => row.name === after.model)?.prices ?? null };
  }, []);
  return (
    <Loaded of={found} rows={6}>
      {(pair) => pair === "first" ? (
        <Empty title="Nothing was sent before this record"><p>It is the first of its session, or has none. Give an earlier record to compare it with.</p></Empty>
      ) : <Result {...pair} />}
    </Loaded>
  );
}

function Result({ before, after, prices }: Found) {
  const split = useMemo(
    () => (before.payload != null && after.payload != null ? splitOf(before.payload as Json, after.payload as Json) : null),
    [before, after],
  );
  const change = after.report?.cache.first_change ?? null;
  const why = change?.why ?? (before.target !== after.target ? "target_changed" : before.model !== after.model ? "model_changed" : null);
  const again = change?.tokens_behind ?? (split?.change ? Math.round((after.tokens_after * (split.bytes - split.equalBytes)) / Math.max(split.bytes, 1)) : null);
  // Prices are in dollars for a million tokens, which is micro-dollars for one.
  const extra = again !== null && prices ? again * ((prices.cache_write ?? prices.input) - (prices.cache_read ?? prices.input)) : null;
  const holds = split !== null && split.change === null && change === null;
  return (
    <>
      <p class="summary">
        {holds ? "The later payload begins with all of the earlier one: the cache can hold."
          : why ? <>The prefix broke: <b>{whyText(why as never)}</b>. {whyAbout(why as never)}</> : "The payloads part, and no reason is recorded."}
      </p>
      <dl class="stats">
        <Stat label="Earlier" value={<a href={href("records", before.id)}>{shortId(before.id)}</a>} of={<><time title={fullTime(before.created_at)}>{time(before.created_at)}</time>, {count(before.tokens_after)} tokens</>} />
        <Stat label="Later" value={<a href={href("records", after.id)}>{shortId(after.id)}</a>} of={<><time title={fullTime(after.created_at)}>{time(after.created_at)}</time>, {count(after.tokens_after)} tokens{after.session_id && <>, <a href={sessionHref(after.session_id)}>session</a></>}</>} />
        <Stat label="Read again" value={again === null ? "–" : `${count(again)} tokens`} bad={(again ?? 0) > 0} of={again === null ? "not known of records with hashes" : `${percent(again, after.tokens_after)} of the later payload${change ? "" : ", by bytes"}`} />
        <Stat label="What it cost" value={extra === null ? "–" : money(Math.max(extra, 0))} of={extra === null ? "the model has no known price" : "more than if they had been read from the cache"} />
      </dl>
      {split && <Strip split={split} />}
      {split?.change && <FirstByte split={split} />}
      {!split && (
        <Empty title="The bytes are not in these records">
          <p>Two records in full show the first byte that differs. A request with <code>"record": "full"</code>, or a server with <code>--dev</code>, keeps them.{change && <> The report says: at <code>{change.pointer}</code>.</>}</p>
        </Empty>
      )}
      {why && (
        <section class="card advice">
          <header><h2>What to do</h2></header>
          <p>{whyAdvice(why)}</p>
          {change?.split && <p>The system text differs at <code>{JSON.stringify(change.split)}</code>: split it there, and send the changing part last.</p>}
        </section>
      )}
    </>
  );
}

function Strip({ split }: { split: Split }) {
  const whole = Math.max(split.bytes, 1);
  return (
    <section class="card">
      <header>
        <h2>The prefix</h2>
        <p class="dim">{bytes(split.equalBytes)} of {bytes(split.bytes)} are the same, {percent(split.equalBytes, split.bytes)}</p>
      </header>
      <div class="strip" role="img" aria-label={`${percent(split.equalBytes, split.bytes)} of the later payload is the same as before`}>
        {split.blocks.map((block, at) => (
          <i key={block.pointer} class={`part ${block.part} ${at < split.equal ? "same" : at === split.equal && split.change ? "broke" : "after"}`} style={{ flexGrow: block.text.length }}
            title={`${block.pointer}: ${bytes(block.text.length)}, ${at < split.equal ? "the same" : at === split.equal && split.change ? "differs" : split.change ? "after the difference" : "new"}`} />
        ))}
        {split.change && <b style={{ left: `${(100 * split.equalBytes) / whole}%` }} />}
      </div>
      <ul class="legend">
        <li><i class="part tools" aria-hidden="true" />tools</li><li><i class="part system" aria-hidden="true" />system</li><li><i class="part history" aria-hidden="true" />messages</li>
        {split.change && <li><i class="part broke" aria-hidden="true" />the block that differs</li>}
        <li><i class="part history after" aria-hidden="true" />{split.change ? "read again" : "new"}</li>
      </ul>
    </section>
  );
}

function FirstByte({ split }: { split: Split }) {
  const change = split.change;
  if (!change) return null;
  return (
    <section class="card">
      <header><h2>The first byte that differs</h2><p class="dim"><code>{change.pointer}</code>, byte {count(change.offset + 1)} of the block, {count(split.equalBytes + 1)} of the payload</p></header>
      <div class="bytes">
        <Line name="Before" excerpt={change.before} kind="del" />
        <Line name="Now" excerpt={change.after} kind="ins" />
      </div>
    </section>
  );
}

function Line({ name, excerpt, kind }: { name: string; excerpt: Excerpt | null; kind: "ins" | "del" }) {
  const Mark = kind;
  return (
    <>
      <span class="dim">{name}</span>
      {excerpt ? <pre>{excerpt.isCutBefore && <span class="dim">…</span>}{excerpt.lead}<Mark>{excerpt.rest || "(ends here)"}</Mark>{excerpt.isCutAfter && <span class="dim">…</span>}</pre>
        : <p class="dim">nothing: the payload ends before it</p>}
    </>
  );
}
