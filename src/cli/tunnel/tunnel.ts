import { join } from "node:path";
import { DEFAULT_PATH } from "../../http/default-endpoint.ts";
import { findPackageRoot } from "../../package/package-root.ts";
import { type RunningServer, startServer } from "../../receiver/adapters/server.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import { childOf, fixedAddress } from "../../tunnel/tunnel-child.ts";
import type { CliContext } from "../context.ts";
import type { Stop } from "../end/stop.ts";
import { childEnvironment } from "../secrets/child-environment.ts";
import { TUNNEL_KINDS } from "./kinds.ts";
import type { ReachableOptions, TunnelName } from "./options.ts";
import { SupervisedTunnel } from "./supervised-tunnel.ts";
import { PUBLIC_URL } from "./view.ts";

export interface PlannedTunnel {
  /** What the main server answers besides the endpoint: probes, if the address leads to it. */
  readonly alsoHere: ((target: string) => string | undefined) | undefined;
  /**
   * Opens it; resolves with the endpoint's public address once a probe has arrived through it. Calls `stop` on a permanent
   * failure, now or later, and `moved` when the address changes.
   */
  open(
    receiver: Pick<Receiver, "receive">,
    stop: (stop: Stop) => void,
    moved: (url: string) => void,
  ): Promise<string>;
  /** Whether deliveries can arrive through it now. */
  readonly online: boolean;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** There is nothing to restart, so an address that led here once is waited for; a wrong one is reported at once. Milliseconds. */
const KEPT = { arrival: 60_000, doubt: Number.POSITIVE_INFINITY, quiet: 0 };

/**
 * Plans the tunnel of `--tunnel` or `--public-url`; returns `undefined` without either. Throws HookporterError for
 * invalid tunnel settings.
 */
export function planTunnel(options: ReachableOptions, context: CliContext): PlannedTunnel | undefined {
  const { tunnel, publicUrl } = options;
  if (tunnel !== undefined) return ownTunnel(tunnel, options, context);
  return publicUrl === undefined ? undefined : keptAddress(publicUrl, options, context);
}

/**
 * A tunnel leads to a separate server that serves only the endpoint, so that nothing else in this process can become
 * public.
 */
function ownTunnel(name: TunnelName, options: ReachableOptions, context: CliContext): PlannedTunnel {
  const { path = DEFAULT_PATH } = options;
  const { provider, settings: read, timing = {} } = TUNNEL_KINDS[name];
  const settings = read(options, context);
  const supervised = new SupervisedTunnel(options, context);
  let serving: Promise<RunningServer> | undefined;
  return {
    alsoHere: undefined,
    get online() {
      return supervised.online;
    },
    open: async (receiver, stop, moved) => {
      const receive: Receiver["receive"] = (...given) => {
        supervised.arrived(); // only the tunnel leads to this server
        return receiver.receive(...given);
      };
      serving = startServer({ receive }, { port: 0, host: HOST, path, also: supervised.answer });
      const { url } = await serving;
      const { path: root } = await findPackageRoot();
      const env = childEnvironment(context.io, [
        ...(options.secretEnv ?? []),
        ...(options.withheldEnv ?? []),
      ]);
      const target = { host: HOST, port: Number(url.port) };
      const file = join(root, "dist", "tunnel-child.js");
      const startChild = childOf(file, env, { type: "open", provider, settings, target });
      return supervised.open({ name, startChild, timing }, stop, moved);
    },
    close: async () => {
      const server = await serving?.catch(() => undefined);
      await server?.close(); // first, so that answers in progress can still leave through the tunnel
      await supervised.close();
    },
  };
}

/** An address that the user maintains leads to the main server. */
function keptAddress(url: URL, options: ReachableOptions, context: CliContext): PlannedTunnel {
  const supervised = new SupervisedTunnel(options, context);
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
