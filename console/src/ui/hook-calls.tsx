// Calls of hooks in the order of the compile: the outcome of each, its time to scale, and what the hook returned.

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

const MAX_ANSWER_CHARS = 20_000;
const BAD = new Set(["failed", "denied"]);
const QUIET = new Set(["skipped", "unchanged", "queued"]);

/** The rows name the record if calls have one, and the hook if not. */
export function HookCalls({ calls }: { calls: HookCall[] }) {
  const open = useSignal<number | null>(null);
  const longest = Math.max(...calls.map(({ call }) => call.took_us), 1);
  const hasRecords = calls.some(({ record }) => record !== null);
  return (
    <div class="card scroll">
      <table class="rows calls">
        <thead>
          <tr>{hasRecords ? <><th>Record</th><th>When</th></> : <th>Hook</th>}<th>Point</th><th>Outcome</th><th class="right">Time</th><th class="wide"><span class="hidden">Time, to scale</span></th><th>Returned</th></tr>
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
                <td>
                  {call.answer ? (
                    <button type="button" class="link whole" aria-expanded={open.value === at} onClick={() => { open.value = open.value === at ? null : at; }}>
                      {open.value === at ? "Hide" : `${count(call.answer.length)} characters`}
                    </button>
                  ) : <span class="dim">{call.status === 204 ? "nothing, 204" : "–"}</span>}
                </td>
              </tr>
              {open.value === at && call.answer && (
                <tr class="answer"><td colSpan={hasRecords ? 7 : 6}><pre>{written(call.answer).slice(0, MAX_ANSWER_CHARS)}{call.answer.length > MAX_ANSWER_CHARS && "\n…"}</pre></td></tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
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
