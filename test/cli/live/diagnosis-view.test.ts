import { expect, it, vi } from "vitest";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { savedDelivery } from "../../relay/sample.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";
import { listening } from "../open-listen.ts";

const secret = "a-secret-of-this-folder-0123";
const env = { HOOKPORTER_SECRET: secret };
const compact = '{"event":"payment.received","data":{"a":[1,2]}}';
const pretty = JSON.stringify(JSON.parse(compact), null, 2);

/** Verifies a body against the signature of a text. */
const verify = (signature: string, stdin: string, ...more: string[]) =>
  runCli(["verify", "--signature", signature, ...more], { env, stdin });

it("verify prints the cause, its meaning and its fix, and adds them to the record", async () => {
  const shown = await verify(signed(compact, secret), pretty);
  expect(shown.code).toBe(4);
  expect(shown.stdout).toMatch(
    /^invalid: signature_mismatch: .*\ncause: json_spacing: .*\(compact\)\nsigned: as JavaScript's `JSON.stringify`, .* prints it\nfix: .*\n$/,
  );
  const { records } = await verify(signed(compact, secret), pretty, "--json");
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
  expect((await verify(signed("x", "y".repeat(20)), pretty)).stdout).toMatch(
    /cause: unexplained: .*\nfix: .*\ntry 1: .*fingerprint [0-9a-f]{8}.*\ntry 2: .*\ntry 3: /,
  );
});

it.each([
  ["the env file", "OLD_SECRET in the env file", "old-secret-old-secret-1"],
  ["the environment", "STAGING_SECRET in the environment", "staging-secret-staging-2"],
  ["the folder", ".hookporter/secret", "folder-secret-folder-3"],
])("verify names another secret that is set in %s, and never prints it", async (_, name, other) => {
  const cwd = folderWith({
    ".env": "OLD_SECRET=old-secret-old-secret-1\n",
    ".hookporter/secret": "folder-secret-folder-3\n",
  });
  const both = { ...env, STAGING_SECRET: "staging-secret-staging-2" };
  const argv = ["verify", "--signature", signed(compact, other)];
  const run = await runCli(argv, { cwd, env: both, stdin: compact });
  expect(run.stdout).toContain("secret_other: ");
  expect(run.stdout).toContain(`(${name})`);
  expect(run.stdout + run.stderr).not.toMatch(/old-secret|staging-secret|folder-secret|a-secret/);
});

it("verify finds the signature of a saved delivery, under another header name too, and hints at it", async () => {
  const body = Buffer.from(compact);
  const save = (headers: Record<string, string>) =>
    formatDelivery(savedDelivery({ body, headers }));
  const named = save({ "x-hub-signature-256": signed(compact, secret) });
  const run = await runCli(["verify", "--json"], { env, stdin: named });
  const causes = [{ detail: "x-hub-signature-256" }];
  expect(run.records).toMatchObject([{ cause: "header_name", causes }]);
  const hinted = await verify(signed(compact, secret), save({}));
  expect(hinted.stderr).toContain("omit --signature");
  expect((await verify(signed(compact, secret), pretty)).stderr).toBe("");
});

it("[case 10] listen shows the cause of a refused delivery in the live view, but not in its answer", async () => {
  const listen = await listening([], undefined, env);
  const headers = { "x-service-signature": signed(compact, secret) };
  for (let count = 0; count < 7; count++) {
    const answer = await fetch(listen.url, { method: "POST", headers, body: pretty });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({
      error: { type: "unauthorized", message: "The signature is missing or not valid." },
    });
  }
  await vi.waitFor(() => expect(listen.records("delivery")).toHaveLength(7), 10_000);
  const { stdout, stderr } = await listen.stop();
  const causes = listen
    .records("delivery")
    .map(({ diagnosis }) => (diagnosis as { cause?: string }).cause ?? diagnosis);
  expect(causes[0]).toBe("json_spacing");
  // A burst of one cause: only a busy machine leaves one out.
  expect(causes.filter((cause) => !/^(?:json_spacing|left_out)$/.test(String(cause)))).toEqual([]);
  expect(stdout).not.toContain("payment.received");
  expect(stderr).not.toContain('"event"');
});
