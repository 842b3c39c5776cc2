// Lists that come in pages.

interface Page<Item> {
  items: Item[];
  next_cursor?: string | null;
}

/** Reads pages until there is none left, or `most` rows. `complete` is false if there were more. */
export async function readAll<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  most: number,
): Promise<{ items: Item[]; complete: boolean }> {
  return readUntil(read, () => false, most);
}

/** Reads pages until `isEnough` of the rows so far, or there is none left, or `most` rows. `complete` is false if there were more. */
export async function readUntil<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  isEnough: (items: Item[]) => boolean,
  most: number,
): Promise<{ items: Item[]; complete: boolean }> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
    if (cursor === undefined || items.length >= most || isEnough(items)) return { items, complete: cursor === undefined };
  }
}

/** Reads the rows that are newer than those that are known, of a list that is newest first. */
export async function readNew<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  known: Item[],
  idOf: (item: Item) => string,
  most: number,
): Promise<{ items: Item[]; complete: boolean }> {
  const newest = known[0] ? idOf(known[0]) : null;
  const fresh: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await read(cursor);
    const end = page.items.findIndex((item) => idOf(item) === newest);
    fresh.push(...(end < 0 ? page.items : page.items.slice(0, end)));
    cursor = page.next_cursor ?? undefined;
    if (end >= 0) return { items: [...fresh, ...known].slice(0, most), complete: false };
    if (cursor === undefined || fresh.length >= most) return { items: fresh, complete: cursor === undefined };
  }
}
