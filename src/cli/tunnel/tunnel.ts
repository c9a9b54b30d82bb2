import { join } from "node:path";
import { findPackageRoot } from "../../base/package/package-root.ts";
import { childOf, fixedAddress } from "../../relay/tunnel/tunnel-child.ts";
import type { CliContext } from "../context.ts";
import { childEnvironment } from "../secrets/child-environment.ts";
import { TUNNEL_KINDS } from "./kinds.ts";
import { HOST, SupervisedTunnel } from "./supervised-tunnel.ts";
import type { ReachableOptions } from "./tunnel-options.ts";
import { PUBLIC_URL } from "./view.ts";

/**
 * There is nothing to restart, so an address that led here once is waited for; a wrong one is
 * reported at once. Milliseconds.
 */
const KEPT = { arrival: 60_000, doubt: Number.POSITIVE_INFINITY, quiet: 0 };

/**
 * Plans the tunnel of `--tunnel` or `--public-url`; returns `undefined` without either. Throws
 * HookporterError for invalid tunnel settings.
 */
export function planTunnel(
  options: ReachableOptions,
  context: CliContext,
): SupervisedTunnel | undefined {
  const { tunnel: name, publicUrl } = options;
  if (name === undefined) {
    if (publicUrl === undefined) return undefined;
    const childTo = async () => fixedAddress(publicUrl.href); // the user maintains it
    return new SupervisedTunnel(
      { name: PUBLIC_URL, timing: KEPT, toMain: true, childTo },
      options,
      context,
    );
  }
  const { provider, settings: read, timing = {} } = TUNNEL_KINDS[name];
  const settings = read(options, context);
  const childTo = async (port: number) => {
    const { path: root } = await findPackageRoot();
    const env = childEnvironment(context.io, options);
    const target = { host: HOST, port };
    return childOf(join(root, "dist", "tunnel-child.js"), env, {
      type: "open",
      provider,
      settings,
      target,
    });
  };
  return new SupervisedTunnel({ name, timing, toMain: false, childTo }, options, context);
}
