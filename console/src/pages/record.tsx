// A record: what came in and what is sent, message by message, and everything that is known of the compile.

import { useEffect, useMemo } from "preact/hooks";
import { get } from "../api/client.ts";
import { placeOf } from "../api/records.ts";
import type { CompilationRecord, Json } from "../api/schema.ts";
import { count, fullTime, leftOut, money, percent, shortId, time } from "../format.ts";
import { choiceOf, go, href, route, sessionHref } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { session } from "../state/session.ts";
import { curlOf } from "../text/shell.ts";
import { pairsOf } from "../text/pairs.ts";
import { PageHead } from "../ui/frame.tsx";
import { Icon } from "../ui/icon.tsx";
import { CopyButton, JsonText } from "../ui/json.tsx";
import { PairList } from "../ui/pair-list.tsx";
import { PartsBar, Window } from "../ui/parts.tsx";
import { Stat } from "../ui/stat.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Tabs, type Tab } from "../ui/tabs.tsx";
import { WhyWord, whyAbout } from "../ui/why.tsx";
import { Check } from "./record-check.tsx";
import { contextOf, Governance } from "./record-governance.tsx";
import { isUnmeasured } from "./usage.ts";
import { Hooks, MemoryUse, Notes, Stages } from "./record-parts.tsx";

export function RecordPage({ id }: { id: string }) {
  const record = useResource(
    (signal) => get("/compilations/{id}", { path: { id }, query: { explain: "full" }, signal }),
    [id],
  );
  return <Loaded of={record} rows={8}>{(data) => <RecordShown record={data} />}</Loaded>;
}

function RecordShown({ record }: { record: CompilationRecord }) {
  const report = record.report ?? null;
  const decisions = record.decisions ?? [];
  const hasTexts = record.request != null && record.payload != null;
  const rows = useMemo(
    () => (hasTexts ? pairsOf(record.request as Json, record.payload as Json, record.decisions ?? []) : []),
    [record],
  );
  const tabs = tabsOf(record);
  const [first = "json", ...others] = tabs.map((tab) => tab.id);
  const chosen = choiceOf("tab", [first, ...others]);
  const shown = chosen.value;
  const state = session.value;
  const needsKey = state.status === "signed in" && state.who.key != null;
  const curl = () => curlOf(record, location.origin, needsKey);
  return (
    <>
      <PageHead
        title={<>Record <code class="id" title={record.id}>{shortId(record.id)}</code></>}
        about={
          <>
            <time dateTime={record.created_at} title={fullTime(record.created_at)}>{time(record.created_at)}</time>
            {" · "}{record.target}{record.model ? ` · ${record.model}` : ""}
            {record.session_id && <> · session <a href={sessionHref(record.session_id)}>{record.session_id}</a></>}
          </>
        }
      >
        {record.session_id && <Neighbours id={record.id} session={record.session_id} />}
        <CopyButton text={record.id} label="Copy id" />
        <CopyButton text={curl} label="Copy as curl" />
      </PageHead>
      <p class="summary">{summaryOf(record)}</p>
      {report && <Figures record={record} />}
      {record.gateway && <GatewayFigures record={record} gateway={record.gateway} />}
      {record.gateway && !hasTexts && <NoTexts record={record} />}
      <Tabs label="Parts of the record" shown={shown} onShow={chosen.set} tabs={tabs}>
        {shown === "messages" && (hasTexts ? <PairList rows={rows} decisions={decisions} isLinked /> : <NoTexts record={record} />)}
        {shown === "window" && (report ? <Window parts={report.parts} budget={report.budget} /> : <Empty title="This record has no report" />)}
        {shown === "payload" && (record.payload != null ? <JsonText value={record.payload} label="Payload" /> : <NoTexts record={record} />)}
        {shown === "report" && (report ? <><Notes report={report} /><JsonText value={report} label="Report" /></> : <Empty title="This record has no report" />)}
        {shown === "stages" && <Stages stages={record.stages} />}
        {shown === "hooks" && <Hooks hooks={record.hooks} />}
        {shown === "pack" && <Governance record={record} />}
        {shown === "memory" && <MemoryUse record={record} />}
        {shown === "check" && <Check record={record} />}
        {shown === "json" && <JsonText value={record} label="The record" />}
      </Tabs>
    </>
  );
}

/** The tabs of a record; of a request through the gateway, those that have data. */
function tabsOf(record: CompilationRecord): Tab[] {
  const all = !record.gateway;
  const hasTexts = record.request != null && record.payload != null;
  const tabs: (Tab | false)[] = [
    (all || hasTexts) && { id: "messages", label: "Messages" },
    (all || record.report != null) && { id: "window", label: "Window" },
    (all || record.payload != null) && { id: "payload", label: "Payload" },
    (all || record.report != null) && { id: "report", label: "Report" },
    (all || record.stages.length > 0) && { id: "stages", label: <>Stages <small>{record.stages.length}</small></> },
    (all || record.hooks.length > 0) && { id: "hooks", label: <>Hooks <small>{record.hooks.length}</small></> },
    (contextOf(record) !== null || record.refusal != null) && { id: "pack", label: "Pack" },
    (all || record.report?.memory != null) && { id: "memory", label: "Memory" },
    { id: "check", label: all ? "Replay and compare" : "Compare" },
    { id: "json", label: "JSON" },
  ];
  return tabs.filter((tab) => tab !== false);
}

