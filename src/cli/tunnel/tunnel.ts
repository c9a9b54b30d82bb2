import { join } from "node:path";
import { DEFAULT_PATH } from "../../default-endpoint.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { type RunningServer, startServer } from "../../receiver/server.ts";
import { findPackageRoot } from "../../scaffold/package-root.ts";
import { fixedAddress } from "../../tunnel/fixed-address.ts";
import { childOf } from "../../tunnel/tunnel-child.ts";
import type { CliContext } from "../context.ts";
import type { Stop } from "../end/stop.ts";
import type { Io } from "../io.ts";
import { TUNNEL_KINDS } from "./kinds.ts";
import type { ReachableOptions, TunnelName } from "./options.ts";
import { SupervisedTunnel } from "./supervised-tunnel.ts";
import { PUBLIC_URL } from "./view.ts";

/** A way from outside that was asked for. */
export interface PlannedTunnel {
  /** What the main server is to answer beside the endpoint: probes, where the way leads to it. */
  readonly alsoHere: ((target: string) => string | undefined) | undefined;
  /**
   * Opens it; resolves with the endpoint's public address once a probe came back through it. Calls `stop` when there is
   * no hope, then or later, and `moved` with each later address that is another one.
   */
  open(
    receiver: Pick<Receiver, "receive">,
    stop: (stop: Stop) => void,
    moved: (url: string) => void,
  ): Promise<string>;
  /** Whether deliveries come through it now. */
  readonly online: boolean;
  /** Closes it, if it was opened. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** There is nothing to start anew, so an address that led here once is waited for. Milliseconds. */
const KEPT = { arrival: 60_000, doubt: Number.POSITIVE_INFINITY };

/**
 * What `--tunnel` or `--public-url` ask for; `undefined` where neither is given.
 *
 * @throws HookporterError for whatever is wrong with the tunnel's settings
 */
export function planTunnel(options: ReachableOptions, context: CliContext): PlannedTunnel | undefined {
  const { tunnel, publicUrl } = options;
  if (tunnel !== undefined) return ownTunnel(tunnel, options, context);
  return publicUrl === undefined ? undefined : keptAddress(publicUrl, options, context);
}

/**
 * A tunnel leads to a server of its own, which has the endpoint and nothing else: whatever else this process comes to
 * listen on is not for the public.
 */
function ownTunnel(name: TunnelName, options: ReachableOptions, context: CliContext): PlannedTunnel {
  const { path = DEFAULT_PATH } = options;
  const { provider, settings: read, timing = {} } = TUNNEL_KINDS[name];
  const settings = read(options, context);
  const supervised = new SupervisedTunnel(path, context);
  let serving: Promise<RunningServer> | undefined;
  return {
    alsoHere: undefined,
    get online() {
      return supervised.online;
    },
    open: async (receiver, stop, moved) => {
      serving = startServer(receiver, { port: 0, host: HOST, path, also: supervised.answer });
      const { url } = await serving;
      const { path: root } = await findPackageRoot();
      const startChild = childOf({
        file: join(root, "dist", "tunnel-child.js"),
        env: childEnvironment(context.io, [...(options.secretEnv ?? []), options.apiKeyEnv ?? ""]),
        open: { type: "open", provider, settings, target: { host: HOST, port: Number(url.port) } },
      });
      return supervised.open({ name, startChild, timing }, stop, moved);
    },
    close: async () => {
      const server = await serving?.catch(() => undefined);
      await server?.close(); // first, so that answers under way still find their way out
      await supervised.close();
    },
  };
}

/** What a tunnel's process gets of the environment: the programs it starts need much of it, and secrets are not theirs. */
function childEnvironment({ env }: Io, secretEnv: readonly string[] = []): NodeJS.ProcessEnv {
  const secret = new Set(["NGROK_AUTHTOKEN", ...secretEnv]);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !secret.has(name) && !name.startsWith("HOOKPORTER_")),
  );
}

/** An address that somebody else keeps leads to the main server. */
function keptAddress(url: URL, options: ReachableOptions, context: CliContext): PlannedTunnel {
  const supervised = new SupervisedTunnel(options.path ?? DEFAULT_PATH, context);
  const way = { name: PUBLIC_URL, startChild: fixedAddress(url.href), timing: KEPT };
  return {
    alsoHere: supervised.answer,
    get online() {
      return supervised.online;
    },
    open: (_receiver, stop, moved) => supervised.open(way, stop, moved),
    close: () => supervised.close(),
  };
}
