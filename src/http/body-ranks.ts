/** Bytes that count as progress: a body that drips is no better than one that stalls. */
const STEP = 16 * 1024;

/** Bodies below this many bytes are of the first size class; each further class has twice as many. */
const FIRST_CLASS = 4096;

/** A body whose bytes are held. */
export interface RankedBody {
  /** Bytes of memory it takes. */
  bytes: number;
  /** Bytes received since its last step. */
  sinceStep: number;
  /** When it made its last step. */
  steppedAt: number;
  /** Ends it to make room. */
  readonly end: () => void;
}

/**
 * Bodies in the order in which they are ended to make room: first the one that costs most without progress, in bytes ×
 * time since its last 16 KiB. They are kept by size class, each class in order of time, so that only the first of each
 * class has to be looked at.
 */
export class BodyRanks {
  #bytes = 0;
  readonly #classes: Set<RankedBody>[] = [];

  /** Bytes that all of them hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a body at a time, which counts as a step. */
  add(body: RankedBody, now: number): void {
    body.sinceStep = 0;
    body.steppedAt = now;
    const index = classOf(body.bytes);
    while (this.#classes.length <= index) this.#classes.push(new Set());
    this.#classes[index]?.add(body);
    this.#bytes += body.bytes;
  }

  /** Removes a body, if it is one of them. */
  remove(body: RankedBody): void {
    if (this.#classes[classOf(body.bytes)]?.delete(body) === true) this.#bytes -= body.bytes;
  }

  /** Counts bytes that one of them has received, and that it takes so much memory now. */
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

  /** The body other than this one that costs most without progress; of those that cost the same, the largest. */
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

/** What a body costs without progress. */
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
