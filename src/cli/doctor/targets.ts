import { probeTarget } from "../../relay/probe-target.ts";
import { shownUrl } from "../../text/shown-url.ts";
import { type Check, type Finding, fail, ok, splitFix } from "./finding.ts";

/** Milliseconds that a target may take to answer. */
const ANSWER = 3000;

/** Whether the targets of `--forward-to` answer. They get no delivery. */
export const targets: Check = {
  name: "target",
  run: async ({ options: { forwardTo = [], insecure = false } }) => {
    const urls = [...new Map(forwardTo.map(({ target }) => [target.href, target])).values()];
    return Promise.all(urls.map((target) => targetFinding(target, insecure)));
  },
};

async function targetFinding(target: URL, insecure: boolean): Promise<Finding> {
  const shown = shownUrl(target);
  const probed = await probeTarget(target, { insecure, timeoutMs: ANSWER });
  if ("status" in probed) return ok(`${shown} answers (${probed.status} to OPTIONS)`);
  const { message, fix = "start the app, or change --forward-to" } = splitFix(probed.why);
  return fail(`${shown}: ${message}`, fix);
}
