// A request and what a compile makes of it, live. Dry runs: nothing is recorded or counted.

import { effect, signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { post } from "../api/client.ts";
import { errorOf, type ApiError } from "../api/problem.ts";
import type { CompileResult, Json } from "../api/schema.ts";
import { count, leftOut, money, percent } from "../format.ts";
import { choiceOf } from "../state/route.ts";
import { session } from "../state/session.ts";
import { pairsOf } from "../text/pairs.ts";
import { PageHead } from "../ui/frame.tsx";
import { CopyButton, JsonText } from "../ui/json.tsx";
import { PairList } from "../ui/pair-list.tsx";
import { Window } from "../ui/parts.tsx";
import { Stat } from "../ui/stat.tsx";
import { Failed } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { EXAMPLE } from "./example.ts";
import { readInput, requestOf, type Input, type Settings } from "./playground-input.ts";
import { Controls } from "./playground-controls.tsx";

const DEBOUNCE_MS = 250;
const START: Settings = { window: 4000, reserve: 500, level: "summary", recent: 2, notations: "computed", target: "anthropic", model: "claude-sonnet-4-5" };

interface Run {
  request: Json;
  result: CompileResult;
  ms: number;
}

/** What was typed stays while one looks at another page, until someone signs out. */
const text = signal(EXAMPLE);
const settings = signal(START);
effect(() => {
  if (session.value.status !== "signed out") return;
  text.value = EXAMPLE;
  settings.value = START;
});

export function Playground() {
  const run = useSignal<Run | null>(null);
  const error = useSignal<ApiError | null>(null);
  const busy = useSignal(false);
  const tab = choiceOf("tab", ["messages", "window", "payload", "report"]);
  const input = useMemo<Input | Error>(() => {
    try {
      return readInput(text.value);
    } catch (thrown) {
      return thrown instanceof Error ? thrown : new Error(String(thrown));
    }
  }, [text.value]);

  useEffect(() => {
    if (input instanceof Error) {
      run.value = null;
      error.value = null;
      busy.value = false;
      return undefined;
    }
    const controller = new AbortController();
    const request = requestOf(input, settings.value);
    busy.value = true;
    const timer = setTimeout(() => {
      const start = performance.now();
      post("/compile", request, { query: { dry_run: true }, signal: controller.signal }).then(
        (result) => {
          run.value = { request: input.body, result, ms: performance.now() - start };
          error.value = null;
          busy.value = false;
        },
        (thrown: unknown) => {
          if (controller.signal.aborted) return;
          error.value = errorOf(thrown);
          run.value = null;
          busy.value = false;
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [input, settings.value]);

  const share = () => {
    if (input instanceof Error) return;
    const file = new Blob([JSON.stringify(requestOf(input, settings.value), null, 2)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = "contexture-request.json";
    link.click();
    URL.revokeObjectURL(link.href);
  };

  return (
    <>
      <PageHead title="Playground" about="A dry run: nothing is recorded, counted or sent to hooks.">
        {!(input instanceof Error) && <CopyButton text={() => JSON.stringify(requestOf(input, settings.value), null, 2)} label="Copy request" />}
        <button type="button" onClick={share}>Save as a file</button>
        <button type="button" onClick={() => { text.value = EXAMPLE; settings.value = START; }}>Load the example</button>
      </PageHead>
      <div class="playground">
        <Source text={text.value} onText={(next) => { text.value = next; }} input={input} />
        <Controls settings={settings.value} onChange={(next) => { settings.value = next; }} />
      </div>
      {error.value && <Failed error={error.value} title="This could not be compiled" />}
      {run.value && <Result run={run.value} busy={busy.value} tab={tab.value} onTab={tab.set} />}
    </>
  );
}

function Source({ text, onText, input }: { text: string; onText: (text: string) => void; input: Input | Error }) {
  const over = useSignal(false);
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) void file.text().then(onText);
  };
  return (
    <section class={over.value ? "source over" : "source"}
      onDragOver={(event) => { event.preventDefault(); over.value = true; }}
      onDragLeave={() => { over.value = false; }}
      onDrop={(event) => { event.preventDefault(); over.value = false; take(event.dataTransfer?.files); }}>
      <header>
        <label for="source">Request, session or log</label>
        <label class="file">
          Open a file
          <input type="file" class="hidden" onChange={(event) => take(event.currentTarget.files)} />
        </label>
      </header>
      <textarea id="source" spellcheck={false} value={text} onInput={(event) => onText(event.currentTarget.value)}
        aria-describedby="source-state" aria-invalid={input instanceof Error} />
      <p id="source-state" class={input instanceof Error ? "bad" : "dim"} role="status">
        {input instanceof Error ? input.message : input.about}
      </p>
    </section>
  );
}

function Result({ run, busy, tab, onTab }: { run: Run; busy: boolean; tab: string; onTab: (tab: string) => void }) {
  const { request, result, ms } = run;
  const report = result.report;
  const decisions = report.decisions ?? [];
  const rows = useMemo(() => pairsOf(request, result.payload as Json, report.decisions ?? []), [run]);
  const left = report.tokens_before - report.tokens_after;
  return (
    <div class="result" aria-busy={busy}>
      <p class="summary" role="status">{report.summary}</p>
      <dl class="stats">
        <Stat label="Tokens" value={<>{count(report.tokens_before)} → {count(report.tokens_after)}</>} of={left < 0 ? `${leftOut(report.tokens_before, report.tokens_after)} to the tokens in` : `${percent(left, report.tokens_before)} of the tokens in are left out`} />
        <Stat label="Budget" value={report.fits ? percent(report.tokens_after, report.budget) : "Exceeded"} bad={!report.fits} of={`of ${count(report.budget)} tokens`} />
        {report.cost && <Stat label="Cost of the input" value={money(report.cost.payload_micros)} of={`${money(report.cost.unshortened_micros)} unshortened`} />}
        <Stat label="Time" value={`${Math.round(ms)} ms`} of="from this page and back" />
      </dl>
      <Tabs label="Result" shown={tab} onShow={onTab} tabs={[
        { id: "messages", label: "Messages" }, { id: "window", label: "Window" }, { id: "payload", label: "Payload" }, { id: "report", label: "Report" },
      ]}>
        {tab === "messages" && <PairList rows={rows} decisions={decisions} />}
        {tab === "window" && <Window parts={report.parts} budget={report.budget} />}
        {tab === "payload" && <JsonText value={result.payload} label="Payload" />}
        {tab === "report" && <JsonText value={report} label="Report" />}
      </Tabs>
    </div>
  );
}
