import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const secret = "It's a Secret to Everybody";
const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const env = { HOOKPORTER_SECRET: secret };

it("sign matches GitHub's published vector, with a body from standard input", async () => {
  const run = await runCli(["sign"], { env, stdin: "Hello, World!" });
  expect(run).toMatchObject({ code: 0, stdout: `${signature}\n` });
});

it("--header prints the whole header line, with the given name", async () => {
  const run = await runCli(["sign", "--header", "--signature-header", "X-Sig"], {
    env,
    stdin: "Hello, World!",
  });
  expect(run.stdout).toBe(`x-sig: ${signature}\n`);
});

it("--secret-stdin reads the secret from standard input if the body is in a file", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "body"), "Hello, World!");
  const run = await runCli(["sign", "body", "--secret-stdin"], { cwd, stdin: `${secret}\n` });
  expect(run).toMatchObject({ code: 0, stdout: `${signature}\n` });
});

it("secret and body cannot both come from standard input", async () => {
  expect((await runCli(["sign", "--secret-stdin"], { stdin: "x" })).code).toBe(2);
});

it("the secret is found in .env, and in the file of --env-file", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, ".env"), `HOOKPORTER_SECRET="${secret}"\n`);
  writeFileSync(join(cwd, "other.env"), `KEY="${secret}"\n`);
  const stdin = "Hello, World!";
  expect((await runCli(["sign"], { cwd, stdin })).stdout).toBe(`${signature}\n`);
  const other = await runCli(["sign", "HOOKPORTER_ENV_FILE=other.env", "--secret-env", "KEY"], {
    cwd,
    stdin,
  });
  expect(other.stdout).toBe(`${signature}\n`);
});

it("the first variable of an env file with a byte order mark is found", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, ".env"), `\uFEFFHOOKPORTER_SECRET="${secret}"\r\nOTHER=1\r\n`);
  expect((await runCli(["sign"], { cwd, stdin: "Hello, World!" })).stdout).toBe(`${signature}\n`);
});

it("verify accepts the second of two secrets, and says which one matched", async () => {
  const argv = ["verify", "--signature", signature, "--secret-env", "NEW,OLD", "--json"];
  const run = await runCli(argv, {
    env: { NEW: "another secret of good size", OLD: secret },
    stdin: "Hello, World!",
  });
  expect(run.code).toBe(0);
  expect(run.records).toMatchObject([
    { type: "verification", valid: true, secret: "previous", schemaVersion: 1 },
  ]);
});

it.each([
  ["signature_mismatch", signature, "Hello, World?"],
  ["signature_malformed", signature.toUpperCase(), "Hello, World!"],
  ["signature_missing", "", "Hello, World!"],
])("verify exits with 4 and names %s", async (reason, given, stdin) => {
  const run = await runCli(["verify", "--signature", given, "--json"], { env, stdin });
  expect(run.code).toBe(4);
  expect(run.records).toMatchObject([{ valid: false, reason }]);
});

it("verify uses the signature in a saved delivery", async () => {
  const delivery = {
    method: "POST",
    target: "/webhooks",
    receivedAt: 0,
    body: Buffer.from("Hello, World!"),
    headers: { "x-service-signature": signature },
  };
  expect((await runCli(["verify"], { env, stdin: formatDelivery(delivery) })).code).toBe(0);
  const changed = formatDelivery({ ...delivery, body: Buffer.from("Hello, World?") });
  expect((await runCli(["verify"], { env, stdin: changed })).code).toBe(4);
});

it("verify says that the URL was signed too, if the saved delivery shows it", async () => {
  const body = Buffer.from("Hello, World!");
  const header = signed(`https://hooks.example/webhooks${body}`, secret);
  const saved = formatDelivery({
    method: "POST",
    target: "/webhooks",
    receivedAt: 0,
    body,
    headers: { host: "hooks.example", "x-service-signature": header },
  });
  const run = await runCli(["verify"], { env, stdin: saved });
  expect(run.stdout).toMatch(/^cause: other_scheme: .* \(the URL and the body\)$/m);
});

it("verify asks for --signature if a plain body has none", async () => {
  const run = await runCli(["verify"], { env, stdin: "Hello, World!" });
  expect(run.code).toBe(4);
  expect(run.stdout).toContain("--signature");
});

it("verify reports a damaged saved delivery, instead of treating it as a body", async () => {
  const saved = formatDelivery({
    method: "POST",
    target: "/webhooks",
    receivedAt: 0,
    body: Buffer.from("Hello, World!"),
    headers: { "x-service-signature": signature },
  });
  const run = await runCli(["verify"], { env, stdin: saved.replace("utf8", "base64") });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("body");
});

it("no secret is ever printed, whatever goes wrong", async () => {
  const cwd = tempFolder();
  const canary = "canary-secret-canary-secret";
  const runs = [
    ["sign", "--debug"],
    ["verify", "--signature", "nonsense", "--json"],
    ["trigger", "payment.received", "--url", "1", "--debug"],
    ["replay", "missing.json"],
    ["sign", "missing-file", "--debug"],
  ];
  for (const argv of runs) {
    const run = await runCli(argv, { cwd, env: { HOOKPORTER_SECRET: canary }, stdin: "x" });
    expect(run.stdout + run.stderr, argv.join(" ")).not.toContain(canary);
  }
});
