import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ContestantName } from "./contestants/all.ts";
import { FreshRequests } from "./load/fresh-requests.ts";
import type { LoadResult } from "./load/load.ts";
import { type Dialect, RequestFile, type Requests } from "./load/request-file.ts";
import { sendLoad } from "./load/send-load.ts";
import type { Build } from "./places.ts";
import type { Order, Used } from "./server/messages.ts";
import { type Server, startServer } from "./server/server.ts";

const HOUR = 3_600_000;

/**
 * Requests after which a server is warm, and the maximum number and length of loads for warming up.
 */
const WARM = 30_000;
const WARM_UP = { loads: 10, seconds: 0.4 };

/**
 * Bytes of a request file from which it is not kept for the next section: large inboxes need the
 * disk.
 */
const LARGE_FILE = 5e9;

/** The result of one round of one contestant. */
export interface Round {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time per request. */
  readonly cpu: number;
  /** The event loop's delay in milliseconds. */
  readonly lagP99: number;
  /** Megabytes. */
  readonly rss: number;
}

/** A round with all that its server's process used. */
export interface DetailedRound extends LoadResult, Round {
  /** Answers per second of the load, without the time until the last handler is done. */
  readonly received: number;
  readonly used: Used;
}

/** What is sent to a server: bytes per body, connections, and seconds, which may be fractional. */
export interface Sending {
  readonly size: number;
  readonly connections: number;
  readonly seconds: number;
}

/** What is sent to a server first; after `warm` requests it is warm. */
export interface WarmUp extends Omit<Sending, "seconds"> {
  readonly warm?: number;
}

/** Options of a stage. */
export interface StageOptions {
  /** The folder for inboxes and request files, while they are needed. */
  readonly folder: string;
  /** The Node executable that servers run on. */
  readonly node: string;
  /** Its flags for servers. */
  readonly nodeFlags?: readonly string[];
}

/** What has been sent to a server so far. */
interface Sent {
  /** By request file. */
  readonly fresh: Map<RequestFile, FreshRequests>;
  answered: number;
}

/** Starts servers, writes request files and sends loads; closes everything in the end. */
export class Stage {
  readonly folder: string;
  readonly node: string;
  readonly #nodeFlags: readonly string[];
  readonly #servers = new Map<Server, Sent>();
  readonly #files = new Map<string, RequestFile>();
  readonly #inboxes: string[] = [];

  constructor({ folder, node, nodeFlags = [] }: StageOptions) {
    this.#nodeFlags = nodeFlags;
    this.folder = folder;
    this.node = node;
    mkdirSync(folder, { recursive: true });
  }

  /** A new path, whose files are removed when the stage is cleared. */
  newInbox(): string {
    const path = join(this.folder, `inbox-${this.#inboxes.length + 1}.db`);
    this.#inboxes.push(path);
    return path;
  }

  /**
   * Starts a contestant, on a new inbox if none is named, and with the wrapping command if one is
   * given.
   */
  async server(
    name: ContestantName,
    {
      inbox = this.newInbox(),
      namesStatements = false,
      ranFile,
      within,
      build,
    }: Partial<Omit<Order, "name">> & {
      readonly within?: readonly string[];
      readonly build?: Build;
    } = {},
  ): Promise<Server> {
    const server = await startServer(
      { name, inbox, namesStatements, ranFile },
      { node: this.node, flags: this.#nodeFlags, within, build },
    );
    this.#servers.set(server, { fresh: new Map(), answered: 0 });
    return server;
  }

  /**
   * Sends a server new requests, and checks that all were answered 2xx, and stored if the server
   * stores any. If handlers run, the load ends when the last is done.
   */
  load(server: Server, sending: Sending): Promise<DetailedRound> {
    const sent = this.#sentTo(server);
    const requests = this.#file(sending.size, server.dialect);
    const fresh = sent.fresh.get(requests) ?? new FreshRequests(requests, sending.size);
    sent.fresh.set(requests, fresh);
    return fresh.send(sending, (file, first) =>
      this.#loadOnce(server, { ...sending, file, first }),
    );
  }

  async #loadOnce(
    server: Server,
    { file, first, connections, seconds }: Sending & { file: Requests; first: number },
  ): Promise<DetailedRound> {
    const before = await server.counts();
    await server.measure();
    const sent = await sendLoad({ port: server.port, file, first, connections, seconds });
    const result = { ...sent, seconds: sent.seconds + (await secondsUntilDone(server)) };
    const used = await server.measure();
    this.#sentTo(server).answered += result.answered;
    if (result.failed > 0)
      throw new Error(`${result.failed} of ${result.answered} requests failed`);
    const kept = (await server.counts()).kept - before.kept;
    // Requests in progress when the previous load ended may have been stored since.
    const keeps = before.kept > 0 || kept > 0;
    const allNew = first + result.sent <= file.count;
    if (keeps && allNew && (kept < result.answered || kept > result.sent + connections)) {
      throw new Error(
        `${result.answered} to ${result.sent} deliveries were sent, but ${kept} were stored`,
      );
    }
    const { p50, p99 } = result.latency;
    const perSecond = result.answered / result.seconds;
    const cpu = (used.cpu / result.answered) * 1e6;
    const received = sent.answered / sent.seconds;
    return {
      ...result,
      received,
      perSecond,
      p50,
      p99,
      cpu,
      lagP99: used.lagP99,
      rss: used.rss,
      used,
    };
  }

  /** Loads a server until its code is likely to be compiled, for at most a few seconds. */
  async warmUp(server: Server, { warm = WARM, ...load }: WarmUp): Promise<void> {
    const sent = this.#sentTo(server);
    for (let times = 0; times < WARM_UP.loads && sent.answered < warm; times++) {
      await this.load(server, { ...load, seconds: WARM_UP.seconds });
    }
  }

  /** Closes the servers that were started, and removes their inboxes and large request files. */
  async clear(): Promise<void> {
    const servers = [...this.#servers.keys()];
    this.#servers.clear();
    await Promise.all(servers.map((server) => server.close()));
    for (const path of this.#inboxes) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    }
    for (const [name, { path, bytes }] of this.#files) {
      if (bytes < LARGE_FILE) continue;
      rmSync(path, { force: true });
      this.#files.delete(name);
    }
  }

  #sentTo(server: Server): Sent {
    const sent = this.#servers.get(server);
    if (sent === undefined)
      throw new Error("expected a server that this stage started and did not close");
    return sent;
  }

  #file(size: number, dialect: Dialect): RequestFile {
    const name = `requests-${dialect}-${size}`;
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const file = new RequestFile(join(this.folder, name), {
      size,
      dialect,
      from: Date.now() - HOUR,
    });
    this.#files.set(name, file);
    return file;
  }
}

/** Waits until a server has handled all that it stored. */
async function secondsUntilDone(server: Server): Promise<number> {
  if (!server.handles) return 0;
  const start = performance.now();
  for (let now = await server.counts(); now.done < now.kept; now = await server.counts())
    await wait(5);
  return (performance.now() - start) / 1000;
}
