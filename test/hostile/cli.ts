import { expect, onTestFinished, vi } from "vitest";
import { type FakeIoOptions, startCli, tempFolder } from "../cli/fake-io.ts";
import { SECRET } from "../receiver/sample.ts";

/** An environment with the secret that the tests sign with. */
export const env = { HOOKPORTER_SECRET: SECRET };

/** Starts `listen` on a free port in a temporary folder; stops it with the test. */
export async function startListen(argv: readonly string[] = [], options: FakeIoOptions = {}) {
  const cwd = options.cwd ?? tempFolder();
  const listen = startCli(["listen", "--port", "0", ...argv], { env, ...options, cwd });
  const stop = async () => {
    listen.signal("SIGINT");
    return listen.finished;
  };
  onTestFinished(async () => void (await stop()));
  const url = await vi.waitFor(() => {
    const address = /Endpoint +(\S+)/.exec(listen.now().stderr)?.[1];
    expect(address).toBeDefined();
    return new URL(address ?? "");
  }, 40_000);
  return { ...listen, stop, url, cwd };
}

/** An envelope with the current time, since the command line uses the real clock. */
export function nowEnvelope(parts: object = {}) {
  return {
    event: "payment.received",
    timestamp: new Date().toISOString(),
    data: { id: crypto.randomUUID() },
    webhook: { id: "wh_1", url: "https://receiver.test/webhooks" },
    ...parts,
  };
}
