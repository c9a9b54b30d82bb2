// What is used of these packages, which are installed only when these tests run. ioredis is
// declared in tools/bench/peers/types.d.ts.
declare module "@nats-io/jetstream" {
  import type { NatsConnection } from "@nats-io/transport-node";

  export const AckPolicy: { readonly None: "none" };
  export interface Message {
    readonly headers?: { get(name: string): string };
    readonly data: Uint8Array;
  }
  export function jetstream(connection: NatsConnection): {
    readonly consumers: {
      get(stream: string): Promise<{
        fetch(options: { readonly max_messages: number }): Promise<AsyncIterable<Message>>;
      }>;
    };
  };
  export function jetstreamManager(connection: NatsConnection): Promise<{
    readonly streams: {
      add(options: object): Promise<unknown>;
      info(stream: string): Promise<{ readonly state: { readonly messages: number } }>;
    };
    readonly consumers: { add(stream: string, options: object): Promise<unknown> };
  }>;
}

declare module "@nats-io/transport-node" {
  export interface NatsConnection {
    close(): Promise<void>;
  }
  export function connect(options: { readonly servers: string }): Promise<NatsConnection>;
}

declare module "kysely" {
  import type { Pool } from "pg";

  export interface Transaction {
    executeQuery(query: object): Promise<{ rows: unknown[]; numAffectedRows?: bigint }>;
  }
  export class PostgresDialect {
    constructor(options: { readonly pool: Pool });
  }
  export class Kysely {
    constructor(options: { readonly dialect: PostgresDialect });
    transaction(): { execute<R>(run: (trx: Transaction) => Promise<R>): Promise<R> };
    destroy(): Promise<void>;
  }
}
