import { expect, it } from "vitest";
import { proxyNotice } from "../../../src/cli/service/client.ts";
import { KEY } from "../../service/client/service.ts";
import { runCli } from "../fake-io.ts";

const SERVICE = new URL("https://api.example.com/base");
const PROXY = "http://user:hush@proxy.example:3128";
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
