import type { Delivery } from "../event/delivery.ts";
import { type DedupKey, REJECTED } from "../event/identity.ts";
import type { Appended, NewEntry } from "./append.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { ClaimedEntry, ClaimRequest, DueRequest } from "./claim.ts";
import { type CountFilter, type Counts, noCounts } from "./counts.ts";
import type { Entry } from "./entry.ts";
import type { EntryFilter } from "./entry-filter.ts";
import { entryState } from "./entry-state.ts";
import type { BacklogRequest, Inbox } from "./inbox.ts";
import type { Progress } from "./inside.ts";
import { leaseToken } from "./lease.ts";
import { dueEntries } from "./memory/due.ts";
import { matchesFilter } from "./memory/filter.ts";
import { insideTest, type TestTransactions } from "./memory/inside.ts";
import { Senders } from "./memory/senders.ts";
import { settleStored } from "./memory/settle.ts";
import {
  copyOf,
  isOf,
  isTaken,
  isWaiting,
  keyText,
  newEntry,
  type Stored,
  toClaimed,
} from "./memory/stored.ts";
import { type EntryOutline, type OutlineRequest, toOutlines } from "./outline.ts";
import type { PruneRequest, SlimRequest, Step, StepResult } from "./prune-request.ts";
import { awaitsHandler } from "./runner.ts";
import type { Settlement } from "./settlement.ts";
import { DROPPED, type TargetCount } from "./target-wait.ts";

/**
 * An inbox in memory, for tests and for trying things out. It is gone when the process ends, so it keeps none of the
 * promises about crashes.
 *
 * @param transactions - makes transactions for handlers. Default: there are none.
 */
export function memoryInbox(transactions?: TestTransactions): Inbox {
  return new MemoryInbox(transactions);
}

class MemoryInbox implements Inbox {
  readonly #entries = new Map<number, Stored>();
  readonly #byKey = new Map<string, Stored>();
  #seq = 0;
  /** By source: events dated at or before this may have been pruned. */
  readonly #prunedUntil = new Map<string, number>();

  readonly #senders = new Senders();
  readonly senders = this.#senders.all;
  readonly recordSender = this.#senders.record;

  readonly inside?: NonNullable<Inbox["inside"]>;

  constructor(transactions: TestTransactions | undefined) {
    if (transactions === undefined) return;
    const isLeased = ({ seq, lease }: Settlement | Progress) => this.#entries.get(seq)?.lease === lease;
    const store = (result: Settlement | Progress, now: number) => this.#store(result, now);
    this.inside = (work, terms) => insideTest(transactions, work, terms, { isLeased, store });
  }

  async open(): Promise<void> {}

