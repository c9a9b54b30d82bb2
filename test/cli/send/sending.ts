import { SECRET } from "../../receiver/sample.ts";
import { type FakeIoOptions, runCli, startCli, tempFolder } from "../fake-io.ts";

/** The secret of the commands that send. */
export const env = { HOOKPORTER_SECRET: SECRET };

/** An envelope; omitted parts are the sample's. */
export function envelope(parts: object = {}): object {
  return {
    event: "payment.received",
    timestamp: "2026-01-01T00:00:00Z",
    data: { id: "pay_1" },
    webhook: { id: "wh_1", url: "u" },
    ...parts,
  };
}

/** Command lines that send from a folder to a target. */
export function sendingTo({ url }: { readonly url: string | URL }, cwd = tempFolder()) {
  const words = (line: string) => [...line.split(" "), "--url", String(url)];
  const run = (line: string, given: FakeIoOptions = {}) =>
    runCli(words(line), { cwd, env, ...given });
  const start = (line: string, given: FakeIoOptions = {}) =>
    startCli(words(line), { cwd, env, ...given });
  return { cwd, run, start };
}
