import { NewestMap } from "../../../base/newest-map.ts";
import type { LiveUpdate } from "../../api.ts";
import { ApiError } from "../api-error.ts";
import { client, type LiveListener } from "../client.ts";
import { apiFilter } from "../route.ts";
import { UnknownServerError } from "../session/connection.ts";
import { Lines } from "./lines.ts";

/**
 * `unknown`: another server, or one that does not know this tab, is on the port; `invalid`: the
 * filter is wrong.
 */
export type FeedState = "loading" | "live" | "offline" | "unknown" | "unauthorized" | "invalid";

/**
 * What the feed tells whatever the filter, also in a hidden tab: how many entries failed, and that
 * events began to differ.
 */
export type FeedCounts = Pick<LiveListener, "failed" | "drift">;

const FIRST_PAGE = 200;
const NEXT_PAGE = 5000;
/** Entries that a search reads before it asks whether to go on. */
export const SEARCHED_AT_ONCE = 100_000;
const MAX_CHANGES = 1000; // entries whose changes are counted, the latest to change
const RETRY = 1000; // milliseconds before a lost feed is reopened

/** The list of deliveries for one filter, kept up to date until it is closed. */
export class Feed {
  readonly lines = new Lines();
  state: FeedState = "loading";
  /** Why the list could not be loaded, if the filter is invalid. */
  failure: string | null = null;
  /** Increases with every change. */
  version = 0;
  /** The number of rows added at the top since the last query. */
  #added = 0;
  #loadingMore = false;
  /** The newest entry that was looked at, and down to which number a search may look by itself. */
  #newest = 0;
  #searchDownTo = 0;
  #loads = 0;
  readonly #changes = new NewestMap<string, number>(MAX_CHANGES);
  #held: HeldUpdates | undefined;
  #load: () => Promise<void> = async () => {};
  /** The filter as the page has it, and as the API takes it. */
  readonly filter: string;
  readonly #query: URLSearchParams;
  readonly #onChange: () => void;
  readonly #counts: FeedCounts;
  readonly #aborter = new AbortController();

  constructor(filter: string, onChange: () => void, counts: FeedCounts) {
    this.#counts = counts;
    this.filter = filter;
    this.#query = apiFilter(filter);
    this.#onChange = onChange;
    void this.#run();
  }

  /** Whether `listen` last said that nothing matches the filter. */
  get isEmpty(): boolean {
    const { isLoaded, count, next } = this.lines;
    const isShowing = this.state === "live" || this.state === "offline";
    return isShowing && isLoaded && count === 0 && next === null;
  }

  /**
   * Increases whenever an entry may have changed, whatever the filter and although the list is
   * paused.
   */
  changesOf(id: string): number {
    return this.#loads + (this.#changes.get(id) ?? 0);
  }

  /** The number of rows added at the top since the last call. */
  takeAdded(): number {
    const added = this.#added;
    this.#added = 0;
    return added;
  }

  get held(): number {
    return this.#held?.fresh.size ?? 0;
  }

  pause(isPaused: boolean): void {
    const held = this.#held;
    if (isPaused === (held !== undefined)) return;
    this.#held = isPaused ? nothingHeld() : undefined;
    if (held !== undefined && held.updates === undefined) void this.#load();
    for (const update of held?.updates ?? []) this.#added += this.lines.apply(update);
    this.#changed();
  }

