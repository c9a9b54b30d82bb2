/** Items by a key of each, in the order of the first of each key. */
export function grouped<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key) {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
