import { expect, it } from "vitest";
import { proxyNotice } from "../../../src/cli/service/proxy-notice.ts";
import { KEY } from "../../client/service.ts";
import { runCli } from "../fake-io.ts";

const SERVICE = new URL("https://api.example.com/base");
const PROXY = "http://user:hush@proxy.example:3128";
const noticeOf = (env: Record<string, string>, version = "20.19.0", url = SERVICE) => {
  return proxyNotice(url, { env }, version);
};

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
  ["NO_PROXY names everything", { HTTPS_PROXY: PROXY, NO_PROXY: "*" }],
  ["NO_PROXY names the host", { HTTPS_PROXY: PROXY, NO_PROXY: "other.example, API.example.com" }],
  ["NO_PROXY names the host and port", { HTTPS_PROXY: PROXY, no_proxy: "api.example.com:443" }],
  ["NO_PROXY names the domain", { HTTPS_PROXY: PROXY, NO_PROXY: ".example.com" }],
  ["NO_PROXY names the domain with an asterisk", { HTTPS_PROXY: PROXY, NO_PROXY: "*.example.com" }],
])("no proxy is reported if %s", (_, env) => expect(noticeOf(env)).toBeUndefined());

it.each(["example.com", "api.example.com:8443", "i.example.com", ","])(
  "NO_PROXY=%s does not name the host",
  (list) => {
    expect(noticeOf({ HTTPS_PROXY: PROXY, NO_PROXY: list })).toBeDefined();
  },
);

it("a service on this machine needs no proxy", () => {
  expect(noticeOf({ HTTP_PROXY: PROXY }, "20.19.0", new URL("http://127.0.0.1:4500"))).toBeUndefined();
});

it.each([
  ["20.19.0", false],
  ["22.20.0", false],
  ["22.21.0", true],
  ["23.11.0", false],
  ["24.0.0", true],
  ["26.1.0", true],
])("Node.js %s uses a proxy if it is told to: %s", (version, able) => {
  const told = noticeOf({ HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: "1" }, version);
  const flag = noticeOf({ HTTPS_PROXY: PROXY, NODE_OPTIONS: "--use-env-proxy" }, version);
  expect([told === undefined, flag === undefined]).toEqual([able, able]);
  const notTold = noticeOf({ HTTPS_PROXY: PROXY }, version);
  expect(notTold).toContain("NODE_USE_ENV_PROXY=1");
  expect(notTold?.includes("use Node.js 22.21")).toBe(!able);
});

it("a command that calls the service prints the line once", async () => {
  const env = { HOOKPORTER_API_KEY: KEY, HTTPS_PROXY: PROXY, NODE_OPTIONS: "" };
  const run = await runCli(["properties", "--base-url", "https://api.invalid"], { env });
  expect(run.stderr.match(/HTTPS_PROXY is set/g)).toHaveLength(1);
  expect(run.stderr).not.toContain("hush");
});