  async append(next: NewEntry): Promise<Appended | undefined> {
    const known = this.#count(next.key, next.delivery.receivedAt);
    if (known !== undefined) return known;
    const dated = next.eventTimestamp ?? next.delivery.receivedAt;
    const prunedUntil = this.#prunedUntil.get(next.key.source) ?? Number.NEGATIVE_INFINITY;
    if (dated <= prunedUntil && next.state === "pending" && next.afterPruning !== true) return undefined;
    const isBehind = next.lease !== undefined && this.#isHeldBack({ ...next, seq: this.#seq + 1 }, false);
    const lease = isBehind ? undefined : next.lease;
    const stored: Stored = {
      entry: newEntry(++this.#seq, { ...next, lease }),
      lease: lease?.token ?? null,
      delivery: copyOf(next.delivery),
      records: [],
    };
    this.#entries.set(stored.entry.seq, stored);
    this.#byKey.set(keyText(next.key), stored);
    return { seq: stored.entry.seq, duplicate: false, state: next.state, leased: lease !== undefined };
  }

  async touch(key: DedupKey, at: number): Promise<Appended | undefined> {
    return this.#count(key, at);
  }

  #count(key: DedupKey, at: number): Appended | undefined {
    const stored = this.#byKey.get(keyText(key));
    if (stored === undefined) return undefined;
    const { entry } = stored;
    stored.entry = { ...entry, duplicates: entry.duplicates + 1, lastSeenAt: Math.max(entry.lastSeenAt, at) };
    return { seq: entry.seq, duplicate: true, state: entry.state };
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimedEntry[]> {
    const { now, limit, leaseTime, ahead = 0, except = [], deadBlocks = false, runner } = request;
    const due = dueEntries([...this.#entries.values()], request);
    const claimed: ClaimedEntry[] = [];
    for (const stored of due) {
      const { entry } = stored;
      if (claimed.length >= limit + ahead) break;
      if (claimed.length >= limit && entry.attempts > 0) continue;
      if (except.includes(entry.seq)) continue;
      if (entry.state === "running" && entry.reason === DROPPED) {
        // It was dropped while it ran in a process that has died.
        stored.lease = null;
        stored.entry = { ...entry, state: "dead", settledAt: now };
        continue;
      }
      if (this.#isHeldBack(entry, deadBlocks)) continue;
      stored.lease = leaseToken(runner);
      stored.entry = { ...entry, state: "running", runAt: now + leaseTime, attempts: entry.attempts + 1 };
      claimed.push(toClaimed(stored, entry.runAt));
    }
    return claimed;
  }

  /** Whether an earlier entry of the same order key has to end first. */
  #isHeldBack({ seq, key, orderKey }: Pick<Entry, "seq" | "key" | "orderKey">, deadBlocks: boolean): boolean {
    if (orderKey === null) return false;
    return [...this.#entries.values()].some(
      ({ entry: other }) =>
        other.orderKey === orderKey &&
        other.key.source === key.source &&
        other.seq < seq &&
        (isWaiting(other) || (deadBlocks && other.state === "dead" && other.reason !== DROPPED)),
    );
  }

  async renew(leases: readonly { seq: number; lease: string }[], until: number): Promise<readonly number[]> {
    return leases.flatMap(({ seq, lease }) => {
      const stored = this.#entries.get(seq);
      if (stored === undefined || stored.lease !== lease) return [seq];
      stored.entry = { ...stored.entry, runAt: until };
      return [];
    });
  }

  async settle(settlement: Settlement, now: number): Promise<boolean> {
    return this.#store(settlement, now);
  }

  #store(settlement: Settlement | Progress, now: number): boolean {
    const stored = this.#entries.get(settlement.seq);
    return stored !== undefined && settleStored(stored, settlement, now);
  }

  async nextRunAt({
    except = [],
    deadBlocks = false,
    sources,
    exceptKinds = [],
  }: DueRequest = {}): Promise<number | undefined> {
    const waiting = [...this.#entries.values()]
      .filter(({ entry }) => isWaiting(entry) && isOf(entry, sources) && !except.includes(entry.seq))
      .filter(({ entry }) => isTaken(entry, exceptKinds))
      .filter(({ entry }) => !this.#isHeldBack(entry, deadBlocks));
    return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ entry }) => entry.runAt));
  }

