// Packs: their versions, faults with places, what changed between versions, and golden runs.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { get, post } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import type { GoldenCase, GoldenRun, Pack, PackDiff, PackLintFault, PackRow } from "../api/schema.ts";
import { count, fullTime, plural, shortId, time } from "../format.ts";
import { choiceOf, go, href, route } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { lineOf } from "../text/json-lines.ts";
import { difference } from "../text/words.ts";
import { PageHead } from "../ui/frame.tsx";
import { Sentence } from "../ui/markdown.tsx";
import { StageDots } from "../ui/stage-dots.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { TaskState, useTask } from "../ui/task.tsx";

export function Packs() {
  const [id, version] = splitRef(route.value.id);
  return id === "" ? <PackList /> : <PackPage key={`${id}@${version}`} id={id} version={version} />;
}

/** `id@version`; without a version its newest one is shown. */
function splitRef(text: string | null): [string, string] {
  const at = (text ?? "").lastIndexOf("@");
  return text === null ? ["", ""] : at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function PackList() {
  const tab = choiceOf("tab", ["packs", "lint"]);
  const list = useResource((signal) => readAll((cursor) => get("/packs", { query: { limit: 1000, ...(cursor ? { cursor } : {}) }, signal }), 5000), []);
  return (
    <>
      <PageHead title="Packs" about="Rules under which a compile is made: what may be seen, asked, remembered and called." />
      <Tabs label="Packs" shown={tab.value} onShow={tab.set} tabs={[{ id: "packs", label: "Published" }, { id: "lint", label: "Check a pack" }]}>
        {tab.value === "lint" ? <Lint document={null} /> : (
          <Loaded of={list} rows={4}>
            {({ items }) => items.length === 0 ? (
              <Empty title="No pack is published">
                <p><code>contexture pack init pack.json</code> writes the smallest one, <code>POST /packs</code> publishes it.</p>
                <p><button type="button" onClick={() => tab.set("lint")}>Check a pack</button></p>
              </Empty>
            ) : <Versions items={items} />}
          </Loaded>
        )}
      </Tabs>
    </>
  );
}

function Versions({ items }: { items: PackRow[] }) {
  return (
    <div class="card scroll">
      <table class="rows">
        <thead><tr><th>Pack</th><th>Version</th><th>Signed</th><th>Published</th><th>Digest</th></tr></thead>
        <tbody>
          {[...items].reverse().map((row) => (
            <tr key={row.pack_ref}>
              <th scope="row"><a class="whole" href={href("packs", row.pack_ref)}>{row.id}</a></th>
              <td>{row.version}</td>
              <td class={row.signed ? "good" : ""}>{row.signed ? "yes" : "no"}</td>
              <td><time title={fullTime(row.created_at)}>{time(row.created_at)}</time></td>
              <td><code title={row.digest}>{row.digest.replace("sha256:", "").slice(0, 12)}</code></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PackPage({ id, version }: { id: string; version: string }) {
  const tab = choiceOf("tab", ["document", "diff", "golden"]);
  const found = useResource(async (signal) => {
    const { versions } = await get("/packs/{id}", { path: { id }, signal });
    const chosen = version || versions.at(-1)?.version || "";
    return { versions, pack: await get("/packs/{id}/{version}", { path: { id, version: chosen }, signal }) };
  }, []);
  return (
    <Loaded of={found} rows={6}>
      {({ pack, versions }) => (
        <>
          <PageHead title={<><a class="crumb" href={href("packs")}>Packs</a> {pack.id}</>} about={<>{plural(versions.length, "version")} · {pack.signed ? "signed" : "not signed"} · published <time title={fullTime(pack.created_at)}>{time(pack.created_at)}</time></>}>
            <label class="choice">Version
              <select value={pack.version} onChange={(event) => go("packs", `${id}@${event.currentTarget.value}`, Object.fromEntries(route.peek().query))}>{[...versions].reverse().map((row) => <option key={row.version}>{row.version}</option>)}</select>
            </label>
          </PageHead>
          <Tabs label="Parts of the pack" shown={tab.value} onShow={tab.set} tabs={[
            { id: "document", label: "Document and faults" }, { id: "diff", label: "Compare" }, { id: "golden", label: "Golden runs" },
          ]}>
            {tab.value === "document" && <Lint document={pack} />}
            {tab.value === "diff" && <Diff pack={pack} versions={versions} />}
            {tab.value === "golden" && <Golden pack={pack} versions={versions} />}
          </Tabs>
        </>
      )}
    </Loaded>
  );
}

function Lint({ document: pack }: { document: Pack | null }) {
  const text = useSignal("");
  const task = useTask();
  const faults = useSignal<PackLintFault[] | null>(null);
  const parsed = useMemo<{ value: unknown } | null>(() => {
    if (pack) return { value: pack.document };
    try {
      return { value: JSON.parse(text.value) as unknown };
    } catch {
      return null;
    }
  }, [pack, text.value]);
  const check = () => task.run(async () => {
    faults.value = null;
    faults.value = (await post("/packs/lint", pack ? pack.document : text.value)).faults;
    return faults.value.length === 0 ? "No fault was found." : `${plural(faults.value.length, "fault")} found.`;
  });
  const lines = useMemo(() => (parsed ? (JSON.stringify(parsed.value, null, 2) ?? "").split("\n") : []), [parsed]);
  const marks = useMemo(() => new Map((faults.value ?? []).map((fault) => [lineOf(parsed?.value, fault.pointer), fault])), [faults.value, parsed]);
  const reveal = (line: number) => {
    const element = document.getElementById(`line-${line}`);
    element?.scrollIntoView({ block: "center" });
    element?.focus();
  };
  return (
    <>
      {!pack && (
        <label class="field">A pack as JSON
          <textarea rows={8} spellcheck={false} value={text.value} aria-invalid={text.value !== "" && !parsed} onInput={(event) => { text.value = event.currentTarget.value; faults.value = null; }} />
        </label>
      )}
      <div class="toolbar">
        <button type="button" class="primary" disabled={task.busy.value || (!pack && text.value.trim() === "")} onClick={() => void check()}>Check for faults</button>
        {text.value !== "" && !parsed && <p class="bad">This is not JSON.</p>}
      </div>
      <TaskState task={task} />
      {faults.value && faults.value.length > 0 && (
        <ul class="faults card">
          {faults.value.map((fault, at) => (
            <li key={at}>
              <i class={`dot ${fault.severity === "error" ? "bad" : "warn"}`} aria-hidden="true" />
              <span><b>{fault.code.replaceAll("_", " ")}</b> <Sentence text={fault.detail} />{fault.did_you_mean && <> Did you mean <code>{fault.did_you_mean}</code>?</>}</span>
              <button type="button" class="link" onClick={() => reveal(lineOf(parsed?.value, fault.pointer))}><code>{fault.pointer || "the document"}</code></button>
            </li>
          ))}
        </ul>
      )}
      {lines.length > 0 && (
        <figure class="json">
          <figcaption>{pack ? pack.pack_ref : "The pack"} <span class="dim">{plural(lines.length, "line")}</span></figcaption>
          <pre class="lines" tabIndex={0}>
            {lines.slice(0, 4000).map((line, at) => (
              <span key={at} id={`line-${at}`} tabIndex={-1} class={marks.has(at) ? `line ${marks.get(at)?.severity === "error" ? "error" : "notice"}` : "line"} title={marks.get(at)?.detail}>{line}{"\n"}</span>
            ))}
          </pre>
        </figure>
      )}
    </>
  );
}

function Other({ label, value, versions, not, onChange }: { label: string; value: string; versions: PackRow[]; not: string; onChange: (value: string) => void }) {
  return (
    <label class="choice">{label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {versions.filter((row) => row.pack_ref !== not).reverse().map((row) => <option key={row.pack_ref} value={row.pack_ref}>{row.version}</option>)}
      </select>
    </label>
  );
}

function Diff({ pack, versions }: { pack: Pack; versions: PackRow[] }) {
  const older = versions[versions.findIndex((row) => row.pack_ref === pack.pack_ref) - 1] ?? versions.find((row) => row.pack_ref !== pack.pack_ref);
  const from = useSignal(older?.pack_ref ?? "");
  const diff = useResource(async (signal) => (from.value ? post("/packs/diff", { from: from.value, to: pack.pack_ref }, { signal }) : null), [from.value]);
  if (!older) return <Empty title="There is one version alone"><p>Another one that is published can be compared with it.</p></Empty>;
  return (
    <>
      <div class="filters"><Other label="Changes since" value={from.value} versions={versions} not={pack.pack_ref} onChange={(value) => { from.value = value; }} /></div>
      <Loaded of={diff} rows={4}>{(data) => (data ? <Changes diff={data} /> : null)}</Loaded>
    </>
  );
}

function Changes({ diff }: { diff: PackDiff }) {
  if (diff.equal) return <Empty title="The versions are equal" />;
  const write = (value: unknown) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));
  return (
    <>
      {diff.layers.map((layer) => (
        <section key={layer.layer} class="card">
          <header><h2>{layer.layer.replaceAll("_", " ")}</h2><p class="dim">{plural(layer.changes.length, "change")}</p></header>
          <ul class="changes">
            {layer.changes.map((change, at) => (
              <li key={at}>
                <code>{change.path}</code> <small>{change.op}</small>
                <pre class="text">
                  {difference(change.op === "add" ? "" : write(change.from), change.op === "remove" ? "" : write(change.value)).map((piece, place) =>
                    piece.kind === "same" ? piece.text : piece.kind === "added" ? <ins key={place}>{piece.text}</ins> : <del key={place}>{piece.text}</del>)}
                </pre>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Golden({ pack, versions }: { pack: Pack; versions: PackRow[] }) {
  const path = { id: pack.id, version: pack.version };
  const set = useResource((signal) => get("/packs/{id}/{version}/golden", { path, signal }), []);
  const against = useSignal(versions.at(-1)?.pack_ref ?? pack.pack_ref);
  const result = useSignal<GoldenRun | null>(null);
  const task = useTask();
  const run = () => task.run(async () => {
    result.value = null;
    result.value = await post("/packs/{id}/{version}/golden/run", { against: against.value }, { path });
    return "";
  });
  return (
    <Loaded of={set} rows={4}>
      {({ items }) => items.length === 0 ? (
        <Empty title="The version has no golden set">
          <p>A golden set is compiles in full whose results a version must give again. <code>PUT /packs/{pack.id}/{pack.version}/golden</code> with their ids sets it.</p>
        </Empty>
      ) : (
        <>
          <div class="filters">
            <label class="choice">Run under
              <select value={against.value} onChange={(event) => { against.value = event.currentTarget.value; }}>{[...versions].reverse().map((row) => <option key={row.pack_ref} value={row.pack_ref}>{row.version}{row.pack_ref === pack.pack_ref ? " (this one)" : ""}</option>)}</select>
            </label>
            <button type="button" class="primary" disabled={task.busy.value} onClick={() => void run()}>Run {plural(items.length, "compile")}</button>
          </div>
          <TaskState task={task} />
          {result.value && <Verdict run={result.value} />}
          <ul class="golden">
            {result.value ? result.value.cases.map((row) => <Case key={row.compilation_id} row={row} />)
              : items.map((row) => <li key={row.compilation_id} class="card"><i class="dot" aria-hidden="true" /><a href={href("records", row.compilation_id)}>{shortId(row.compilation_id)}</a> <span class="dim">{row.status}, compiled <time title={fullTime(row.compiled_at)}>{time(row.compiled_at)}</time>{row.current ? "" : ", by another engine"}</span></li>)}
          </ul>
        </>
      )}
    </Loaded>
  );
}

function Verdict({ run }: { run: GoldenRun }) {
  const isGood = run.status === "equal";
  return <p class={isGood ? "said" : "said bad"} role="status">{isGood ? `All ${count(run.cases.length)} are the same.` : `${count(run.cases.length - run.equal)} of ${count(run.cases.length)} differ.`}</p>;
}

function Case({ row }: { row: GoldenCase }) {
  const good = row.outcome === "equal";
  return (
    <li class={`card ${good ? "passed" : "parted"}`}>
      <header>
        <i class={`dot ${good ? "good" : "bad"}`} aria-hidden="true" />
        <a href={href("records", row.compilation_id)}>{shortId(row.compilation_id)}</a>
        <b class={good ? "good" : "bad"}>{row.outcome.replaceAll("_", " ")}</b>
        {row.first_divergent_stage && <span>first at <b>{row.first_divergent_stage}</b></span>}
        {row.outcome_change && <span>{row.outcome_change.from} → {row.outcome_change.to}</span>}
        {(row.refusal ?? row.detail) && <span class="dim">{row.refusal ? <>{row.refusal.code}: <Sentence text={row.refusal.detail} /></> : <Sentence text={row.detail ?? ""} />}</span>}
      </header>
      {!good && <StageDots stages={row.stages} first={row.first_divergent_stage ?? null} roots={row.root_stages} />}
    </li>
  );
}
