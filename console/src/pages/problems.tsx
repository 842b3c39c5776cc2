// Every kind of error, explained: the text that `GET /problems` has.

import { useMemo } from "preact/hooks";
import { getText } from "../api/client.ts";
import { count } from "../format.ts";
import { href, route } from "../state/route.ts";
import { useResource } from "../state/resource.ts";
import { useSearch } from "../state/search.ts";
import { PageHead } from "../ui/frame.tsx";
import { Markdown, sectionsOf } from "../ui/markdown.tsx";
import { Empty, Loaded } from "../ui/states.tsx";

export function Problems() {
  const text = useResource((signal) => getText("/problems", "text/markdown", signal), []);
  return (
    <>
      <PageHead title="Problems" about="Every kind of error that the API returns, and what to do about it. The code of an error leads here." />
      <Loaded of={text} rows={8}>{(markdown) => <List markdown={markdown} />}</Loaded>
    </>
  );
}

function List({ markdown }: { markdown: string }) {
  const wanted = useSearch(route.value.id ?? "");
  const sections = useMemo(() => sectionsOf(markdown), [markdown]);
  const chosen = route.value.id?.replaceAll("-", "_") ?? null;
  const found = sections.filter(({ title, body }) => {
    if (chosen !== null && wanted.value === route.value.id) return title === chosen;
    return wanted.value === "" || `${title}\n${body}`.toLowerCase().includes(wanted.value.toLowerCase());
  });
  return (
    <>
      <div class="filters">
        <input type="search" aria-label="Find a problem" placeholder="Find by code or words" value={wanted.value} onInput={(event) => wanted.set(event.currentTarget.value)} />
        <p class="dim" role="status">{count(found.length)} of {count(sections.length)}</p>
      </div>
      {found.length === 0 ? <Empty title="No problem is called so"><p><a href={href("problems")}>Show all problems</a></p></Empty> : (
        <div class="reference">
          {found.map(({ title, body }) => (
            <section key={title} class="card">
              <h2><a href={href("problems", title)}><code>{title}</code></a></h2>
              <Markdown text={body} />
            </section>
          ))}
        </div>
      )}
    </>
  );
}