  async retry(filter: EntryFilter, now: number): Promise<number> {
    const fresh = { reason: null, problems: [], runAt: now, attempts: 0, settledAt: null, waits: [] };
    return this.#change(filter, ({ state }) =>
      state === "dead" || state === "unhandled" ? { ...fresh, state: "pending" } : undefined,
    );
  }

  async reschedule(filter: EntryFilter, runAt: number): Promise<number> {
    return this.#change(filter, ({ state }) => (state === "pending" ? { runAt } : undefined));
  }

  async hasten(filter: Pick<EntryFilter, "sources" | "kinds">, now: number): Promise<number> {
    return this.#change(filter, ({ state, reason, runAt }) => {
      const waits = state === "pending" && awaitsHandler(reason) && runAt > now;
      return waits ? { runAt: now, reason: null } : undefined;
    });
  }

  async backlog({ sources, limit }: BacklogRequest): Promise<number> {
    const waiting = [...this.#entries.values()].filter(
      ({ entry }) => isWaiting(entry) && isOf(entry, sources),
    );
    return Math.min(limit, waiting.length);
  }

  async drop(filter: EntryFilter, now: number): Promise<number> {
    return this.#change(filter, ({ state, reason, settledAt }) => {
      if (state === "done" || reason === DROPPED) return undefined;
      if (state === "running") return { reason: DROPPED };
      return { state: "dead", reason: DROPPED, settledAt: settledAt ?? now };
    });
  }

  /** Changes the entries that match a filter and for which `change` returns something; returns how many. */
  #change({ limit, ...rest }: EntryFilter, change: (entry: Entry) => Partial<Entry> | undefined): number {
    const changes = [...this.#entries.values()].flatMap((stored) => {
      const matches = matchesFilter(stored.entry, rest, stored);
      const parts = matches ? change(stored.entry) : undefined;
      return parts === undefined ? [] : [{ stored, parts }];
    });
    const chosen = limit === undefined ? changes : changes.slice(-limit);
    for (const { stored, parts } of chosen) stored.entry = { ...stored.entry, ...parts };
    return chosen.length;
  }

  async waiting({ sources }: Pick<EntryFilter, "sources"> = {}): Promise<readonly TargetCount[]> {
    const counts = new Map<string, number>();
    for (const { entry } of this.#entries.values()) {
      if (!isWaiting(entry) || !isOf(entry, sources)) continue;
      for (const { target, over } of entry.waits) {
        if (over === null) counts.set(target, (counts.get(target) ?? 0) + 1);
      }
    }
    const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([target, entries]) => ({ target, entries }));
  }

  async list(filter: EntryFilter): Promise<readonly Entry[]> {
    const { after = 0, before = Number.POSITIVE_INFINITY } = filter;
    const found: Entry[] = [];
    // Only this part is looked at, since a search reads a large inbox in parts.
    for (let seq = after + 1; seq < Math.min(before, this.#seq + 1); seq++) {
      const stored = this.#entries.get(seq);
      if (stored !== undefined && matchesFilter(stored.entry, filter, stored)) found.push(stored.entry);
    }
    return filter.limit === undefined ? found : found.slice(-filter.limit);
  }

  async outlines(request: OutlineRequest): Promise<readonly EntryOutline[]> {
    const stored = request.entries.flatMap(({ seq }) => this.#entries.get(seq) ?? []);
    const runs = stored.flatMap(({ entry, records }) =>
      records.map((record) => [entry.seq, { ...record, at: record.failure?.at ?? null }] as const),
    );
    const starts = stored.flatMap(({ entry: { seq }, delivery }) =>
      delivery === undefined ? [] : [[seq, delivery.body.slice(0, request.bodyBytes)] as const],
    );
    return toOutlines(request, runs, new Map(starts));
  }

  async prune({ states, receivedUntil, datedUntil, sources }: PruneRequest, step: Step): Promise<StepResult> {
    return this.#step(step, ({ entry }) => {
      if (!isOf(entry, sources)) return false;
      const neverRan = entry.key.timestamp === REJECTED;
      const dated = neverRan ? entry.receivedAt : (entry.eventTimestamp ?? entry.receivedAt);
      const ended = states.some((state) => state === entry.state);
      if (!ended || entry.receivedAt > receivedUntil || dated > datedUntil || entry.seq === this.#seq)
        return false;
      const { source } = entry.key;
      const until = this.#prunedUntil.get(source) ?? Number.NEGATIVE_INFINITY;
      if (!neverRan) this.#prunedUntil.set(source, Math.max(until, dated));
      this.#byKey.delete(keyText(entry.key));
      return this.#entries.delete(entry.seq);
    });
  }

  async slim({ settledUntil, sources }: SlimRequest, step: Step): Promise<StepResult> {
    return this.#step(step, (stored) => {
      if (!isOf(stored.entry, sources)) return false;
      const { state, settledAt } = stored.entry;
      if (stored.delivery === undefined || state !== "done" || settledAt === null || settledAt > settledUntil)
        return false;
      stored.delivery = undefined;
      return true;
    });
  }

  #step({ cursor = "0", limit }: Step, change: (stored: Stored) => boolean): StepResult {
    const rest = [...this.#entries.values()].filter(({ entry }) => entry.seq > Number(cursor));
    const looked = rest.slice(0, limit);
    const changed = looked.filter(change).length;
    return { changed, next: looked.length < rest.length ? String(looked.at(-1)?.entry.seq) : undefined };
  }

  async delivery(seq: number): Promise<Delivery | undefined> {
    const delivery = this.#entries.get(seq)?.delivery;
    return delivery === undefined ? undefined : copyOf(delivery);
  }

  async attempts(seq: number): Promise<readonly AttemptRecord[]> {
    return [...(this.#entries.get(seq)?.records ?? [])];
  }

  async counts(filter: CountFilter = {}): Promise<Counts> {
    const counts = noCounts();
    for (const { entry } of this.#entries.values()) {
      if (!matchesFilter(entry, filter)) continue;
      counts[entry.state]++;
      if (entryState(entry) === "failing") counts.failing++;
      if (entry.state === "dead" && entry.reason === DROPPED) counts.dropped = (counts.dropped ?? 0) + 1;
    }
    return counts;
  }

  async close(): Promise<void> {}
}
