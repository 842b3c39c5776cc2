// Calls of hooks in the order of the compile: the outcome of each, its time to scale, what was sent and what the hook returned.

import { Fragment } from "preact";
import { useSignal } from "@preact/signals";
import type { HookRecord } from "../api/schema.ts";
import { count, duration, fullTime, shortId, time } from "../format.ts";
import { href } from "../state/route.ts";

/** A call with the record that it is from. */
export interface HookCall {
  call: HookRecord;
  record: { id: string; at: string } | null;
}

const MAX_TEXT_CHARS = 20_000;
const BAD = new Set(["failed", "denied"]);
const QUIET = new Set(["skipped", "unchanged", "queued"]);

/** The rows name the record if calls have one, and the hook if not. */
export function HookCalls({ calls }: { calls: HookCall[] }) {
  const open = useSignal("");
  const longest = Math.max(...calls.map(({ call }) => call.took_us), 1);
  const hasRecords = calls.some(({ record }) => record !== null);
  return (
    <div class="card scroll">
      <table class="rows calls">
        <thead>
          <tr>{hasRecords ? <><th>Record</th><th>When</th></> : <th>Hook</th>}<th>Point</th><th>Outcome</th><th class="right">Time</th><th class="wide"><span class="hidden">Time, to scale</span></th><th>Sent</th><th>Returned</th></tr>
        </thead>
        <tbody>
          {calls.map(({ call, record }, at) => (
            <Fragment key={at}>
              <tr>
                {record ? (
                  <>
                    <th scope="row"><a href={href("records", record.id, { tab: "hooks" })}>{shortId(record.id)}</a></th>
                    <td><time dateTime={record.at} title={fullTime(record.at)}>{time(record.at)}</time></td>
                  </>
                ) : <th scope="row"><a href={href("hooks", call.hook)}>{call.hook}</a> <small>{call.kind}</small></th>}
                <td>{call.point}{call.occurrence > 0 && <small> call {count(call.occurrence + 1)}</small>}</td>
                <td><Outcome call={call} /></td>
                <td class="right">{call.took_us > 0 ? duration(call.took_us / 1000) : <span class="dim" title="Built in, or not called: nothing was measured">–</span>}</td>
                <td class="wide">{call.took_us > 0 && <span class="meter"><b class={BAD.has(call.outcome) ? "spare" : ""} style={{ width: `${(100 * call.took_us) / longest}%` }} /></span>}</td>
                {textsOf(call).map(({ name, text, none }) => (
                  <td key={name}>
                    {text ? (
                      <button type="button" class="link whole" aria-label={`${name}: ${count(text.length)} characters`} aria-expanded={open.value === `${at} ${name}`}
                        onClick={() => { open.value = open.value === `${at} ${name}` ? "" : `${at} ${name}`; }}>
                        {open.value === `${at} ${name}` ? "Hide" : `${count(text.length)} characters`}
                      </button>
                    ) : <span class="dim">{none}</span>}
                  </td>
                ))}
              </tr>
              {textsOf(call).map(({ name, text }) => open.value === `${at} ${name}` && text && (
                <tr key={name} class="answer"><td colSpan={hasRecords ? 8 : 7}><pre>{written(text).slice(0, MAX_TEXT_CHARS)}{text.length > MAX_TEXT_CHARS && "\n…"}</pre></td></tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Exchanged {
  name: string;
  text: string | null;
  /** What is shown if there is no text. */
  none: string;
}

/** What was sent, and what was returned: a queued call has it in its newest attempt. */
function textsOf(call: HookRecord): Exchanged[] {
  const { delivery } = call;
  const status = delivery ? delivery.status ?? null : call.status;
  const none = status === 204 ? "nothing, 204" : delivery ? (status === null ? "no response" : String(status)) : "–";
  return [
    { name: "Sent", text: call.input ?? null, none: "–" },
    { name: "Returned", text: call.answer || delivery?.response || null, none },
  ];
}

function Outcome({ call }: { call: HookRecord }) {
  const tone = BAD.has(call.outcome) ? "bad" : QUIET.has(call.outcome) ? "" : "good";
  const why = [call.code?.replaceAll("_", " "), call.cause?.replaceAll("_", " "), call.reason, call.detail, call.skip?.replaceAll("_", " ")].filter(Boolean);
  const marks = [
    call.audit ? "audit: nothing was applied" : "", call.clipped ? "cut to its cap" : "", call.tokens > 0 ? `${count(call.tokens)} tokens` : "",
    call.attempts > 1 ? `${count(call.attempts)} tries` : "", call.status > 0 && call.status !== 200 && call.status !== 204 ? `status ${call.status}` : "",
  ].filter(Boolean);
  return (
    <>
      <span class="state"><i class={`dot ${tone}`} aria-hidden="true" />{call.outcome}</span>
      {(why.length > 0 || marks.length > 0) && <small class="block">{[...why, ...marks].join("; ")}</small>}
    </>
  );
}

/** JSON with a line for each member; any other text as it is. */
function written(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
