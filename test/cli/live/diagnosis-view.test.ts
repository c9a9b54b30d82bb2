import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli, startCli, tempFolder } from "../fake-io.ts";

const secret = "a-secret-of-this-folder-0123";
const env = { HOOKPORTER_SECRET: secret };
const compact = '{"event":"payment.received","data":{"a":[1,2]}}';
const pretty = JSON.stringify(JSON.parse(compact), null, 2);

it("verify prints the cause, its meaning and its fix, and adds them to the record", async () => {
  const argv = ["verify", "--signature", signed(compact, secret)];
  const shown = await runCli(argv, { env, stdin: pretty });
  expect(shown.code).toBe(4);
  expect(shown.stdout).toMatch(
    /^invalid: signature_mismatch: .*\ncause: json_spacing: .*\(compact\)\nsigned: as JavaScript's `JSON.stringify`, .* prints it\nfix: .*\n$/,
  );
  const { records } = await runCli([...argv, "--json"], { env, stdin: pretty });
  expect(records).toMatchObject([
    {
      valid: false,
      reason: "signature_mismatch",
      cause: "json_spacing",
      fix: expect.any(String),
      causes: [{ code: "json_spacing", detail: "compact" }],
      otherwise: [],
      advice: [],
      complete: true,
      printedBy: expect.arrayContaining(["JavaScript's `JSON.stringify`"]),
    },
  ]);
});

it("verify says what to try, in order, if nothing explains the signature", async () => {
  const run = await runCli(["verify", "--signature", signed("x", "y".repeat(20))], {
    env,
    stdin: pretty,
  });
  expect(run.stdout).toMatch(
    /cause: unexplained: .*\nfix: .*\ntry 1: .*fingerprint [0-9a-f]{8}.*\ntry 2: .*\ntry 3: /,
  );
});

it.each([
  ["the env file", "OLD_SECRET in the env file"],
  ["the environment", "STAGING_SECRET in the environment"],
  ["the folder", ".hookporter/secret"],
])("verify names another secret that is set in %s, and never prints it", async (_, name) => {
  const cwd = tempFolder();
  const others: Record<string, string> = {
    "OLD_SECRET in the env file": "old-secret-old-secret-1",
    "STAGING_SECRET in the environment": "staging-secret-staging-2",
    ".hookporter/secret": "folder-secret-folder-3",
  };
  const [old, staging, folder] = Object.values(others);
  writeFileSync(join(cwd, ".env"), `OLD_SECRET=${old}\n`);
  mkdirSync(join(cwd, ".hookporter"));
  writeFileSync(join(cwd, ".hookporter", "secret"), `${folder}\n`, { mode: 0o600 });
  const options = { cwd, env: { ...env, STAGING_SECRET: String(staging) }, stdin: compact };
  const run = await runCli(
    ["verify", "--signature", signed(compact, String(others[name]))],
    options,
  );
  expect(run.stdout).toContain(`secret_other: `);
  expect(run.stdout).toContain(`(${name})`);
  for (const value of [...Object.values(others), secret])
    expect(run.stdout + run.stderr).not.toContain(value);
});

it("verify finds the signature of a saved delivery under another header name", async () => {
  const headers = { "x-hub-signature-256": signed(compact, secret) };
  const saved = { method: "POST", target: "/", receivedAt: 0, headers, body: Buffer.from(compact) };
  const run = await runCli(["verify", "--json"], { env, stdin: formatDelivery(saved) });
  expect(run.records).toMatchObject([
    { cause: "header_name", causes: [{ detail: "x-hub-signature-256" }] },
  ]);
});

it("verify hints that a file is a saved delivery, which contains its own signature", async () => {
  const saved = {
    method: "POST",
    target: "/",
    receivedAt: 0,
    headers: {},
    body: Buffer.from(compact),
  };
  const argv = ["verify", "--signature", signed(compact, secret)];
  expect((await runCli(argv, { env, stdin: formatDelivery(saved) })).stderr).toContain(
    "omit --signature",
  );
  expect((await runCli(argv, { env, stdin: pretty })).stderr).toBe("");
});

it("[case 10] listen shows the cause of a refused delivery in the live view, but not in its answer", async () => {
  const cwd = tempFolder();
  const listen = startCli(["listen", "--port", "0", "--json"], { cwd, env });
  const record = (type: string) => listen.now().records.filter((record) => record.type === type);
  await vi.waitFor(() => expect(record("ready")).toHaveLength(1), 10_000);
  const headers = { "x-service-signature": signed(compact, secret) };
  const answers = [];
  for (let count = 0; count < 7; count++)
    answers.push(
      await fetch(String(record("ready")[0]?.url), { method: "POST", headers, body: pretty }),
    );
  for (const answer of answers) {
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      error: { type: "unauthorized", message: "The signature is missing or not valid." },
    });
  }
  await vi.waitFor(() => expect(record("delivery")).toHaveLength(7), 10_000);
  listen.signal("SIGINT");
  const { stdout, stderr } = await listen.finished;
  const causes = record("delivery").map(
    ({ diagnosis }) => (diagnosis as { cause?: string }).cause ?? diagnosis,
  );
  expect(causes[0]).toBe("json_spacing");
  // A burst of one cause: only a busy machine leaves one out.
  expect(new Set(causes.filter((cause) => cause !== "left_out"))).toEqual(
    new Set(["json_spacing"]),
  );
  expect(stdout).not.toContain("payment.received");
  expect(stderr).not.toContain('"event"');
});
