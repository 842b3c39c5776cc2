// Markdown as the server's pages of problems use it: headings, paragraphs, lists, code. Text stays text.

import type { ComponentChildren } from "preact";

/** The parts of a text under headings of the second level. */
export function sectionsOf(text: string): { title: string; body: string }[] {
  return text.split(/^## /m).slice(1).map((part) => {
    const end = part.indexOf("\n");
    return { title: part.slice(0, end < 0 ? part.length : end).trim(), body: end < 0 ? "" : part.slice(end + 1).trim() };
  });
}

function inline(text: string): ComponentChildren[] {
  return text.split(/(`[^`]*`|\[[^\]]*\]\([^)]*\)|\*\*[^*]*\*\*)/).map((piece, at) => {
    if (piece.startsWith("`")) return <code key={at}>{piece.slice(1, -1)}</code>;
    if (piece.startsWith("**")) return <b key={at}>{piece.slice(2, -2)}</b>;
    // Links of the documentation lead to files that are not on this server: their words are enough.
    if (piece.startsWith("[")) return piece.slice(1, piece.indexOf("]"));
    return piece;
  });
}

/** A sentence of the server, whose names are between back-ticks. */
export function Sentence({ text }: { text: string }) {
  return <>{text.split(/(`[^`\n]*`)/).map((piece, at) => (piece.length > 2 && piece.startsWith("`") ? <code key={at}>{piece.slice(1, -1)}</code> : piece))}</>;
}

export function Markdown({ text }: { text: string }) {
  const blocks = text.split(/^```.*$/m);
  return (
    <div class="markdown">
      {blocks.map((block, at) => at % 2 === 1 ? <pre key={at} tabIndex={0}>{block.trim()}</pre> : block.split(/\n\n+/).filter((part) => part.trim() !== "").map((part, line) => {
        const rows = part.trim().split("\n");
        if (rows.every((row) => /^([-*] |\s{2,})/.test(row))) {
          return <ul key={`${at}.${line}`}>{part.trim().split(/^[-*] /m).filter(Boolean).map((row, item) => <li key={item}>{inline(row.trim())}</li>)}</ul>;
        }
        return <p key={`${at}.${line}`}>{inline(part.trim())}</p>;
      }))}
    </div>
  );
}
