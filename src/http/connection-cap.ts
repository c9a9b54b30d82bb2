import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { invalid } from "../options/check-options.ts";

/**
 * The default of `maxConnections`. An idle connection takes about 10 kB, so this many take 40 MB; and each is an open
 * file, of which most systems allow a process more.
 */
export const MAX_CONNECTIONS = 4096;

/** A request that was sent fewer bytes in so many milliseconds makes no progress. */
const PROGRESS = 1024;
const STALLED_MS = 1000;

/** Connections that are found at a time, to be ended one by one: looking through all of them takes a millisecond. */
const FOUND_AT_A_TIME = 256;

/** Milliseconds before all of them are looked through again if there was none to end. */
const LOOK_AGAIN_MS = 20;

/** A connection, and what was last noted of it. */
interface Watched {
  readonly socket: Socket;
  /** When it was opened, began its latest request, or was seen to make progress; and the bytes it had sent by then. */
  at: number;
  bytes: number;
  /** The answer to its latest request, until it is written. */
  latest: ServerResponse | undefined;
}

/** A connection that may be ended, as it was found. */
interface Found {
  readonly watched: Watched;
  readonly at: number;
  /** Bytes it may have sent in all, and still be ended. */
  readonly most: number;
}

/**
 * Limits a server's connections by ending one to let a new one in: a limit that refuses would let whoever opens as many
 * shut everybody out. The one that has been idle for the longest time goes first; if none is idle, the one whose request
 * has made no progress for the longest time. Requests that go on are never cut off: then it is the new one that goes.
 *
 * A request only leaves a note; all else is found out when there are too many connections.
 */
export class ConnectionCap {
  readonly #most: number;
  readonly #now: () => number;
  readonly #watched = new Map<Socket, Watched>();
  /** Connections to end, the first last. */
  #found: Found[] = [];
  #lookAgainAt = 0;
  /** For all answers, so that a request needs no function of its own; its `this` is the answer that was written. */
  readonly #written: (this: ServerResponse) => void;

  /**
   * @param now - milliseconds that only go forward
   * @throws ConfigurationError `option_invalid`
   */
  constructor(most: number = MAX_CONNECTIONS, now: () => number = () => performance.now()) {
    if (most !== Number.POSITIVE_INFINITY && !(Number.isInteger(most) && most > 0)) {
      const fix = "pass such a number, or leave it out for the default";
      throw invalid("maxConnections to be a whole number from 1, or Infinity for no limit", most, fix);
    }
    this.#most = most;
    this.#now = now;
    const watched = this.#watched;
    this.#written = function () {
      const writer = watched.get(this.req.socket);
      if (writer?.latest === this) writer.latest = undefined;
    };
  }

  /** Watches the connections that a server accepts from now on. */
  watch(server: Server): void {
    server.on("connection", (socket) => this.#add(socket));
  }

  /** Notes a request by its answer, which is still to be written. */
  began(answer: ServerResponse): void {
    const watched = this.#watched.get(answer.req.socket);
    if (watched === undefined) return;
    watched.latest = answer;
    answer.on("close", this.#written);
    this.#note(watched);
  }

  #note(watched: Watched): void {
    watched.at = this.#now();
    watched.bytes = watched.socket.bytesRead;
  }

  #add(socket: Socket): void {
    const added = { socket, at: this.#now(), bytes: 0, latest: undefined };
    this.#watched.set(socket, added);
    socket.once("close", () => this.#watched.delete(socket));
    if (this.#watched.size <= this.#most) return;
    const leaving = this.#nextFound() ?? this.#findAgain(added) ?? added;
    this.#watched.delete(leaving.socket); // its close is told later
    leaving.socket.destroy();
  }

  /** Of those that were found, the first that has not gone on since. */
  #nextFound(): Watched | undefined {
    for (let next = this.#found.pop(); next !== undefined; next = this.#found.pop()) {
      const { watched, at, most } = next;
      if (watched.at === at && watched.socket.bytesRead <= most && this.#watched.has(watched.socket))
        return watched;
    }
    return undefined;
  }

  /** Looks through all: those that are silent between requests, then those that are slow with one; oldest first. */
  #findAgain(added: Watched): Watched | undefined {
    const now = this.#now();
    if (now < this.#lookAgainAt) return undefined;
    const silent: Found[] = [];
    const slow: Found[] = [];
    for (const watched of this.#watched.values()) {
      if (watched === added) continue;
      const { at, bytes, socket } = watched;
      const sent = socket.bytesRead - bytes;
      if (watched.latest === undefined) {
        if (sent === 0) silent.push({ watched, at, most: bytes });
        else slow.push({ watched, at, most: socket.bytesRead + PROGRESS });
      } else if (sent >= PROGRESS) this.#note(watched);
      else if (waitsForPeer(watched) && now - at >= STALLED_MS)
        slow.push({ watched, at, most: socket.bytesRead + PROGRESS });
    }
    this.#found = [...silent.sort(byAge), ...slow.sort(byAge)].slice(0, FOUND_AT_A_TIME).reverse();
    if (this.#found.length === 0) this.#lookAgainAt = now + LOOK_AGAIN_MS;
    return this.#nextFound();
  }
}

function byAge(one: Found, other: Found): number {
  return one.at - other.at;
}

/** Whether it is for its sender to go on: to send the rest of a request, or to read an answer. */
function waitsForPeer({ latest }: Watched): boolean {
  return latest !== undefined && (!latest.req.complete || latest.writableEnded);
}
