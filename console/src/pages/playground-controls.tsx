// The settings of the playground, each with what it means.

import type { ComponentChildren } from "preact";
import { get } from "../api/client.ts";
import { readAll } from "../api/lists.ts";
import { count } from "../format.ts";
import { useResource } from "../state/resource.ts";
import type { Settings } from "./playground-input.ts";

const LEVELS = [
  { value: "off", about: "Nothing is shortened" },
  { value: "lossless", about: "Only what can be decoded to the same bytes" },
  { value: "reversible", about: "Originals are kept and can be restored" },
  { value: "summary", about: "Old turns may be summarized" },
  { value: "drop", about: "Old turns may be left out" },
];
const NOTATIONS = [
  { value: "computed", about: "Tables, templates and references, with values that are computed" },
  { value: "plain", about: "Only notations that show each value as it was written" },
  { value: "none", about: "No notation" },
];
const TARGETS = ["anthropic", "openai", "openai_responses", "gemini", "neutral"];

/** Sizes of windows that the slider steps through. */
const STEPS = [1000, 1500, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000];

export function Controls({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const models = useResource((signal) => readAll((cursor) => get("/models", { query: cursor ? ({ cursor } as never) : ({} as never), signal }), 500), []);
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  const step = Math.max(STEPS.findIndex((size) => size >= settings.window), 0);
  return (
    <form class="controls" onSubmit={(event) => event.preventDefault()}>
      <Field label="Window" id="window" value={`${count(settings.window)} tokens`}>
        <input id="window" type="range" min={0} max={STEPS.length - 1} value={step} aria-valuetext={`${count(settings.window)} tokens`}
          onInput={(event) => {
            const window = STEPS[Number(event.currentTarget.value)] ?? settings.window;
            set({ window, reserve: Math.min(Math.round(window / 8), 4000) });
          }} />
      </Field>
      <Field label="Turns that stay word for word" id="recent" value={String(settings.recent)}>
        <input id="recent" type="range" min={0} max={12} value={settings.recent} onInput={(event) => set({ recent: Number(event.currentTarget.value) })} />
      </Field>
      <Options label="Level" name="level" options={LEVELS} value={settings.level} onChange={(level) => set({ level })} />
      <Options label="Notations" name="notations" options={NOTATIONS} value={settings.notations} onChange={(notations) => set({ notations })} />
      <div class="pair-of-fields">
        <label>Target
          <select value={settings.target} onChange={(event) => set({ target: event.currentTarget.value })}>
            {TARGETS.map((target) => <option key={target}>{target}</option>)}
          </select>
        </label>
        <label>Model
          <input list="models" value={settings.model} spellcheck={false} onInput={(event) => set({ model: event.currentTarget.value })} />
          <datalist id="models">{models.state.value.data?.items.map((model) => <option key={model.name} value={model.name} />)}</datalist>
        </label>
      </div>
    </form>
  );
}

function Field({ label, id, value, children }: { label: string; id: string; value: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{label} <output for={id}>{value}</output></label>
      {children}
    </div>
  );
}

function Options({ label, name, options, value, onChange }: {
  label: string;
  name: string;
  options: { value: string; about: string }[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <fieldset class="options">
      <legend>{label}</legend>
      <div>
        {options.map((option) => (
          <label key={option.value} title={option.about}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
            <span>{option.value}</span>
          </label>
        ))}
      </div>
      <p class="dim">{options.find((option) => option.value === value)?.about}</p>
    </fieldset>
  );
}
