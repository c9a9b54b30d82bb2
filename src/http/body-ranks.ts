/** Bytes that count as progress, so that a body that trickles is treated like one that stalls. */
const STEP = 16 * 1024;
/** Bodies below this many bytes are in the first size class; the bound doubles with each class. */
const FIRST_CLASS = 4096;

export interface RankedBody {
  bytes: number;
  /** Bytes received since its last progress step. */
  sinceStep: number;
  /** Time of its last progress step. */
  steppedAt: number;
  readonly end: () => void;
}

/**
 * Ranks bodies by which to end first to make room: the one with the highest cost, in bytes × time since its last 16 KiB.
 * Bodies are grouped by size class and ordered by time in each, so only the first of each class has to be compared.
 */
export class BodyRanks {
  #bytes = 0;
  readonly #classes: Set<RankedBody>[] = [];

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a body; this counts as a progress step at `now`. */
  add(body: RankedBody, now: number): void {
    body.sinceStep = 0;
    body.steppedAt = now;
    const index = classOf(body.bytes);
    while (this.#classes.length <= index) this.#classes.push(new Set());
    this.#classes[index]?.add(body);
    this.#bytes += body.bytes;
  }

  remove(body: RankedBody): void {
    if (this.#classes[classOf(body.bytes)]?.delete(body) === true) this.#bytes -= body.bytes;
  }

  /** Counts bytes received by a body, and updates the memory it takes. */
  grow(body: RankedBody, received: number, bytes: number, now: number): void {
    body.sinceStep += received;
    if (body.sinceStep < STEP && classOf(bytes) === classOf(body.bytes)) {
      this.#bytes += bytes - body.bytes;
      body.bytes = bytes;
    } else {
      this.remove(body);
      body.bytes = bytes;
      this.add(body, now);
    }
  }

  /** The body with the highest cost, apart from `except`; the largest if several cost the same. */
  worst(now: number, except: RankedBody): RankedBody | undefined {
    let worst: RankedBody | undefined;
    for (const bodies of this.#classes) {
      const first = firstOf(bodies, except);
      if (first !== undefined && !(worst !== undefined && costOf(worst, now) > costOf(first, now)))
        worst = first;
    }
    return worst;
  }
}

/** The cost of holding a body that makes no progress. */
export function costOf({ bytes, steppedAt }: RankedBody, now: number): number {
  return bytes * (now - steppedAt);
}

function firstOf(bodies: ReadonlySet<RankedBody>, except: RankedBody): RankedBody | undefined {
  for (const body of bodies) if (body !== except) return body;
  return undefined;
}

function classOf(bytes: number): number {
  return 32 - Math.clz32(bytes / FIRST_CLASS);
}
