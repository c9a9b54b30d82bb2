export interface ScheduleOptions {
  /** How many times to send each one. Default 1. */
  readonly copies?: number;
  readonly shuffle?: boolean;
  /** Maximum number per second; without it, each is sent when the previous one is answered. */
  readonly rate?: number;
  /** Each one waits a random time from this range, in milliseconds. */
  readonly delay?: readonly [number, number];
}

/** A sending, and when it is due, in milliseconds after the start. */
export interface Scheduled<Item> {
  readonly item: Item;
  readonly at: number;
}

/** Spreads items over time. Pure, so that a seed repeats a schedule. */
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
