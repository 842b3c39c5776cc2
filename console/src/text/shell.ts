// A request as a line for the shell.

import type { CompilationRecord } from "../api/schema.ts";

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that sends the record's request again, or reads the record if it does not have the request. */
export function curlOf(record: CompilationRecord, origin: string, needsKey: boolean): string {
  const key = needsKey ? ` \\\n  -H "authorization: Bearer $CONTEXTURE_KEY"` : "";
  if (record.request === undefined || record.request === null) {
    return `curl ${quoted(`${origin}/compilations/${record.id}`)}${key}`;
  }
  const body = quoted(JSON.stringify(record.request));
  return `curl ${quoted(`${origin}/compile`)}${key} \\\n  -H 'content-type: application/json' \\\n  -d ${body}`;
}
