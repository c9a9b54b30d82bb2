const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Days that normal silence is reckoned from, the one of the latest authentic delivery included. */
const DAYS = 14;
/** Events in those days before which nothing is normal yet. */
const ENOUGH_EVENTS = 20;
/** How many times the longest gap is still normal. */
const TIMES = 3;
/**
 * Different bodies with a signature that matches no secret, from which it is no single odd sender.
 */
export const ENOUGH_BODIES = 3;

/**
 * Deliveries since the latest authentic one whose signature is well formed and matches no secret.
 * Nothing of any request.
 */
export interface Mismatches {
  readonly count: number;
  /** How many different bodies they had; each process counts to 3, and a body once. */
  readonly bodies: number;
  /** When the first and the latest of them arrived. */
  readonly from: number;
  readonly to: number;
}

/** What one day (UTC) had. */
export interface SenderDay {
  /** Its number since 1970. */
  readonly day: number;
  readonly events: number;
  /**
   * The longest time in milliseconds between two authentic deliveries, of which the later came on
   * this day.
   */
  readonly longestGap: number;
}

/** What the receivers of a source know about its signatures. */
export interface SenderRecord {
  readonly source: string;
  /** When the latest delivery arrived whose signature matched; `undefined` before the first. */
  readonly authenticAt?: number | undefined;
  readonly mismatches?: Mismatches | undefined;
  /** At most the 14 up to the latest authentic delivery, oldest first. */
  readonly days: readonly SenderDay[];
}

/** What a receiver saw since it noted something last. */
export interface SenderNote extends Pick<SenderRecord, "source" | "days"> {
  /** When the first and the latest authentic delivery arrived. */
  readonly authentic?: { readonly first: number; readonly last: number } | undefined;
  /** Since the latest authentic one. */
  readonly mismatches?: Mismatches | undefined;
}

/** Adds what a receiver saw to what is known. Pure, so that all stores keep the same. */
export function addNote(
  known: SenderRecord,
  { authentic, mismatches, days }: SenderNote,
): SenderRecord {
  const before = known.authenticAt ?? Number.NEGATIVE_INFINITY;
  // A clock that was set back must not make the latest one wait for its time to come again.
  const isLater =
    authentic !== undefined && (authentic.last > before || before - authentic.last > HOUR);
  const authenticAt = isLater ? authentic.last : known.authenticAt;
  const earlier = isLater ? undefined : known.mismatches;
  const counts =
    mismatches !== undefined && mismatches.to >= (authenticAt ?? Number.NEGATIVE_INFINITY);
  return {
    source: known.source,
    authenticAt,
    mismatches: counts ? joined(earlier, mismatches) : earlier,
    days: authentic === undefined ? known.days : latestDays(known, days, authentic),
  };
}

function joined(a: Mismatches | undefined, b: Mismatches): Mismatches {
  if (a === undefined) return b;
  return {
    count: a.count + b.count,
    bodies: a.bodies + b.bodies,
    from: Math.min(a.from, b.from),
    to: Math.max(a.to, b.to),
  };
}

function latestDays(
  { days: known, authenticAt }: SenderRecord,
  days: readonly SenderDay[],
  { first, last }: NonNullable<SenderNote["authentic"]>,
): readonly SenderDay[] {
  const today = Math.floor(last / DAY);
  const since = Math.max(0, first - (authenticAt ?? first));
  const gap = { day: Math.floor(first / DAY), events: 0, longestGap: since };
  const byDay = new Map<number, SenderDay>();
  for (const { day, events, longestGap } of [...known, ...days, gap]) {
    if (day <= today - DAYS || day > today) continue; // later ones are of a clock that was ahead
    const same = byDay.get(day) ?? { events: 0, longestGap: 0 };
    const longest = Math.max(same.longestGap, longestGap);
    byDay.set(day, { day, events: same.events + events, longestGap: longest });
  }
  return [...byDay.values()].sort((a, b) => a.day - b.day);
}

/**
 * For how many milliseconds nothing may come from a source before that is unusual: 3 times the
 * longest gap of 14 days, at least an hour. `undefined` while fewer than 20 events have come in
 * those days.
 */
export function normalSilence({ days }: Pick<SenderRecord, "days">): number | undefined {
  if (days.reduce((sum, { events }) => sum + events, 0) < ENOUGH_EVENTS) return undefined;
  return Math.max(HOUR, TIMES * Math.max(...days.map(({ longestGap }) => longestGap)));
}

/** Whether nothing has come from a source for longer than is normal. */
export function isSilent(record: SenderRecord, now: number): boolean {
  const silence = normalSilence(record);
  return (
    record.authenticAt !== undefined && silence !== undefined && now - record.authenticAt > silence
  );
}

/**
 * Whether a source's deliveries are no longer authentic, as after its secret was changed: authentic
 * ones came before, at least 3 with different bodies have come since whose signature matches no
 * secret, and the normal silence is over. Strangers cannot bring that about while authentic ones
 * come.
 */
export function noAuthentic(record: SenderRecord, now: number): boolean {
  return isSilent(record, now) && (record.mismatches?.bodies ?? 0) >= ENOUGH_BODIES;
}