function summaryOf(record: CompilationRecord): string {
  if (record.refusal) return `Refused: ${record.refusal.detail}`;
  const gateway = record.gateway;
  if (gateway) {
    const skipped = gateway.skipped ? `, something stayed as it came: ${gateway.skipped}` : "";
    return `A request through the gateway to ${gateway.upstream}, mode ${gateway.mode}: ${count(gateway.edits.length)} edited ` +
      `messages save ${count(gateway.saved_tokens)} tokens${skipped}. The provider responded with ${gateway.status}.`;
  }
  return record.report?.summary ?? "";
}

function Figures({ record }: { record: CompilationRecord }) {
  const report = record.report;
  if (!report) return null;
  const saved = record.tokens_before - record.tokens_after;
  const cost = record.reported_cost ?? report.cost;
  const change = report.cache.first_change;
  return (
    <dl class="stats">
      <Stat label="Tokens" value={<>{count(record.tokens_before)} → {count(record.tokens_after)}</>}
        of={report.exact ? report.tokenizer : `${report.tokenizer}, an estimate for this model`}>
        <PartsBar parts={report.parts} />
      </Stat>
      <Stat label={saved < 0 ? "Added" : "Left out"} value={saved < 0 ? count(-saved) : leftOut(record.tokens_before, record.tokens_after)}
        of={saved < 0 ? `tokens on top of the ${count(record.tokens_before)} that came in: memory, state, a pack or hooks` : `${count(saved)} of ${count(record.tokens_before)} tokens that came in`} />
      <Stat label="Budget" value={record.fits ? percent(record.tokens_after, report.budget) : "Exceeded"} bad={!record.fits}
        of={`${count(record.tokens_after)} of ${count(report.budget)} tokens: the window less ${count(report.parts.reserve)}`} />
      {cost && (
        <Stat label="Cost of the input" value={money(cost.payload_micros)}
          of={`${money(cost.unshortened_micros)} unshortened; cache ${cost.cache.assumed}`} />
      )}
      <Stat label="First change" value={change ? <WhyWord why={change.why} /> : "none"}
        of={change ? <>at <code>{change.pointer}</code>, {count(change.tokens_behind)} tokens are read again. {whyAbout(change.why)} <a href={href("cache", undefined, { b: record.id })}>Where, and what to do</a></> : "only the end is new, or nothing came before"} />
    </dl>
  );
}

function GatewayFigures({ record, gateway }: { record: CompilationRecord; gateway: NonNullable<CompilationRecord["gateway"]> }) {
  const cost = record.reported_cost;
  const unknown = isUnmeasured(record);
  return (
    <dl class="stats">
      <Stat label="Tokens" value={unknown ? "–" : <>{count(record.tokens_before)} → {count(record.tokens_after)}</>}
        of={unknown ? "the provider reported no usage" : "by the provider's usage"} />
      <Stat label="Saved" value={`${count(gateway.saved_tokens)} tokens`}
        of={unknown ? "of a request of unknown tokens" : `${leftOut(record.tokens_before, record.tokens_after)} of ${count(record.tokens_before)} tokens that came in`} />
      {cost && <Stat label="Cost of the input" value={money(cost.payload_micros)} of={`${money(cost.unshortened_micros)} unshortened`} />}
    </dl>
  );
}

function NoTexts({ record }: { record: CompilationRecord }) {
  return (
    <Empty title="The conversation is not in this record">
      <p>
        A record keeps hashes and figures unless the request says <code>"record": "full"</code>
        {record.gateway ? ", in the defaults of the gateway's key" : ""}. A server with <code>--dev</code> keeps the
        texts of every compile.
      </p>
      <p><a href={href("playground")}>Try a request in the playground</a></p>
    </Empty>
  );
}

/** Links to the record before and after this one in its session. */
function Neighbours({ id, session: name }: { id: string; session: string }) {
  const found = useResource((signal) => placeOf(name, id, signal), [name, id]);
  const place = found.state.value.data;
  const { older, newer } = place ?? {};
  // The neighbour opens at the same tab.
  const shown = route.value.query.get("tab");
  const tab = shown === null ? {} : { tab: shown };
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.closest("input, textarea, select, [role=tab]")) return;
      const row = event.key === "[" ? older : event.key === "]" ? newer : undefined;
      if (row) go("records", row.id, tab);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  if (!place) return null;
  return (
    <nav class="pager" aria-label="Records of this session">
      {older ? <a href={href("records", older.id, tab)} title="Previous ([)"><Icon name="previous" /><span class="hidden">Previous</span></a> : <span><Icon name="previous" /></span>}
      <span>{place.all === null ? `${count(place.after)} newer` : `${count(place.all - place.after)} of ${count(place.all)}`}</span>
      {newer ? <a href={href("records", newer.id, tab)} title="Next (])"><Icon name="next" /><span class="hidden">Next</span></a> : <span><Icon name="next" /></span>}
    </nav>
  );
}
