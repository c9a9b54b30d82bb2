import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ContestantName } from "./contestants/all.ts";
import type { LoadResult } from "./load/load.ts";
import { type Dialect, type RequestFile, writeRequestFile } from "./load/request-file.ts";
import { sendLoad } from "./load/send-load.ts";
import { type Server, startServer } from "./server/server.ts";

const HOUR = 3_600_000;

/** Requests in a file: more than any contestant answers in a few seconds, so that nothing kept is sent twice. */
const FILE_BYTES = 400 * 1024 * 1024;
const MAX_REQUESTS = 1_000_000;

/** Requests after which a server is warm, and seconds that warming up takes at most. */
const WARM = 20_000;
const MAX_WARM_UP = 4;

/** What one round of one contestant gave. */
export interface Round {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time for each request. */
  readonly cpu: number;
  /** Milliseconds that the event loop was late. */
  readonly lagP99: number;
  /** Megabytes. */
  readonly rss: number;
}

/** Where servers are started, request files written and loads sent; closes all of it in the end. */
export class Stage {
  readonly folder: string;
  readonly #profiles: string | undefined;
  readonly #servers: Server[] = [];
  readonly #files = new Map<string, RequestFile>();
  readonly #next = new Map<Server, Map<RequestFile, number>>();
  readonly #answered = new Map<Server, number>();
  #inboxes = 0;

  constructor(folder: string, profiles: string | undefined) {
    this.folder = folder;
    this.#profiles = profiles;
    mkdirSync(folder, { recursive: true });
  }

  /** A path where nothing is yet. */
  newInbox(): string {
    return join(this.folder, `inbox-${++this.#inboxes}.db`);
  }

  /** Starts a contestant; on a new inbox, where none is named. */
  async server(
    name: ContestantName,
    { inbox = this.newInbox(), handle = false }: { inbox?: string; handle?: boolean } = {},
  ): Promise<Server> {
    const server = await startServer({ name, inbox, handle }, this.#profiles);
    this.#servers.push(server);
    return server;
  }

  /** Sends a server requests it has not seen before, and checks that all were answered well, and kept if it keeps any. */
  async load(
    server: Server,
    { size, connections, seconds }: { size: number; connections: number; seconds: number },
  ): Promise<LoadResult & Round> {
    const file = this.#file(size, server.dialect);
    const positions = this.#next.get(server) ?? new Map<RequestFile, number>();
    this.#next.set(server, positions);
    const first = positions.get(file) ?? 0;
    const before = await server.counts();
    await server.measure();
    const result = await sendLoad({ port: server.port, file, first, connections, seconds });
    const used = await server.measure();
    positions.set(file, first + result.sent);
    this.#answered.set(server, (this.#answered.get(server) ?? 0) + result.answered);
    if (result.failed > 0) throw new Error(`${result.failed} of ${result.answered} requests failed`);
    const kept = (await server.counts()).kept - before.kept;
    // What was under way when the load before this one ended may be kept since.
    const keeps = before.kept > 0 || kept > 0;
    if (keeps && (kept < result.answered || kept > result.sent + connections)) {
      throw new Error(`${result.answered} to ${result.sent} deliveries were sent, ${kept} are kept`);
    }
    const { p50, p99 } = result.latency;
    const cpu = (used.cpu / result.answered) * 1e6;
    const perSecond = result.answered / result.seconds;
    return { ...result, ...{ perSecond, p50, p99, cpu, lagP99: used.lagP99, rss: used.rss } };
  }

  /** Loads a server until it has answered enough for its code to be compiled, for a few seconds at most. */
  async warmUp(server: Server, load: { size: number; connections: number }): Promise<void> {
    for (let second = 0; second < MAX_WARM_UP && (this.#answered.get(server) ?? 0) < WARM; second++) {
      await this.load(server, { ...load, seconds: 1 });
    }
  }

  /** Closes the servers that were started. */
  async clear(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.close()));
    this.#next.clear();
    this.#answered.clear();
  }

  #file(size: number, dialect: Dialect): RequestFile {
    const name = `requests-${dialect}-${size}`;
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const count = Math.min(MAX_REQUESTS, Math.floor(FILE_BYTES / (size + 200)));
    const from = Date.now() - HOUR;
    const file = writeRequestFile(join(this.folder, name), { size, count, from, dialect });
    this.#files.set(name, file);
    return file;
  }
}
