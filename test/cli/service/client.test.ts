import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { proxyNotice } from "../../../src/cli/service/client.ts";
import { KEY, openService } from "../../client/service.ts";
import { runCli, tempFolder } from "../fake-io.ts";

const SERVICE = new URL("https://api.example.com/base");
const PROXY = "http://user:hush@proxy.example:3128";
const noticeOf = (env: Record<string, string>, url = SERVICE) => proxyNotice(url, { env });

it.each(["HTTPS_PROXY", "https_proxy"])(
  "%s is reported if it is not used, without its value",
  (name) => {
    const notice = noticeOf({ [name]: PROXY });
    expect(notice).toContain(`${name} is set`);
    expect(notice).toContain("api.example.com");
    expect(notice).not.toContain("hush");
    expect(notice).not.toContain("proxy.example");
  },
);

it.each<[string, Record<string, string>]>([
  ["there is none", {}],
  ["it is empty", { HTTPS_PROXY: "" }],
  ["it is for another scheme", { HTTP_PROXY: PROXY }],
  ["NO_PROXY names the host", { HTTPS_PROXY: PROXY, NO_PROXY: "other.example, api.example.com" }],
  ["Node.js uses it", { HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: "1" }],
])("no proxy is reported if %s", (_, env) => expect(noticeOf(env)).toBeUndefined());

it("a service on this machine needs no proxy", () => {
  expect(noticeOf({ HTTP_PROXY: PROXY }, new URL("http://127.0.0.1:4500"))).toBeUndefined();
});

it("a command that calls the service prints the line once", async () => {
  const env = { HOOKPORTER_API_KEY: KEY, HTTPS_PROXY: PROXY, NODE_OPTIONS: "" };
  const run = await runCli(["properties", "--base-url", "https://api.invalid"], { env });
  expect(run.stderr.match(/HTTPS_PROXY is set/g)).toHaveLength(1);
  expect(run.stderr).not.toContain("hush");
});

it.each<[string, (cwd: string, url: string) => void, string]>([
  ["a configuration file", writeConfig, "hookporter.config.json (baseUrl)"],
  ["a configuration file that wants quiet", writeQuiet, "hookporter.config.json (baseUrl)"],
  ["an env file", writeEnv, "HOOKPORTER_BASE_URL in .env"],
])("a base URL in %s is said if the key is from the environment", async (_, write, from) => {
  const service = await openService();
  const cwd = tempFolder();
  write(cwd, service.url);
  const run = await runCli(["properties"], { cwd, env: { HOOKPORTER_API_KEY: KEY } });
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).toContain(
    `${service.url}, from ${from}, gets the API key from HOOKPORTER_API_KEY`,
  );
  expect(service.requests).toHaveLength(1);
});

it("a base URL is not said if it was typed, is in the environment, or is in one folder with the key", async () => {
  const service = await openService();
  const env = { HOOKPORTER_API_KEY: KEY };
  const apart = tempFolder();
  const together = tempFolder();
  writeConfig(together, service.url);
  writeFileSync(join(together, ".env"), `HOOKPORTER_API_KEY=${KEY}\n`);
  const runs = [
    await runCli(["properties", "--base-url", service.url], { cwd: apart, env }),
    await runCli(["properties"], { cwd: apart, env: { ...env, HOOKPORTER_BASE_URL: service.url } }),
    await runCli(["properties"], { cwd: together }),
  ];
  for (const { code, stderr } of runs) {
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("gets the API key");
  }
});

it("a key that a link in the folder leads to is not the folder's own", async () => {
  const service = await openService();
  const cwd = tempFolder();
  const home = tempFolder();
  writeConfig(cwd, service.url);
  writeFileSync(join(home, "keys"), `HOOKPORTER_API_KEY=${KEY}\n`);
  symlinkSync(join(home, "keys"), join(cwd, ".env"));
  const run = await runCli(["properties"], { cwd });
  expect(run.stderr).toContain("gets the API key from HOOKPORTER_API_KEY in .env");
});

function writeConfig(cwd: string, baseUrl: string): void {
  writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ baseUrl }));
}

function writeQuiet(cwd: string, baseUrl: string): void {
  writeFileSync(join(cwd, "hookporter.config.json"), JSON.stringify({ baseUrl, quiet: true }));
}

function writeEnv(cwd: string, baseUrl: string): void {
  writeFileSync(join(cwd, ".env"), `HOOKPORTER_BASE_URL=${baseUrl}\n`);
}
