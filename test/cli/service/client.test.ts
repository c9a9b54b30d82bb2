import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { proxyNotice } from "../../../src/cli/service/client.ts";
import { KEY, openService } from "../../service/client/service.ts";
import { runCli } from "../fake-io.ts";
import { folderWith } from "../folder-with.ts";

const SERVICE = new URL("https://api.example.com/base");
const PROXY = "http://user:hush@proxy.example:3128";
const CONFIG = "hookporter.config.json";
const env = { HOOKPORTER_API_KEY: KEY };

it.each(["HTTPS_PROXY", "https_proxy"])(
  "%s is reported if it is not used, without its value",
  (name) => {
    const notice = proxyNotice(SERVICE, { env: { [name]: PROXY } });
    expect(notice).toContain(`${name} is set`);
    expect(notice).toContain("api.example.com");
    expect(notice).not.toMatch(/hush|proxy\.example/);
  },
);

it.each<[string, Record<string, string>, URL?]>([
  ["there is none", {}],
  ["it is empty", { HTTPS_PROXY: "" }],
  ["it is for another scheme", { HTTP_PROXY: PROXY }],
  ["NO_PROXY names the host", { HTTPS_PROXY: PROXY, NO_PROXY: "other.example, api.example.com" }],
  ["Node.js uses it", { HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: "1" }],
  ["the service is on this machine", { HTTP_PROXY: PROXY }, new URL("http://127.0.0.1:4500")],
])("no proxy is reported if %s", (_, variables, url = SERVICE) =>
  expect(proxyNotice(url, { env: variables })).toBeUndefined(),
);

it("a command that calls the service prints the line once", async () => {
  const proxied = { ...env, HTTPS_PROXY: PROXY, NODE_OPTIONS: "" };
  const argv = ["properties", "--base-url", "https://api.invalid"];
  const run = await runCli(argv, { env: proxied });
  expect(run.stderr.match(/HTTPS_PROXY is set/g)).toHaveLength(1);
  expect(run.stderr).not.toContain("hush");
});

it.each<[string, (url: string) => Record<string, object | string>, string]>([
  ["a configuration file", (baseUrl) => ({ [CONFIG]: { baseUrl } }), `${CONFIG} (baseUrl)`],
  [
    "a configuration file that wants quiet",
    (baseUrl) => ({ [CONFIG]: { baseUrl, quiet: true } }),
    `${CONFIG} (baseUrl)`,
  ],
  [
    "an env file",
    (url) => ({ ".env": `HOOKPORTER_BASE_URL=${url}\n` }),
    "HOOKPORTER_BASE_URL in .env",
  ],
])("a base URL in %s is said if the key is from the environment", async (_, files, from) => {
  const { url, requests } = await openService();
  const run = await runCli(["properties"], { cwd: folderWith(files(url)), env });
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).toContain(`${url}, from ${from}, gets the API key from HOOKPORTER_API_KEY`);
  expect(requests).toHaveLength(1);
});

it("a base URL is not said if it was typed, is in the environment, or is in one folder with the key", async () => {
  const { url } = await openService();
  const key = `HOOKPORTER_API_KEY=${KEY}\n`;
  const together = folderWith({ [CONFIG]: { baseUrl: url }, ".env": key });
  const runs = [
    await runCli(["properties", "--base-url", url], { env }),
    await runCli(["properties"], { env: { ...env, HOOKPORTER_BASE_URL: url } }),
    await runCli(["properties"], { cwd: together }),
  ];
  for (const { code, stderr } of runs) {
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("gets the API key");
  }
  // The key that a link leads to is not the folder's own.
  const linked = folderWith({ [CONFIG]: { baseUrl: url } });
  symlinkSync(join(folderWith({ keys: key }), "keys"), join(linked, ".env"));
  const run = await runCli(["properties"], { cwd: linked });
  expect(run.stderr).toContain("gets the API key from HOOKPORTER_API_KEY in .env");
});
