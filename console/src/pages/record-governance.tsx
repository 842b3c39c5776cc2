// What a pack decided in a compile: rules that held, what was withheld and why, and how the budget was shared.

import type { CompilationRecord } from "../api/schema.ts";
import { count, percent, plural } from "../format.ts";
import { href } from "../state/route.ts";
import { JsonText } from "../ui/json.tsx";
import { Empty } from "../ui/states.tsx";

type Value = Record<string, unknown>;

/** The compiled context of a record; null without a pack, and if it is not known. */
export function contextOf(record: CompilationRecord): Value | null {
  const context = record.compiled_context;
  return typeof context === "object" && context !== null ? (context as Value) : null;
}

const object = (value: unknown): Value => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Value) : {});
const list = (value: unknown): Value[] => (Array.isArray(value) ? value.map(object) : []);
const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
const text = (value: unknown): string =>
  isEmpty(value) ? "–" : typeof value === "string" ? value : Array.isArray(value) && value.every((item) => typeof item === "string") ? value.join(", ") : JSON.stringify(value);
/** What one reads first, of rows of any shape. */
const FIRST = ["kind", "rule_id", "key", "id", "verdict", "reason"];

export function Governance({ record }: { record: CompilationRecord }) {
  const context = contextOf(record);
  if (context === null) {
    return (
      <Empty title={record.refusal ? `The pack refused: ${record.refusal.code.replaceAll("_", " ")}` : "What the pack decided is not known"}>
        {record.refusal && <p>{record.refusal.detail}{record.refusal.stage && <>, at the stage {record.refusal.stage}</>}. <a href={href("problems", record.refusal.code)}>What it means</a></p>}
      </Empty>
    );
  }
  const manifests = object(context["manifests"]);
  const withheld = Object.entries(object(manifests["withheld"])).flatMap(([kind, rows]) => list(rows).map((row) => ({ kind, ...row })));
  const budget = object(context["budget_report"]);
  const [allocated, used, truncated] = [object(budget["allocations"]), object(budget["used_at_compile"]), object(budget["bucket_truncations"])];
  const buckets = Object.keys(allocated);
  const most = Math.max(...buckets.map((name) => Number(allocated[name] ?? 0)), 1);
  return (
    <>
      <Table title="Policy decisions" rows={list(manifests["policy_manifest"])} none="No rule of the pack decided anything." />
      <Table title="Withheld" rows={withheld} none="Nothing was withheld." />
      {buckets.length > 0 && (
        <section class="card">
          <header><h2>Buckets</h2><p class="dim">{count(Number(budget["rendered_tokens"] ?? 0))} of {count(Number(budget["total_tokens"] ?? 0))} tokens of the pack's budget</p></header>
          <div class="scroll" tabIndex={0}>
            <table class="numbers rows">
              <thead><tr><th>Bucket</th><th>Used</th><th>Allocated</th><th>Share</th><th class="left">Left out</th><th class="wide left"><span class="hidden">To scale</span></th></tr></thead>
              <tbody>
                {buckets.map((name) => {
                  const gone = object(truncated[name]);
                  return (
                    <tr key={name}>
                      <th scope="row">{name.replaceAll("_", " ")}</th>
                      <td>{count(Number(used[name] ?? 0))}</td><td>{count(Number(allocated[name] ?? 0))}</td><td>{percent(Number(used[name] ?? 0), Number(allocated[name] ?? 0))}</td>
                      <td class={gone["count"] ? "left warn" : "left"}>{gone["count"] ? `${plural(Number(gone["count"]), "block")} of ${count(Number(gone["tokens"] ?? 0))} tokens` : <span class="dim">nothing</span>}</td>
                      <td class="wide left"><span class="meter"><i style={{ width: `${(100 * Number(allocated[name] ?? 0)) / most}%` }} /><b style={{ width: `${(100 * Number(used[name] ?? 0)) / most}%` }} /></span></td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </section>
      )}
      <JsonText value={context} label="The compiled context" />
    </>
  );
}

const headOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replace(/_id$/, "").replaceAll("_", " ");

/** Rows of any shape: a column for each member that has a value in one of them. */
function Table({ title, rows, none }: { title: string; rows: Value[]; none: string }) {
  // Ids and hashes of the pack's machinery, and what holds for no row, are in the compiled context below.
  const found = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((name) => (FIRST.includes(name) || !/_(id|hash)$/.test(name)) && rows.some((row) => !isEmpty(row[name]) && row[name] !== false));
  const names = [...FIRST.filter((name) => found.includes(name)), ...found.filter((name) => !FIRST.includes(name))].slice(0, 7);
  return (
    <section class="card">
      <header><h2>{title}</h2></header>
      {rows.length === 0 ? <p class="dim">{none}</p> : (
        <div class="scroll" tabIndex={0}>
          <table class="rows">
            <thead><tr>{names.map((name) => <th key={name}>{headOf(name)}</th>)}</tr></thead>
            <tbody>{rows.slice(0, 200).map((row, at) => <tr key={at}>{names.map((name) => <td key={name}>{text(row[name]).slice(0, 400)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}
