import { expect, onTestFinished, vi } from "vitest";
import { type FakeIoOptions, startCli, tempFolder } from "../cli/fake-io.ts";
import { SECRET } from "../receiver/sample.ts";

/** An environment with the secret of the receivers under test. */
export const env = { HOOKPORTER_SECRET: SECRET };

/** `listen` on a free port, in a folder of its own; stopped with the test. */
export async function startListen(argv: readonly string[] = [], options: FakeIoOptions = {}) {
  const cwd = options.cwd ?? tempFolder();
  const listen = startCli(["listen", "--port", "0", ...argv], { env, ...options, cwd });
  const stop = async () => {
    listen.signal("SIGINT");
    return listen.finished;
  };
  onTestFinished(async () => void (await stop()));
  const url = await vi.waitFor(() => {
    const told = /listening on (\S+)/.exec(listen.now().stderr)?.[1];
    expect(told).toBeDefined();
    return new URL(told ?? "");
  }, 5000);
  return { ...listen, stop, url, cwd };
}

/** An envelope dated by the real clock, which the command line goes by. */
export function nowEnvelope(parts: object = {}) {
  return {
    event: "payment.received",
    timestamp: new Date().toISOString(),
    data: { id: crypto.randomUUID() },
    webhook: { id: "wh_1", url: "https://receiver.test/webhooks" },
    ...parts,
  };
}
