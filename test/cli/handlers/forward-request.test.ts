import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { addedHeaders } from "../../../src/cli/handlers/forward-request.ts";
import {
  readAddedHeader,
  readForwardHost,
  readHeaderVariable,
} from "../../../src/cli/handlers/values.ts";
import { openTarget } from "../../relay/sample.ts";
import { runCli, tempFolder } from "../fake-io.ts";
import { listening } from "../open-listen.ts";

describe("--header", () => {
  it.each([
    ["X-Team: billing", "x-team", "billing"],
    ["x-team:billing", "x-team", "billing"],
    ["x-empty:", "x-empty", ""],
    ["x-url: http://app.test/", "x-url", "http://app.test/"],
  ])("reads %j", (text, name, value) => {
    expect(readAddedHeader(text)).toEqual([{ name, value }]);
  });

  it("adds to those before it", () => {
    expect(readAddedHeader("b: 2", readAddedHeader("a: 1"))).toHaveLength(2);
  });

  it("may have a name that each object has, too", () => {
    const added = addedHeaders({ header: readAddedHeader("constructor: x") }, {} as never);
    expect({ ...added }).toEqual({ constructor: ["x"] });
  });

  it.each([
    ["no colon", "header"],
    [": value", "header"],
    ["two words: value", "header"],
    ["x-a: 1\r\nx-b: 2", "one line"],
    ["x-a: \u20ac", "Latin-1"],
    ["Host: app.test", "forwardHost"],
    ["Content-Length: 1", "each forward has its own"],
    ["Transfer-Encoding: chunked", "each forward has its own"],
    ["Connection: close", "each forward has its own"],
    ["accept-encoding: gzip", "each forward has its own"],
  ])("refuses %j", (text, words) => {
    expect(() => readAddedHeader(text)).toThrow(words);
  });
});

describe("--header-env", () => {
  it("reads the names of a header and a variable", () => {
    expect(readHeaderVariable("Authorization=APP_TOKEN")).toEqual([
      { name: "authorization", value: "APP_TOKEN" },
    ]);
  });

  it.each(["APP_TOKEN", "=APP_TOKEN", "a=", "a=Bearer x", "host=HOST", "a=B,C"])(
    "refuses %j",
    (text) => {
      expect(() => readHeaderVariable(text)).toThrow();
    },
  );
});

it.each(["app.test", "app.test:8080", "[::1]:3000", "127.0.0.1", "app_1"])(
  "the host %s is read",
  (host) => {
    expect(readForwardHost(host)).toBe(host);
  },
);

it.each([
  "",
  "http://app.test",
  "app.test/in",
  "a b",
  "app.test:x",
  "sk_test_4eC39HqLyJWDarjtT1zdp7dc",
])("the host %j is refused", (host) => expect(() => readForwardHost(host)).toThrow("host"));

it("listen adds headers, one of them from the env file, and prints no value", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, ".env"), 'APP_TOKEN="Bearer hunter2-hunter2"\n');
  const { url, got } = await openTarget((response, { headers }) => {
    response
      .writeHead(got.length === 1 ? 403 : 200)
      .end(`no: ${headers.authorization} ${headers["x-team"]}`);
  });
  const listen = await listening(
    [
      "--forward-to",
      url.href,
      "HOOKPORTER_FORWARD_HOST=app.test",
      "--header",
      "X-Team: secret-team-name",
      "--header-env",
      "Authorization=APP_TOKEN",
    ],
    cwd,
  );
  await runCli(["trigger", "lead.created", "--url", listen.url], { cwd });
  await vi.waitFor(() => expect(listen.records("attempt")).toHaveLength(2), 10_000);
  expect(got[1]?.headers).toMatchObject({
    authorization: "Bearer hunter2-hunter2",
    "x-team": "secret-team-name",
    host: "app.test",
  });
  const shown = await runCli(["events", "show", "1", "--json"], { cwd });
  const { stdout, stderr } = await listen.stop();
  expect(stderr).toContain("adding headers x-team, authorization");
  expect(stderr).toContain("with Host app.test");
  expect(stdout + stderr + shown.stdout).not.toMatch(/hunter2|secret-team-name/);
});

it.each([
  [["--header", "x-service-signature: sha256=00"], 2],
  [["--header-env", "x-service-signature=PATH"], 2],
  [["--header", "X-Own: 1", "HOOKPORTER_SIGNATURE_HEADER=x-own"], 2],
  [["--header-env", "authorization=NO_SUCH_VARIABLE"], 3],
  [["--header", "Host: hunter"], 2],
])("listen refuses %j", async (argv, code) => {
  const run = await runCli(["listen", "--port", "0", "--forward-to", "1", ...argv]);
  expect(run.code).toBe(code);
  expect(run.stderr).not.toMatch(/sha256=00|hunter|bug/);
});

it("an added header is a typed flag without a target: refused", async () => {
  const run = await runCli(["listen", "--port", "0", "--header", "x-team: a"]);
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("--forward-to")]);
});

describe("--insecure", () => {
  it.each(["https://8.8.8.8", "https://[2001:db8::1]/in"])("is refused with %s", async (target) => {
    const run = await runCli(["listen", "--port", "0", "--insecure", "--forward-to", target]);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("a public one")]);
  });

  it("is announced at each start, with the targets that it concerns", async () => {
    const targets = ["--forward-to", "https://192.168.1.1:8443", "--forward-to", "http://8.8.8.8"];
    const { now } = await listening(["--insecure", ...targets]);
    expect(now().stderr).toContain(
      "WARNING: --insecure: the certificate of https://192.168.1.1:8443 is not checked",
    );
  });

  it("is announced to have no effect without an https target", async () => {
    const { now } = await listening(["--insecure", "--forward-to", "http://8.8.8.8"]);
    expect(now().stderr).toContain("--insecure has no effect");
  });
});
