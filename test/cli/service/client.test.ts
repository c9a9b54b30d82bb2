import { expect, it } from "vitest";
import { proxyNotice } from "../../../src/cli/service/client.ts";
import { KEY } from "../../client/service.ts";
import { runCli } from "../fake-io.ts";

const SERVICE = new URL("https://api.example.com/base");
const PROXY = "http://user:hush@proxy.example:3128";
const noticeOf = (env: Record<string, string>, url = SERVICE) => proxyNotice(url, { env });

it.each(["HTTPS_PROXY", "https_proxy"])("%s is reported if it is not used, without its value", (name) => {
  const notice = noticeOf({ [name]: PROXY });
  expect(notice).toContain(`${name} is set`);
  expect(notice).toContain("api.example.com");
  expect(notice).not.toContain("hush");
  expect(notice).not.toContain("proxy.example");
});

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
