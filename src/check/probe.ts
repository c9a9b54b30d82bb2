import { createHash, type KeyObject } from "node:crypto";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Envelope } from "../event/envelope.ts";
import { memberAt } from "../event/field-path.ts";
import { type EventKind, isEventKind } from "../event/kinds.ts";
import { sampleEvent } from "../event/sample.ts";
import { sign } from "../signature/sign.ts";
import type { ProbeAnswer } from "./answer.ts";
import type { PostOptions, ProbeExchange } from "./delivery.ts";
import { type DigestForm, PLAIN } from "./digest-forms.ts";
import type { Pace } from "./pace.ts";
import type { CountRuns } from "./run-counter.ts";
import { exchange, lengthOf } from "./wire.ts";

export interface ProbeOptions {
  readonly url: URL;
  readonly secret: KeyObject;
  readonly signatureHeader: string;
  /** Milliseconds per request. */
  readonly timeout: number;
  readonly clock: () => number;
  /** Part of every marker, so that two runs share no event. */
  readonly runName: string;
  /** Counts how often events ran, if that can be observed. */
  readonly countRuns?: CountRuns;
  readonly pace: Pace;
  /**
   * An event that the receiver accepts, in place of the sample. Only its `timestamp` changes, and
   * what `vary` names.
   */
  readonly event?: Envelope;
  /** The path of a field of `event` that every case changes, such as `data.id`. */
  readonly vary?: string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether any certificate will do. */
  readonly insecure?: boolean;
}

/** A larger body is not made again until its digest fits. */
export const SEARCHED_BYTES = 1024 * 1024;
/** 1 of 300 pairs of digests is plain, and as many digests begin with 00. */
const MOST_TRIES = 10_000;

/** The tools of one case: its own events, and exact requests. */
export class Probe {
  /** The `data.id` of the case's events. */
  readonly marker: string;
  /** All that was sent, in the order of the answers. */
  readonly exchanges: ProbeExchange[] = [];
  readonly secret: KeyObject;
  readonly url: URL;
  readonly signatureHeader: string;
  readonly #options: ProbeOptions;
  /** Part of the events, so that a case can make many of them. */
  #variation = 1;
  /** Milliseconds by which a given event is earlier, so that no two cases have the same. */
  readonly #earlier: number;
  #isSearching = false;

  constructor(caseId: string, options: ProbeOptions) {
    this.#options = options;
    this.secret = options.secret;
    this.url = options.url;
    this.signatureHeader = options.signatureHeader;
    this.#earlier = createHash("sha256").update(caseId).digest().readUInt16BE();
    const name = `prop_check_${options.runName}_${caseId.toLowerCase().replace("-", "_")}`;
    const { event, vary } = options;
    const isNumber =
      event !== undefined &&
      vary !== undefined &&
      typeof memberAt(event, vary.split(".")) === "number";
    this.marker = isNumber
      ? String(createHash("sha256").update(name).digest().readUInt32BE())
      : name;
  }

  /** The raw request target of the URL. */
  get target(): string {
    return this.url.pathname + this.url.search;
  }

