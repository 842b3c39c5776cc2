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
  const items: Item[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
    if (cursor === undefined || items.length >= most) return { items, complete: cursor === undefined };
  }
}
