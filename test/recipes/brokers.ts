import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../crash/child.ts";

/** A message as a consumer gets it. */
export interface Consumed {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** A broker that runs on this machine. */
export interface Broker {
  /** The environment of the recipe. */
  readonly env: NodeJS.ProcessEnv;
  /** All messages, oldest first. */
  readonly read: () => Promise<readonly Consumed[]>;
  readonly stop: () => Promise<void>;
}

/** A broker that a recipe is run with. */
export interface BrokerKind {
  /** The recipe's heading in docs/reference/hand-on.md. */
  readonly heading: string;
  readonly program: string;
  /** Starts it on a free port, with an empty folder. */
  readonly start: (folder: string) => Promise<Broker>;
}

export const BROKERS: readonly BrokerKind[] = [
  { heading: "Redis Streams", program: "redis-server", start: startRedis },
  { heading: "NATS JetStream", program: "nats-server", start: startNats },
];

/** Whether a broker's program is on this machine. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

// Packages are imported here only, since they may not be installed when the file is loaded.
async function startRedis(folder: string): Promise<Broker> {
  const { Redis } = await import("ioredis");
  const port = await freePort();
  const child = spawn(
    "redis-server",
    ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--save", ""],
    {
      stdio: "ignore",
    },
  );
  const url = `redis://127.0.0.1:${port}`;
  const redis = new Redis(url, { retryStrategy: () => 20 });
  redis.on("error", () => {}); // until it listens
  await redis.ping();
  return {
    env: { REDIS_URL: url },
    read: async () => {
      const entries = await redis.xrangeBuffer("events", "-", "+");
      return entries.map(([, [, id, , headers, , body]]) => consumed(id, headers, body));
    },
    stop: async () => {
      redis.disconnect();
      await end(child);
    },
  };
}

async function startNats(folder: string): Promise<Broker> {
  const { AckPolicy, jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const port = await freePort();
  const args = ["--addr", "127.0.0.1", "--port", `${port}`, "--jetstream", "--store_dir", folder];
  const child = spawn("nats-server", args, { stdio: "ignore" });
  const servers = `nats://127.0.0.1:${port}`;
  const connection = await connectTo(servers);
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: "events", subjects: ["events.>"] });
  await manager.consumers.add("events", { durable_name: "test", ack_policy: AckPolicy.None });
  return {
    env: { NATS_URL: servers },
    read: async () => {
      const consumer = await jetstream(connection).consumers.get("events");
      const { state } = await manager.streams.info("events");
      const all: Consumed[] = [];
      if (state.messages === 0) return all;
      for await (const { headers, data } of await consumer.fetch({
        max_messages: state.messages,
      })) {
        all.push(consumed(headers?.get("Nats-Msg-Id"), headers?.get("Delivery-Headers"), data));
      }
      return all;
    },
    stop: async () => {
      await connection.close();
      await end(child);
    },
  };
}

async function connectTo(servers: string) {
  const { connect } = await import("@nats-io/transport-node");
  for (;;) {
    try {
      return await connect({ servers });
    } catch {
      await delay(20); // until it listens
    }
  }
}

type Text = string | Uint8Array | undefined;

function consumed(id: Text, headers: Text, body: Uint8Array | undefined): Consumed {
  return { id: `${id}`, headers: JSON.parse(`${headers}`), body: Buffer.from(body ?? []) };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