  /**
   * How far a text has been searched; `undefined` if none is, or all of the past has been searched.
   */
  get search(): { readonly searched: number; readonly isPaused: boolean } | undefined {
    const { next } = this.lines;
    if (next === null || !this.#query.has("text") || this.state !== "live") return undefined;
    return { searched: this.#newest - next + 1, isPaused: next <= this.#searchDownTo };
  }

  searchOn(): void {
    this.#searchDownTo = (this.lines.next ?? 0) - SEARCHED_AT_ONCE;
    void this.loadMore();
  }

  async loadMore(): Promise<void> {
    const { next } = this.lines;
    if (next === null || this.#loadingMore || this.state === "loading") return;
    if (this.search?.isPaused === true) return;
    this.#loadingMore = true;
    try {
      const page = await client.entries(
        this.#with({ before: String(next), limit: String(NEXT_PAGE) }),
      );
      if (this.lines.next === next) this.lines.addPast(page.rows, page.next);
    } catch {
      // The feed reports that it is lost; scrolling on tries again.
    } finally {
      this.#loadingMore = false;
      this.#changed();
    }
  }

  close(): void {
    this.#aborter.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#aborter;
    while (!signal.aborted) {
      try {
        await client.follow(this.#query, this.#listener(), signal);
        this.#become("offline");
      } catch (thrown) {
        if (signal.aborted) return;
        const status = thrown instanceof ApiError ? thrown.status : 0;
        if (status === 400) this.failure = (thrown as ApiError).message;
        if (thrown instanceof UnknownServerError) this.#become("unknown");
        else this.#become(status === 401 ? "unauthorized" : status === 400 ? "invalid" : "offline");
        if (status === 401 || status === 400) return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }

  /**
   * Listens first, then loads, so that nothing is missed; rows received in between are applied
   * afterwards.
   */
  #listener() {
    const early: LiveUpdate[] = [];
    let loaded = false;
    const load = async () => {
      loaded = false;
      this.#loads++;
      try {
        const [page, refusals] = await Promise.all([
          client.entries(this.#with({ limit: String(FIRST_PAGE) })),
          client.refusals(this.#query),
        ]);
        this.#newest = page.newest;
        this.#searchDownTo = page.newest - SEARCHED_AT_ONCE;
        this.lines.reset(page.rows, page.next, refusals);
        for (const update of early.splice(0)) this.lines.apply(update);
        loaded = true;
        this.#become("live");
      } catch {
        this.#become("offline");
      }
    };
    this.#load = load;
    return {
      open: () => {
        // what is loaded now has all of it
        if (this.#held !== undefined) this.#held = nothingHeld();
        void load();
      },
      gap: () => {
        if (this.#held === undefined) void load();
        else this.#held.updates = undefined;
      },
      update: (update: LiveUpdate) => {
        this.#note(update);
        if (!loaded) early.push(update);
        else {
          if (this.#held === undefined) this.#added += this.lines.apply(update);
          else hold(this.#held, update, this.lines);
          this.#changed();
        }
      },
      ...this.#counts,
    };
  }

  #note({ rows = [], gone = [], refusals = [] }: LiveUpdate): void {
    for (const id of [...[...rows, ...refusals].map((row) => row.id), ...gone]) {
      const count = this.#changes.get(id);
      // so that no count falls
      if (count === undefined && this.#changes.size === MAX_CHANGES) this.#loads++;
      this.#changes.set(id, (count ?? 0) + 1);
    }
  }

  #with(more: Readonly<Record<string, string>>): URLSearchParams {
    return new URLSearchParams([...this.#query, ...Object.entries(more)]);
  }

  #become(state: FeedState): void {
    this.state = state;
    this.#changed();
  }

  #changed(): void {
    this.version++;
    this.#onChange();
  }
}

/** The most updates that are held; beyond them the list is loaded again instead. */
const MAX_HELD = 2000;

/** What arrives while the list is paused. */
interface HeldUpdates {
  /** In order; `undefined` once some were lost, so that the list must be loaded again. */
  updates: LiveUpdate[] | undefined;
  /** The rows that the list does not have yet. */
  readonly fresh: Set<string>;
}

function nothingHeld(): HeldUpdates {
  return { updates: [], fresh: new Set() };
}

function hold(held: HeldUpdates, update: LiveUpdate, lines: Lines): void {
  const { rows = [], refusals = [], gone = [] } = update;
  for (const { id } of [...rows, ...refusals]) if (lines.find(id) === undefined) held.fresh.add(id);
  for (const id of gone) held.fresh.delete(id);
  if (held.updates !== undefined && held.updates.length >= MAX_HELD) held.updates = undefined;
  else held.updates?.push(update);
}
