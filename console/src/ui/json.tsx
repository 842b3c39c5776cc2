// JSON as text, with its keys marked; long values are folded line by line by the reader's own scroll.

import { useMemo } from "preact/hooks";

const MAX_CHARS = 400_000;

export function JsonText({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "null", [value]);
  const shown = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text;
  return (
    <figure class="json">
      <figcaption>
        {label} <CopyButton text={text} label="Copy" />
      </figcaption>
      <pre tabIndex={0}>{shown}{text.length > MAX_CHARS && "\n…"}</pre>
    </figure>
  );
}

export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const copy = (event: MouseEvent) => {
    const button = event.currentTarget as HTMLButtonElement;
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => {
        button.dataset["done"] = "Copied";
        setTimeout(() => delete button.dataset["done"], 1500);
      },
      () => {
        button.dataset["done"] = "The browser does not allow it";
      },
    );
  };
  return <button type="button" class="copy" onClick={copy} aria-live="polite">{label}</button>;
}
