import type { Server } from "node:http";
import type { Dialect } from "../load/request-file.ts";

/** How a contestant is started. */
export interface StartOptions {
  /** The inbox file, for those that have one. */
  readonly inbox: string;
  /** Whether entries are handled as they come, or wait behind a handler that is busy. */
  readonly handle: boolean;
}

/** A contestant that runs. */
export interface Running {
  readonly port: number;
  /** Entries kept, and entries whose handlers are done; for those that keep any. */
  readonly counts?: () => Promise<{ readonly kept: number; readonly done: number }>;
  readonly close: () => Promise<void>;
}

/** A way to receive webhooks. */
export interface Contestant {
  readonly dialect: Dialect;
  readonly start: (options: StartOptions) => Promise<Running>;
}

/** Lets a server listen on a free port of loopback; its end is the process's. */
export async function onLoopback(server: Server): Promise<Running> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("expected a port");
  return { port: address.port, close: async () => void server.close() };
}
