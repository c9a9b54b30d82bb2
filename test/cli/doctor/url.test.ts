import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { createTestReceiver } from "../../../src/entries/testing.ts";
import { runCli } from "../fake-io.ts";

/** Serves on a free port until the test ends. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
}

async function receiver(): Promise<{
  readonly listener: RequestListener;
  readonly kept: () => Promise<number>;
}> {
  const made = await createTestReceiver({ handlers: { "*": () => {} } });
  onTestFinished(() => made.close());
  return { listener: nodeReceiver(made), kept: async () => (await made.inbox.list({})).length };
}

async function look(url: string) {
  const { code, records } = await runCli(["doctor", "--json", "--url", url]);
  return { code, findings: records.filter(({ type }) => type === "finding") };
}

it("a receiver that refuses what is not signed is ok, and keeps nothing", async () => {
  const { listener, kept } = await receiver();
  const { code, findings } = await look(await serve(listener));
  expect([code, findings]).toEqual([0, [expect.objectContaining({ check: "url", status: "ok" })]]);
  expect(await kept()).toBe(0);
});

it("another path names the status, and the fix", async () => {
  const { listener } = await receiver();
  const { code, findings } = await look((await serve(listener)).replace("webhooks", "other"));
  expect([code, findings]).toEqual([
    1,
    [
      expect.objectContaining({
        status: "fail",
        message: expect.stringContaining("GET is answered 404"),
        fix: expect.stringContaining("check the path"),
      }),
    ],
  ]);
});

it.each([
  [
    "a redirect",
    (_, response) => response.writeHead(301, { location: "https://other.test/" }).end(),
    /redirects \(301\) to https:\/\/other\.test/,
  ],
  ["a login", (_, response) => response.writeHead(401).end(), /asks for a login/],
  ["a proxy without its server", (_, response) => response.writeHead(502).end(), /answers 502/],
  [
    "a page that takes any POST",
    (request, response) =>
      response.writeHead(request.method === "GET" ? 405 : 200, { allow: "POST" }).end(),
    /answers 200 to a POST without a signature/,
  ],
  [
    "a proxy that cuts bodies",
    (request, response) => {
      const length = Number(request.headers["content-length"] ?? 0);
      request.resume();
      request.once("end", () =>
        response
          .writeHead(request.method === "GET" ? 405 : length > 1e5 ? 413 : 401, { allow: "POST" })
          .end(),
      );
    },
    /answers 413 to a body of 900 KiB/,
  ],
] satisfies [string, RequestListener, RegExp][])("%s is found", async (_, listener, message) => {
  const { code, findings } = await look(await serve(listener));
  expect([code, findings]).toEqual([
    1,
    [expect.objectContaining({ status: "fail", message: expect.stringMatching(message) })],
  ]);
});

it("a redirect to an address with credentials is found without them", async () => {
  const url = await serve((_, response) =>
    response
      .writeHead(302, { location: "https://user:pass@other.test/login?session=hunter2" })
      .end(),
  );
  const { findings } = await look(url);
  expect(findings).toEqual([
    expect.objectContaining({
      message: expect.stringMatching(/ https:\/\/…@other\.test\/login\?session=…$/),
    }),
  ]);
});

it("a clock that is off is a warning", async () => {
  const { listener } = await receiver();
  const url = await serve((request, response) => {
    response.setHeader("date", new Date(Date.now() - 600_000).toUTCString());
    listener(request, response);
  });
  const { code, findings } = await look(url);
  expect([code, findings[0]]).toEqual([
    0,
    expect.objectContaining({
      status: "warn",
      message: expect.stringContaining("differ by 10 min"),
    }),
  ]);
});

it("an address that nothing listens on cannot be reached", async () => {
  const { code, findings } = await look("http://127.0.0.1:1/webhooks");
  expect([code, findings]).toEqual([
    1,
    [expect.objectContaining({ message: expect.stringContaining("cannot be reached") })],
  ]);
});
