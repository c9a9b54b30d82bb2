import type { Server } from "node:http";
import type { Dialect } from "../load/request-file.ts";

/** Options of a contestant. */
export interface StartOptions {
  /** The inbox file, or the URL of a database, for those that store anything. */
  readonly inbox: string;
  /** What handlers do, for those that run any: they are given the number of the body. */
  readonly ran: (index: number) => void | Promise<void>;
}

/** A running contestant. */
export interface Running {
  readonly port: number;
  /** Entries stored, and entries whose handlers are done, for contestants that store any. */
  readonly counts?: () => Promise<{ readonly kept: number; readonly done: number }>;
  readonly close: () => Promise<void>;
}

/** A way to receive webhooks. */
export interface Contestant {
  readonly dialect: Dialect;
  /**
   * Whether it runs a handler for all that it stores, so that a delivery counts when that is done.
   */
  readonly handles?: boolean;
  readonly start: (options: StartOptions) => Promise<Running>;
}

/** Makes a server listen on a free loopback port until the process ends. */
export async function onLoopback(server: Server): Promise<Running> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("expected a port");
  return { port: address.port, close: async () => void server.close() };
}
