import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { runCli, tempFolder } from "../fake-io.ts";

it.each([
  [["listen", "--ssh-identity", "key"], "--ssh-identity", "sshIdentity", "HOOKPORTER_SSH_IDENTITY"],
  [["listen", "--max-forwards=soon"], "--max-forwards", "maxForwards", "HOOKPORTER_MAX_FORWARDS"],
  [
    ["subscribe", "http://127.0.0.1:1", "--timeout", "1s"],
    "--timeout",
    "timeout",
    "HOOKPORTER_SUBSCRIBE_TIMEOUT",
  ],
  [["doctor", "--exec", "true"], "--exec", "exec", "HOOKPORTER_EXEC"],
])(
  "%j: a setting that is typed is a usage error that says where to set it",
  async (argv, flag, key, variable) => {
    const { code, stderr } = await runCli(argv);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `error: expected no ${flag}, which is a setting: set ${key} in hookporter.config.json, or ${variable}\n`,
    );
  },
);

it("a setting is read from its variable and from the configuration file, and is not in the help", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "event.json"), JSON.stringify(sampleEvent("lead.created")));
  const argv = ["replay", "event.json", "--dry-run"];
  const env = { HOOKPORTER_SECRET: "a-secret-0123456789" };
  const headers = async (more: Record<string, string> = {}) =>
    (await runCli(argv, { cwd, env: { ...env, ...more } })).stdout;
  expect(await headers({ HOOKPORTER_SIGNATURE_HEADER: "x-variable" })).toContain(
    "x-variable: sha256=",
  );
  writeFileSync(
    join(cwd, "hookporter.config.json"),
    '{ "replay": { "signatureHeader": "x-file" } }',
  );
  expect(await headers()).toContain("x-file: sha256=");
  expect((await runCli(["replay", "--help", "--all"])).stdout).not.toContain("--signature-header");
});

it("the env file that the configuration file names has the variables of flags, too", async () => {
  const cwd = tempFolder();
  writeFileSync(
    join(cwd, "own.env"),
    "HOOKPORTER_SECRET=a-secret-0123456789\nHOOKPORTER_SIGNATURE_HEADER=x-own\n",
  );
  writeFileSync(join(cwd, "hookporter.config.json"), '{ "envFile": "own.env" }');
  const { code, stdout } = await runCli(["trigger", "lead.created", "--dry-run"], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringContaining("x-own: sha256=")]);
});
