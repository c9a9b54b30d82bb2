import type { RequestListener } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { nodeReceiver } from "../../../src/entries/node.ts";
import { createTestReceiver } from "../../../src/entries/testing.ts";
import { serve } from "../../check/receivers/under-test.ts";
import { runCli } from "../fake-io.ts";

async function receiver() {
  const made = await createTestReceiver({ handlers: { "*": () => {} } });
  onTestFinished(() => made.close());
  const kept = async () => (await made.inbox.list({})).length;
  return { listener: nodeReceiver(made) as RequestListener, kept };
}

/** The first finding about an address, which is the only one that is not `ok`. */
async function look(url: URL | string) {
  const { code, records } = await runCli(["doctor", "--json", "--url", String(url)]);
  const [finding, ...others] = records.filter(({ type }) => type === "finding");
  expect(others.filter(({ status }) => status !== "ok")).toEqual([]);
  return { code, ...finding };
}

it("a receiver that refuses what is not signed is ok, and keeps nothing; another path is not", async () => {
  const { listener, kept } = await receiver();
  const url = await serve(listener);
  expect(await look(url)).toMatchObject({ code: 0, check: "url", status: "ok" });
  expect(await kept()).toBe(0);
  expect(await look(new URL("/other", url))).toMatchObject({
    code: 1,
    status: "fail",
    message: expect.stringContaining("GET is answered 404"),
    fix: expect.stringContaining("check the path"),
  });
});

/** Answers a GET as a receiver does, and others with a status. */
const answering =
  (statusOf: (length: number) => number): RequestListener =>
  (request, response) => {
    request.resume().once("end", () => {
      const status = statusOf(Number(request.headers["content-length"] ?? 0));
      response.writeHead(request.method === "GET" ? 405 : status, { allow: "POST" }).end();
    });
  };
const redirecting =
  (location: string): RequestListener =>
  (_, response) =>
    response.writeHead(301, { location }).end();

it.each<[string, RequestListener, RegExp]>([
  ["a redirect", redirecting("https://other.test/"), /redirects \(301\) to https:\/\/other\.test/],
  [
    "a redirect to an address with credentials, which are not shown,",
    redirecting("https://user:pass@other.test/login?session=hunter2"),
    / https:\/\/…@other\.test\/login\?session=…$/,
  ],
  ["a login", (_, response) => response.writeHead(401).end(), /asks for a login/],
  ["a proxy without its server", (_, response) => response.writeHead(502).end(), /answers 502/],
  ["a page that takes any POST", answering(() => 200), /answers 200 to a POST without a signature/],
  [
    "a proxy that cuts bodies",
    answering((length) => (length > 1e5 ? 413 : 401)),
    /answers 413 to a body of 900 KiB/,
  ],
])("%s is found", async (_, listener, message) => {
  expect(await look(await serve(listener))).toMatchObject({
    code: 1,
    status: "fail",
    message: expect.stringMatching(message),
  });
});

it("a clock that is off is a warning", async () => {
  const { listener } = await receiver();
  const url = await serve((request, response) => {
    response.setHeader("date", new Date(Date.now() - 600_000).toUTCString());
    listener(request, response);
  });
  const message = expect.stringContaining("differ by 10 min");
  expect(await look(url)).toMatchObject({ code: 0, status: "warn", message });
});

it("an address that nothing listens on cannot be reached", async () => {
  const message = expect.stringContaining("cannot be reached");
  expect(await look("http://127.0.0.1:1/webhooks")).toMatchObject({ code: 1, message });
});
