import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSecrets } from "../../../src/signature/secrets.ts";
import { runCli } from "../fake-io.ts";
import { startReceiving } from "../fake-target.ts";
import { folderWith } from "../folder-with.ts";

const SECRET = "a secret of a subscription, 0123456789";
const OTHER = "another secret, for tests, 0123456789";
const EVENT =
  '{"event":"lead.created","timestamp":"2026-01-01T00:00:00Z","data":{},"webhook":{"id":"wh_1","url":"u"}}';

/** Every command that signs what the service did not send. */
const COMMANDS = [
  "trigger lead.created --url URL",
  "replay a.json --url URL",
  "sign a.json",
  "check URL --only KIND-01",
];

/** A folder in which a subscription was created. */
function folderOf(environment: "test" | "live"): string {
  const cwd = folderWith({ "a.json": EVENT });
  mkdirSync(join(cwd, ".hookporter"), { mode: 0o700 });
  const [secret] = readSecrets(SECRET, () => {});
  const subscription = {
    id: "wh_live_1",
    url: "https://receiver.test/webhooks",
    events: ["lead.created"],
    baseUrl: "https://api.test",
    environment,
    secretFingerprint: secret?.fingerprint,
    tunnel: null,
    createdAt: "2026-01-01T00:00:00.000Z",
  };
  const line = { format: "hookporter-subscription/1", change: "add", subscription };
  writeFileSync(join(cwd, ".hookporter", "subscriptions.ndjson"), `${JSON.stringify(line)}\n`);
  return cwd;
}

it.each(COMMANDS)(
  "%s warns of the secret of a live subscription, and of no other",
  async (line) => {
    const { url } = await startReceiving(200);
    const said = async (environment: "test" | "live", secret: string) => {
      const words = line.replace("URL", url).split(" ");
      const run = await runCli(words, {
        cwd: folderOf(environment),
        env: { HOOKPORTER_SECRET: secret },
      });
      expect(run.stderr).not.toContain(secret);
      return run.stderr;
    };
    expect(await said("live", SECRET)).toMatch(
      /^warning: HOOKPORTER_SECRET \([0-9a-f]{8}\) is the secret of a live subscription, wh_live_1: /m,
    );
    expect(await said("live", OTHER)).not.toContain("subscription");
    expect(await said("test", SECRET)).not.toContain("subscription");
  },
);
