import { lookup } from "node:dns/promises";
import { shownUrl } from "../../base/text/shown-url.ts";
import { hostOf } from "../../http/host-of.ts";
import { probeTarget } from "../../relay/probe-target.ts";
import { isOwn } from "../listen/fitting-flags.ts";
import { isOutOfReach } from "../mcp/reach.ts";
import { proxyNotice } from "../service/client.ts";
import { database, tables } from "./database.ts";
import { disk } from "./disk.ts";
import { entries, processes } from "./entries.ts";
import { envFile } from "./env-file.ts";
import { type DoctorCheck, fail, notAsked, ok, splitFix, warn } from "./finding.ts";
import { handlers } from "./handlers.ts";
import { inboxContent } from "./inbox-content.ts";
import { inboxPlace } from "./inbox-place.ts";
import { ports } from "./ports.ts";
import { node, sqlite } from "./runtime.ts";
import { secret } from "./secrets.ts";
import { clock, service } from "./service.ts";
import { FILE_TIME } from "./setup.ts";
import { signatures } from "./signatures.ts";
import { subscription } from "./subscriptions.ts";
import { trust } from "./trust.ts";
import { tunnel } from "./tunnel.ts";

const VARIABLES = [
  "http_proxy",
  "HTTP_PROXY",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
];

/** Proxy variables, which most requests do not honour. */
const proxy: DoctorCheck = {
  name: "proxy",
  run: ({ options: { baseUrl }, context: { io } }) => {
    const set = VARIABLES.filter((name) => io.env[name]);
    if (set.length === 0) return [];
    const isKnown = baseUrl !== undefined && URL.canParse(baseUrl);
    const notice = isKnown ? proxyNotice(new URL(baseUrl), io) : undefined;
    if (notice === undefined)
      return [ok(`${set.join(", ")} set; forwards never go through a proxy`)];
    const [found = notice, fix = ""] = notice.split(/(?<=through a proxy): /, 2);
    return [warn(found, fix)];
  },
};

/** Milliseconds that a target may take to answer. */
const ANSWER = 3000;

/** Whether the targets of `--forward-to` answer. They get no delivery. */
const targets: DoctorCheck = {
  name: "target",
  run: async ({
    options: { forwardTo = [], insecure = false, port },
    isProject,
    context: { io },
  }) => {
    const urls = [...new Map(forwardTo.map(({ target }) => [target.href, target])).values()];
    // A project's server may be the target of its own listen.
    const isListen = (target: URL) => !isProject && isOwn(target, port);
    return Promise.all(
      urls.map((target) =>
        isOutOfReach(target, io)
          ? notAsked(shownUrl(target))
          : targetFinding(target, insecure, isListen(target)),
      ),
    );
  },
};

async function targetFinding(target: URL, insecure: boolean, isListen: boolean) {
  const shown = shownUrl(target);
  if (isListen)
    return fail(
      `${shown} is the address of listen itself`,
      "change --forward-to to the port of your app",
    );
  const probed = await probeTarget(target, { insecure, timeout: ANSWER });
  if ("status" in probed) return ok(`${shown} answers (${probed.status} to OPTIONS)`);
  const { message, fix = "start the app, or change --forward-to" } = splitFix(probed.why);
  return fail(`${shown}: ${message}`, fix);
}

/** Whether the name of `--public-url` leads anywhere. */
const address: DoctorCheck = {
  name: "address",
  run: async ({ options: { publicUrl }, context: { io } }) => {
    if (publicUrl === undefined) return [];
    if (isOutOfReach(publicUrl, io)) return [notAsked(shownUrl(publicUrl))];
    const { hostname } = publicUrl;
    try {
      await lookup(hostOf(publicUrl));
      return [ok(`${hostname} is known to the DNS`)];
    } catch {
      const found = `${hostname}, of --public-url, is not known to the DNS`;
      return [fail(found, "correct --public-url, or add a DNS entry")];
    }
  },
};

/**
 * What `listen` keeps beside the project's own inbox: one line, unless something is wrong with it.
 */
const ofListen: DoctorCheck = {
  name: "listen inbox",
  timeLimit: FILE_TIME + 5000,
  run: async ({ ofListen: setup }) => {
    if (setup === undefined) return [];
    const found = await Promise.all(
      [inboxPlace, inboxContent, entries].map(({ run }) => run(setup)),
    );
    const wrong = found.flat().filter(({ status }) => status !== "ok");
    return wrong.length > 0 ? wrong : found.flat().slice(0, 1);
  },
};

/** All checks, in the order in which they are shown. */
export const CHECKS: readonly DoctorCheck[] = [
  node,
  sqlite,
  secret,
  envFile,
  trust,
  inboxPlace,
  disk,
  inboxContent,
  database,
  tables,
  processes,
  entries,
  signatures,
  ofListen,
  ports,
  handlers,
  targets,
  tunnel,
  address,
  service,
  clock,
  subscription,
  proxy,
];
