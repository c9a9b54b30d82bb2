import type { Socket } from "node:net";
import { ConfigurationError } from "../../base/errors.ts";
import { findPackage, requirePackage } from "../../base/package/own-address.ts";
import { unref } from "../../base/stand-ins.ts";
import { TYPES } from "./column-types.ts";
import { EncryptedIfOffered, namedSocket, saysEncryption } from "./encryption.ts";
import type { PostgresTerms } from "./postgres-options.ts";
import { nameOf, readPostgresUrl } from "./postgres-url.ts";
import { connectionName } from "./runners.ts";
import {
  databaseSession,
  type PostgresPool,
  type PostgresSession,
  poolSession,
} from "./session.ts";

/** Milliseconds to wait for a connection, and for what is asked on the one that listens. */
const CONNECT_TIMEOUT = 5000;

/**
 * A session on what the options name. Loads `pg` only for a URL.
 *
 * @param onPlain - called once, with the address, if nothing says that connections need no
 *   encryption, and one to another machine of a private network has none
 */
export async function connect(
  terms: PostgresTerms,
  onPlain: (address: string) => void = () => {},
): Promise<PostgresSession> {
  const { connection, connections, name, listenUrl, runner } = terms;
  if (typeof connection !== "string") {
    return "transaction" in connection ? databaseSession(connection) : poolSession(connection);
  }
  const { Pool, Client, defaults } = await loadClient(name);
  const application_name = runner === undefined ? "hookporter" : connectionName(runner);
  const common = { connectionTimeoutMillis: CONNECT_TIMEOUT, keepAlive: true, application_name };
  let isPlain = false;
  const notePlain = (address: string) => {
    if (!isPlain) onPlain(address);
    isPlain = true;
  };
  const socketsTo = (url: string) => {
    const read = readPostgresUrl(url);
    // the app may have set the client's default
    return new Sockets(() =>
      saysEncryption(read) || defaults.ssl
        ? namedSocket()
        : new EncryptedIfOffered(nameOf(read), notePlain),
    );
  };
  const pooled = socketsTo(connection);
  const pool = new Pool({
    connectionString: connection,
    stream: () => pooled.create(),
    max: connections,
    idleTimeoutMillis: 60_000,
    ...common,
  });
  // An idle connection that is lost is no failure: the next statement opens another.
  pool.on("error", () => {});
  const listen: PostgresSession["listen"] = async (channel, heard, lost) => {
    const sockets = socketsTo(listenUrl ?? connection);
    const client = new Client({
      connectionString: listenUrl ?? connection,
      stream: () => sockets.create(),
      ...common,
      // a server that hangs must not hold up close(), which waits for these
      query_timeout: CONNECT_TIMEOUT,
    });
    client.on("notification", ({ payload }) => heard(payload ?? ""));
    client.on("error", () => {}); // the end follows
    try {
      await client.connect();
      await client.query(`LISTEN "${channel}"`);
    } catch (thrown) {
      await sockets.close(() => client.end()).catch(() => {});
      throw thrown;
    }
    client.once("end", lost);
    return {
      stop: () => sockets.close(() => client.end()),
      query: async (text, values = []) =>
        (await client.query({ text, values: [...values], types: TYPES })).rows,
    };
  };
  return { ...poolSession(pool as PostgresPool, () => pooled.close(() => pool.end())), listen };
}

type Client = Pick<typeof import("pg"), "Pool" | "Client" | "defaults">;

async function loadClient(name: string): Promise<Client> {
  try {
    const { default: client } = await import("pg");
    return client;
  } catch (cause) {
    const found = findPackage("pg");
    if (found !== undefined) return requirePackage(found) as Client;
    throw new ConfigurationError(
      "inbox_client_missing",
      `expected the package pg to be installed for the inbox ${name}, got none: run npm i pg`,
      { cause },
    );
  }
}

/** Milliseconds to wait until the server closes a connection that has said goodbye. */
const GOODBYE = 1000;

type Stream = Socket | EncryptedIfOffered;

export class Sockets {
  readonly #open = new Set<Stream>();
  readonly #make: () => Stream;

  constructor(make: () => Stream = () => namedSocket()) {
    this.#make = make;
  }

  /** A new one, for the client's option `stream`. */
  create(): Stream {
    const socket = this.#make();
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    return socket;
  }

  /**
   * Closes connections in order, and destroys those that are still open after a second. The client
   * would wait for ever for a server that hangs, or for an end that was lost on the way.
   */
  async close(inOrder: () => Promise<void>): Promise<void> {
    // Not cleared, since a pool does not wait for its idle connections; open sockets keep the
    // process alive until then.
    unref(
      setTimeout(() => {
        for (const socket of this.#open) socket.destroy();
      }, GOODBYE),
    );
    await inOrder();
  }
}
