import {
  type RememberedSubscription,
  rememberedSubscriptions,
} from "../../src/cli/service/subscription-memory.ts";
import { KEY, openService } from "../service/client/service.ts";
import { runCli, tempFolder } from "./fake-io.ts";

export const SECRET = "a secret that is long enough";
export const URL_1 = "http://127.0.0.1:4400/webhooks";
export const URL_2 = "http://127.0.0.1:4401/webhooks";
export const withKey = { HOOKPORTER_API_KEY: KEY };
export const withBoth = { ...withKey, HOOKPORTER_SECRET: SECRET };

/** A folder and a stand-in, and `subscribe` run in the folder against the stand-in. */
export async function openSubscribe(env: Record<string, string> = withBoth) {
  const service = await openService();
  const cwd = tempFolder();
  const subscribe = (...argv: string[]) =>
    runCli(["subscribe", "--base-url", service.url, "--json", ...argv], { cwd, env });
  return { service, cwd, subscribe };
}

/** The remembered subscriptions of a folder. */
export function remembered(cwd: string): readonly RememberedSubscription[] {
  return rememberedSubscriptions(cwd);
}
