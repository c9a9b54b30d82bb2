import { isLoopback } from "../../http/is-loopback.ts";
import type { Io } from "../io.ts";

/** The first versions of Node.js whose `fetch` can use a proxy from the environment. */
const PROXIES_SINCE: Readonly<Record<number, number>> = { 22: 21, 24: 0 };

/**
 * A line for a user whose proxy is not used, or `undefined`. Node's `fetch` ignores the usual variables unless it is told not
 * to, which Node 20 does not know at all. It never shows the proxy's address, which may contain a password.
 *
 * @param version - of Node.js, such as `20.19.0`
 */
export function proxyNotice(
  url: URL,
  { env }: Pick<Io, "env">,
  version: string = process.versions.node,
): string | undefined {
  const scheme = url.protocol.slice(0, -1);
  const names = [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase()];
  const name = names.find((one) => env[one]);
  if (name === undefined || isLoopback(url) || isExcepted(url, env.no_proxy || env.NO_PROXY || ""))
    return undefined;
  const able = canUseProxies(version);
  if (able && isTold(env)) return undefined;
  const fix = able ? "" : `use Node.js 22.21, 24 or newer (this is ${version}), and `;
  return (
    `warning: ${name} is set, but requests to ${url.host} do not go through a proxy: ` +
    `${fix}set NODE_USE_ENV_PROXY=1, or except the host with NO_PROXY`
  );
}

function canUseProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || minor >= (PROXIES_SINCE[major] ?? Number.POSITIVE_INFINITY);
}

function isTold({ NODE_USE_ENV_PROXY: variable, NODE_OPTIONS: options = "" }: Io["env"]): boolean {
  const flag = "--use-env-proxy";
  return variable === "1" || options.split(/\s+/).includes(flag) || process.execArgv.includes(flag);
}

/** Whether `NO_PROXY` names the host: as it is, or a domain of it that begins with a dot or `*.`, or everything. */
function isExcepted(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, host = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (host === "" || (only !== undefined && only !== port)) return false;
    const domain = host.replace(/^\*?\./, "");
    return domain === host ? url.hostname === host : url.hostname.endsWith(`.${domain}`);
  });
}
