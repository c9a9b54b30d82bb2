import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { invalid } from "../base/options/check-options.ts";

/**
 * The default of `maxConnections`. An idle connection takes about 10 kB, so 4096 take 40 MB. Each
 * is an open file, and most systems allow a process more than that.
 */
export const MAX_CONNECTIONS = 4096;
/**
 * A request that receives fewer than PROGRESS bytes in STALLED_MS milliseconds makes no progress.
 */
const PROGRESS = 1024;
/**
 * Short, so that in a burst of slow requests the oldest are ended rather than the newest
 * connection.
 */
const STALLED_MS = 250;
/**
 * Candidates collected per scan, to be ended one by one: scanning all connections takes a
 * millisecond.
 */
const FOUND_AT_A_TIME = 256;
const LOOK_AGAIN_MS = 20; // milliseconds until the next scan if one finds no candidate

interface WatchedSocket {
  readonly socket: Socket;
  /**
   * When it was opened, started its latest request or was seen to make progress, and the bytes it
   * had sent by then.
   */
  at: number;
  bytes: number;
  /** The answer to its latest request, until it is written. */
  latest: ServerResponse | undefined;
}

/** A candidate to be ended, as of the scan. */
interface Suspect {
  readonly watched: WatchedSocket;
  readonly at: number;
  /** If it has sent more bytes than this in total, it is no longer a candidate. */
  readonly most: number;
}

/**
 * Limits a server's connections by ending one to admit a new one: if new ones were refused, a
 * client that opens enough of them could lock out all others. The connection that has been idle
 * longest is ended first; if none is idle, the one whose request has gone longest without progress.
 * Requests that make progress are never cut off: if all do, the new one is ended.
 *
 * To keep requests cheap, each only records its start; the rest is worked out when there are too
 * many connections.
 */
export class ConnectionCap {
  readonly #most: number;
  readonly #now: () => number;
  readonly #watched = new Map<Socket, WatchedSocket>();
  /** Connections to end, in reverse order. */
  #found: Suspect[] = [];
  #lookAgainAt = 0;
  /**
   * Shared by all answers, to save a closure per request; `this` is the answer that was written.
   */
  readonly #written: (this: ServerResponse) => void;

  /** @throws ConfigurationError `option_invalid` */
  constructor(most: number = MAX_CONNECTIONS, now: () => number = () => performance.now()) {
    if (most !== Number.POSITIVE_INFINITY && !(Number.isInteger(most) && most > 0)) {
      const fix = "pass such a number, or leave it out for the default";
      throw invalid(
        "maxConnections to be a whole number from 1, or Infinity for no limit",
        most,
        fix,
      );
    }
    this.#most = most;
    this.#now = now;
    const watched = this.#watched;
    this.#written = function () {
      const writer = watched.get(this.req.socket);
      if (writer?.latest === this) writer.latest = undefined;
    };
  }

  watch(server: Server): void {
    server.on("connection", (socket) => this.#add(socket));
  }

  /** Records the start of a request, given its unwritten answer. */
  began(answer: ServerResponse): void {
    const watched = this.#watched.get(answer.req.socket);
    if (watched === undefined) return;
    watched.latest = answer;
    answer.on("close", this.#written);
    this.#note(watched);
  }

  #note(watched: WatchedSocket): void {
    watched.at = this.#now();
    watched.bytes = watched.socket.bytesRead;
  }

  #add(socket: Socket): void {
    const added = { socket, at: this.#now(), bytes: 0, latest: undefined };
    this.#watched.set(socket, added);
    socket.once("close", () => this.#watched.delete(socket));
    if (this.#watched.size <= this.#most) return;
    const leaving = this.#nextFound() ?? this.#findAgain(added) ?? added;
    this.#watched.delete(leaving.socket); // its "close" event comes later
    leaving.socket.destroy();
  }

  /** The first candidate that has made no progress since the scan. */
  #nextFound(): WatchedSocket | undefined {
    for (let next = this.#found.pop(); next !== undefined; next = this.#found.pop()) {
      const { watched, at, most } = next;
      if (
        watched.at === at &&
        watched.socket.bytesRead <= most &&
        this.#watched.has(watched.socket)
      )
        return watched;
    }
    return undefined;
  }

  /**
   * Scans all connections: first those idle between requests, then those with a slow request, then
   * those that have just begun: silent ones, whose request may not have been read yet, before those
   * with a part of it. Oldest first.
   */
  #findAgain(added: WatchedSocket): WatchedSocket | undefined {
    const now = this.#now();
    if (now < this.#lookAgainAt) return undefined;
    const silent: Suspect[] = [];
    const slow: Suspect[] = [];
    const fresh: Suspect[] = [];
    const begun: Suspect[] = [];
    for (const watched of this.#watched.values()) {
      if (watched === added) continue;
      const { at, bytes, socket, latest } = watched;
      const sent = socket.bytesRead - bytes;
      const hasWaited = now - at >= STALLED_MS;
      const isUnread = bytes === 0;
      if (latest === undefined && sent === 0) {
        (isUnread && !hasWaited ? fresh : silent).push({ watched, at, most: bytes });
      } else if (latest !== undefined && sent >= PROGRESS) {
        this.#note(watched);
      } else if (latest === undefined || (hasWaited && waitsForPeer(latest))) {
        (hasWaited ? slow : begun).push({ watched, at, most: socket.bytesRead + PROGRESS });
      }
    }
    const found = [silent, slow, fresh, begun].flatMap((some) => some.sort(byAge));
    this.#found = found.slice(0, FOUND_AT_A_TIME).reverse();
    if (this.#found.length === 0) this.#lookAgainAt = now + LOOK_AGAIN_MS;
    return this.#nextFound();
  }
}

function byAge(a: Suspect, b: Suspect): number {
  return a.at - b.at;
}

/** Whether the next step is the sender's: to send the rest of a request, or to read an answer. */
function waitsForPeer({ req, writableEnded }: ServerResponse): boolean {
  return !req.complete || writableEnded;
}
