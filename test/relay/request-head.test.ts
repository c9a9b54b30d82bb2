import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { requestHead } from "../../src/relay/request-head.ts";

const BASE = { target: new URL("http://app.test:81/in?a=b"), query: "", headers: {}, host: undefined };

describe("the lines before a body", () => {
  it("are the given headers in their order and spelling, then those of the request", () => {
    const headers = { "X-B": ["1", "2"], "x-a": ["\u00e9"], Cookie: ["c=1", "d=2"] };
    expect(requestHead({ ...BASE, headers }, 7).split("\r\n")).toEqual([
      ...["POST /in?a=b HTTP/1.1", "X-B: 1", "X-B: 2", "x-a: \u00e9", "Cookie: c=1; d=2"],
      ...["content-length: 7", "Host: app.test:81", "Connection: keep-alive", "", ""],
    ]);
  });

  it("name the given host, and the given query if the target has none", () => {
    const target = new URL("http://app.test/in");
    const head = requestHead({ ...BASE, target, query: "?c=%41", host: "other.test" }, 0);
    expect(head).toMatch(/^POST \/in\?c=%41 HTTP\/1\.1\r\n/);
    expect(head).toContain("\r\nHost: other.test\r\n");
  });

  it("contain one header for several spellings of its name, the last", () => {
    const head = requestHead({ ...BASE, headers: { "X-A": ["1"], "x-b": ["2"], "x-a": ["3"] } }, 0);
    expect(head.split("\r\n").slice(1, 3)).toEqual(["x-a: 3", "x-b: 2"]);
  });

  it("contain the user and password of a URL, unless the delivery is authorized", () => {
    const target = new URL("http://a%40b:c%3Ad@app.test/");
    const basic = `Basic ${Buffer.from("a@b:c:d").toString("base64")}`;
    expect(requestHead({ ...BASE, target }, 0)).toContain(`\r\nAuthorization: ${basic}\r\n`);
    const own = requestHead({ ...BASE, target, headers: { authorization: ["Bearer x"] } }, 0);
    expect(own.match(/authorization/gi)).toEqual(["authorization"]);
  });

  it.each([
    ["a value with a line break", { "x-a": ["1\r\nx-b: 2"] }, "ERR_INVALID_CHAR"],
    ["a value beyond Latin-1", { "x-a": ["\u20ac"] }, "ERR_INVALID_CHAR"],
    ["a name with a space", { "x a": ["1"] }, "ERR_INVALID_HTTP_TOKEN"],
    ["a name with a line break", { "x\r\ny": ["1"] }, "ERR_INVALID_HTTP_TOKEN"],
    ["an empty name", { "": ["1"] }, "ERR_INVALID_HTTP_TOKEN"],
  ])("never contain %s", (_, headers, code) => {
    expect(() => requestHead({ ...BASE, headers }, 0)).toThrow(expect.objectContaining({ code }));
  });

  it.each([" ", "\r\n", "\u20ac"])("never contain a query with %j", (text) => {
    const target = new URL("http://app.test/");
    const expected = expect.objectContaining({ code: "ERR_UNESCAPED_CHARACTERS" });
    expect(() => requestHead({ ...BASE, target, query: `?a=${text}` }, 0)).toThrow(expected);
  });

  it("are those that Node's client sends", async () => {
    const headers = { "X-B": ["1", "2"], "content-type": ["application/json"], "x-empty": [""] };
    const heads: string[] = [];
    const server = createServer((socket) => {
      socket.once("data", (bytes) => {
        heads.push(bytes.toString("latin1").split("\r\n\r\n")[0] ?? "");
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    for (const at of ["127.0.0.1", "user:pass@127.0.0.1"]) {
      const target = new URL(`http://${at}:${(server.address() as AddressInfo).port}/in?a=%20b`);
      await new Promise((resolve) => {
        const all = { ...headers, "content-length": 2 };
        const sent = request(target, { method: "POST", headers: all, agent: false }, resolve);
        sent.setHeader("Connection", "keep-alive");
        sent.end("{}");
      });
      const head = requestHead({ ...BASE, target, headers }, 2);
      expect(head.trimEnd().split("\r\n").sort()).toEqual(heads.at(-1)?.split("\r\n").sort());
    }
  });
});