  /** A timestamp this many milliseconds from now. */
  timestamp(offset = 0): string {
    return new Date(this.#options.clock() + offset).toISOString();
  }

  /**
   * This case's event, completely valid: the given one, or a sample of `property.created`, the only
   * kind whose `data` is described.
   */
  event(changes: Readonly<Record<string, unknown>> = {}): Envelope {
    const { event, vary, clock } = this.#options;
    if (event !== undefined) {
      const timestamp = new Date(clock() - this.#earlier - this.#variation).toISOString();
      return { ...varied({ ...event, timestamp }, vary, this.marker), ...changes };
    }
    const sample = sampleEvent("property.created", { timestamp: clock() });
    const own = { data: { ...sample.data, id: this.marker }, webhook: this.#webhook(sample) };
    return { ...sample, ...own, ...changes };
  }

  /** The bytes of this case's event. */
  body(changes?: Readonly<Record<string, unknown>>): Buffer {
    return this.untilDigest(() => Buffer.from(JSON.stringify(this.event(changes)), "utf8"));
  }

  /** The bytes of another event of this case than before, with digits in its digest that fit. */
  another(fits: DigestForm = PLAIN): Buffer {
    this.#variation++;
    return this.untilDigest(() => this.body(), fits);
  }

  /**
   * The bytes of this case's event with some fields of `data` changed, or, in a given event, added.
   */
  bodyWith(
    data: Readonly<Record<string, unknown>>,
    changes?: Readonly<Record<string, unknown>>,
  ): Buffer {
    const isGiven = this.#options.event !== undefined;
    const changed = isGiven
      ? Object.fromEntries(Object.entries(data).map(([name, value]) => [`check_${name}`, value]))
      : data;
    return this.body({ data: { ...this.event().data, ...changed }, ...changes });
  }

  /**
   * The bytes of an event of a kind: the sample of that kind with this case's marker, or the given
   * one with that kind.
   */
  bodyOf(kind: EventKind | string): Buffer {
    const { event, clock } = this.#options;
    if (!isEventKind(kind) || event !== undefined) return this.body({ event: kind });
    const sample = sampleEvent(kind, { timestamp: clock() });
    const prefix = String(sample.data.id).split("_")[0];
    const id = this.marker.replace(/^prop/, prefix ?? "prop");
    return this.untilDigest(() => {
      const event = { ...sample, data: { ...sample.data, id }, webhook: this.#webhook(sample) };
      return Buffer.from(JSON.stringify(event), "utf8");
    });
  }

  /**
   * Makes the same bodies with one `webhook.id`, or one timestamp, after another until the digits
   * of their digests fit. Without that, a receiver that mishandles some digits would fail at
   * random, and for reasons that the case does not know. Tries a body once if it is too large, and
   * gives up if neither changes it.
   */
  untilDigest<Made extends Buffer | readonly Buffer[]>(
    make: () => Made,
    fits: DigestForm = PLAIN,
  ): Made {
    if (this.#isSearching) return make();
    this.#isSearching = true;
    try {
      for (let tries = 1; ; tries++) {
        const made = make();
        const bodies: readonly Buffer[] = Buffer.isBuffer(made)
          ? [made]
          : (made as readonly Buffer[]);
        const isLarge = bodies.some(({ byteLength }) => byteLength > SEARCHED_BYTES);
        if (isLarge || tries >= MOST_TRIES) return made;
        if (bodies.every((body) => fits(this.digest(body)))) return made;
        this.#variation++;
      }
    } finally {
      this.#isSearching = false;
    }
  }

  #webhook({ webhook }: Envelope): Envelope["webhook"] {
    return { ...webhook, id: `wh_sample_${String(this.#variation).padStart(4, "0")}` };
  }

  /** The correct signature of some bytes. */
  sign(body: Uint8Array, secret: KeyObject | string = this.secret): string {
    return sign(body, secret);
  }

  /** The 64 digits of the correct signature. */
  digest(body: Uint8Array): string {
    return this.sign(body).slice("sha256=".length);
  }

  /** Sends one request: a delivery as the service would send it, except for the options. */
  async post(body: Uint8Array, options: PostOptions = {}): Promise<ProbeAnswer> {
    const { timeout, pace, headers: added, insecure = false } = this.#options;
    const { signature = this.sign(body), header = this.signatureHeader, parts = [body] } = options;
    const { method = "POST", target = this.target, chunked = false, trailers, agent } = options;
    const headers: Record<string, string | readonly string[] | null> = {
      "content-type": "application/json",
      "user-agent": "hookporter-check",
      ...added,
      ...(!chunked && { "content-length": String(lengthOf(parts)) }),
      ...(signature !== null && { [header]: signature }),
      ...options.headers,
    };
    const sent = Object.entries(headers).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as const],
    );
    await pace.turn();
    const answer = await exchange(this.url, {
      insecure,
      lag: () => pace.lag,
      method,
      target,
      headers: Object.fromEntries(sent),
      body: parts,
      timeout,
      trailers,
      agent,
    });
    this.exchanges.push({ body, options, answer });
    return answer;
  }

  /** Calls back with a connection that stays open between requests. */
  async onOneConnection<Result>(use: (agent: HttpAgent) => Promise<Result>): Promise<Result> {
    const Agent = this.url.protocol === "https:" ? HttpsAgent : HttpAgent;
    const { insecure = false } = this.#options;
    const trust = insecure ? { rejectUnauthorized: false } : {};
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ...trust });
    try {
      return await use(agent);
    } finally {
      agent.destroy();
    }
  }

  /** Whether {@link runs} can count. */
  get isObserved(): boolean {
    return this.#options.countRuns !== undefined;
  }

  /** As {@link runs}, once one of the events has run: whether another runs later is not seen. */
  ran(bodies: readonly Uint8Array[]): Promise<number> {
    return this.runs(bodies, 1, false);
  }

  /**
   * How often the events of these bodies ran, according to the observer, once the count has
   * settled.
   */
  async runs(bodies: readonly Uint8Array[], wanted: number, settles = true): Promise<number> {
    const { countRuns } = this.#options;
    if (countRuns === undefined)
      throw new TypeError("a case that observes was run without an observer");
    return countRuns({ marker: this.marker, bodies }, wanted, settles);
  }
}

/** A copy of an event whose field at a path is the marker. */
function varied(event: Envelope, path: string | undefined, marker: string): Envelope {
  if (path === undefined) return event;
  const copy = structuredClone(event);
  const steps = path.split(".");
  const parent = memberAt(copy, steps.slice(0, -1));
  const value = typeof memberAt(event, steps) === "number" ? Number(marker) : marker;
  Object.assign(parent as object, { [steps.at(-1) ?? ""]: value });
  return copy;
}
