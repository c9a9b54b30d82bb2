import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli, tempFolder } from "./fake-io.ts";

const secretEnv = { HOOKPORTER_SECRET: "a secret that is long enough" };
const stdin = "body";

function withConfig(config: string): string {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "hookporter.config.json"), config);
  return cwd;
}

async function headerName(
  argv: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const run = await runCli(["sign", "--header", ...argv], { cwd, env: { ...secretEnv, ...env }, stdin });
  expect(run.stderr).toBe("");
  return run.stdout.slice(0, run.stdout.indexOf(":"));
}

it("takes the default, then the project's configuration, then the environment, then the flag", async () => {
  const plain = tempFolder();
  const cwd = withConfig('{ "signatureHeader": "x-config" }');
  const env = { HOOKPORTER_SIGNATURE_HEADER: "x-env" };
  expect(await headerName([], plain)).toBe("x-service-signature");
  expect(await headerName([], cwd)).toBe("x-config");
  expect(await headerName([], cwd, env)).toBe("x-env");
  expect(await headerName(["--signature-header", "x-flag"], cwd, env)).toBe("x-flag");
});

it("takes an empty variable as one that is not set", async () => {
  expect(await headerName([], tempFolder(), { HOOKPORTER_SIGNATURE_HEADER: "" })).toBe("x-service-signature");
});

it("reads switches from the environment as true or false, and refuses other words", async () => {
  const cwd = tempFolder();
  const on = await runCli(["sign"], { cwd, env: { ...secretEnv, HOOKPORTER_HEADER: "true" }, stdin });
  expect(on.stdout).toMatch(/^x-service-signature: /);
  const off = await runCli(["sign"], { cwd, env: { ...secretEnv, HOOKPORTER_HEADER: "0" }, stdin });
  expect(off.stdout).toMatch(/^sha256=/);
  const wrong = await runCli(["sign"], { cwd, env: { ...secretEnv, HOOKPORTER_HEADER: "maybe" }, stdin });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("HOOKPORTER_HEADER");
});

it("names the variable that holds a bad value", async () => {
  const run = await runCli(["listen"], { env: { ...secretEnv, HOOKPORTER_PORT: "many" } });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("HOOKPORTER_PORT");
});

it.each([
  ["is not JSON", "{"],
  ["is not an object", "[]"],
  ["has an unknown key", '{ "prot": 1 }'],
  ["has a bad value", '{ "signatureHeader": "a b" }'],
  ["has a value of a wrong type", '{ "signatureHeader": {} }'],
])("refuses a configuration file that %s with exit code 3", async (_, config) => {
  const run = await runCli(["sign"], { cwd: withConfig(config), env: secretEnv, stdin });
  expect(run.code).toBe(3);
  expect(run.stderr).toContain("hookporter.config.json");
});

it("says that secrets do not belong into the configuration file", async () => {
  const run = await runCli(["sign"], { cwd: withConfig('{ "secret": "x" }'), env: secretEnv, stdin });
  expect(run.stderr).toContain("secrets never go there");
});
