import { expect, it } from "vitest";
import { formatDelivery } from "../../../src/relay/fixture.ts";
import { signed } from "../../signature/diagnose/made.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const secret = "It's a Secret to Everybody";
const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const env = { HOOKPORTER_SECRET: secret };

it("sign matches GitHub's published vector, with a body or the secret from standard input", async () => {
  const stdin = "Hello, World!";
  const run = await runCli(["sign"], { env, stdin });
  expect(run).toMatchObject({ code: 0, stdout: `${signature}\n` });
  const line = await runCli(["sign", "--header", "--signature-header", "X-Sig"], { env, stdin });
  expect(line.stdout).toBe(`x-sig: ${signature}\n`);
  const cwd = folderWith({ body: stdin });
  const piped = await runCli(["sign", "body", "--secret-stdin"], { cwd, stdin: `${secret}\n` });
  expect(piped).toMatchObject({ code: 0, stdout: `${signature}\n` });
  expect((await runCli(["sign", "--secret-stdin"], { stdin: "x" })).code).toBe(2);
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

it("verify uses the signature in a saved delivery, reports a damaged one, and says if the URL was signed too", async () => {
  const body = Buffer.from("Hello, World!");
  const saved = (parts: object, header = signature) =>
    formatDelivery({
      method: "POST",
      target: "/webhooks",
      receivedAt: 0,
      body,
      headers: { host: "hooks.example", "x-service-signature": header },
      ...parts,
    });
  const verify = (stdin: string) => runCli(["verify"], { env, stdin });
  expect((await verify(saved({}))).code).toBe(0);
  expect((await verify(saved({ body: Buffer.from("Hello, World?") }))).code).toBe(4);
  const damaged = await verify(saved({}).replace("utf8", "base64"));
  expect(damaged).toMatchObject({ code: 2, stderr: expect.stringContaining("body") });
  const whole = await verify(saved({}, signed(`https://hooks.example/webhooks${body}`, secret)));
  expect(whole.stdout).toMatch(/^cause: other_scheme: .* \(the URL and the body\)$/m);
  const plain = await verify("Hello, World!");
  expect(plain).toMatchObject({ code: 4, stdout: expect.stringContaining("--signature") });
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
