/** How a list of sendings is spread out. */
export interface ScheduleOptions {
  /** Sends each one so many times in all. Default 1. */
  readonly copies?: number;
  /** Mixes their order. */
  readonly shuffle?: boolean;
  /** At most so many a second; without it, one after another as fast as they are answered. */
  readonly rate?: number;
  /** Each one waits, in milliseconds, a time drawn from this range. */
  readonly delay?: readonly [number, number];
}

/** One sending and when it is due, in milliseconds from the start. */
export interface Scheduled<Item> {
  readonly item: Item;
  readonly at: number;
}

/** Spreads items over time: pure, so that a seed gives the same schedule again. */
export function schedule<Item>(
  items: readonly Item[],
  { copies = 1, shuffle = false, rate, delay }: ScheduleOptions,
  random: () => number,
): readonly Scheduled<Item>[] {
  const all = items.flatMap((item) => Array.from({ length: copies }, () => item));
  if (shuffle) mix(all, random);
  const gap = rate === undefined ? 0 : 1000 / rate;
  return all
    .map((item, index) => {
      const [low, high] = delay ?? [0, 0];
      return { item, at: Math.round(index * gap + low + random() * (high - low)) };
    })
    .sort((a, b) => a.at - b.at);
}

function mix<Item>(items: Item[], random: () => number): void {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [items[last], items[other]] = [items[other] as Item, items[last] as Item];
  }
}
