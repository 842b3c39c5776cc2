// JSON as text, with its keys marked; long values are folded line by line by the reader's own scroll.

import { useMemo } from "preact/hooks";

const MAX_CHARS = 400_000;
/** A long text is laid out in chunks, of which the browser skips those that are not in view. */
const CHUNK_CHARS = 6000;
const LINE_PX = 19.5;

/** The text in chunks that end with a line. */
function chunksOf(text: string): { text: string; lines: number }[] {
  const chunks: { text: string; lines: number }[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + CHUNK_CHARS >= text.length ? -1 : text.indexOf("\n", from + CHUNK_CHARS);
    const chunk = text.slice(from, end < 0 ? text.length : end + 1);
    chunks.push({ text: chunk, lines: chunk.split("\n").length - 1 });
    from += chunk.length;
  }
  return chunks;
}

export function JsonText({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "null", [value]);
  const chunks = useMemo(() => chunksOf(text.slice(0, MAX_CHARS)), [text]);
  return (
    <figure class="json">
      <figcaption>
        {label} <CopyButton text={text} label="Copy" />
      </figcaption>
      <pre tabIndex={0}>
        {chunks.map((chunk, at) => <span key={at} class="chunk" style={{ containIntrinsicHeight: `auto ${Math.max(chunk.lines, 1) * LINE_PX}px` }}>{chunk.text}</span>)}
        {text.length > MAX_CHARS && "\n…"}
      </pre>
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
