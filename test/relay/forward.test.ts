import dns from "node:dns";
import { createServer, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AttemptRecord, Delivery } from "../../src/entries/index.ts";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { BODY_TIMEOUT, type ForwardOptions, forwardTo } from "../../src/relay/forward.ts";
import { openReceiver } from "../receiver/open.ts";
import { deliveryOf, NOW, signedHeaders, until } from "../receiver/sample.ts";
import { closedAddress, openTarget } from "./sample.ts";
import { makeCertificate } from "./tunnel/edge/certificate.ts";

/** A receiver that forwards everything, and retries after `delay` milliseconds. */
async function openForwarder(target: URL, options: ForwardOptions = {}, delay = 60_000) {
  const retry = { attempts: Number.POSITIVE_INFINITY, delay, maxDelay: delay };
  const opened = await openReceiver({ retry });
  opened.receiver.on("*", forwardTo(target, options));
  const attempts = () => inboxOf(opened.receiver).attempts(1);
  return { ...opened, attempts };
}

/** Receives a delivery and forwards it once; resolves with the record of the attempt. */
async function forwarded(
  target: URL,
  options: ForwardOptions = {},
  parts: Partial<Delivery> = {},
): Promise<AttemptRecord> {
  const { receiver, attempts } = await openForwarder(target, options);
  await receiver.accept({ ...delivery(), ...parts });
  await until(async () => expect(await attempts()).toHaveLength(1));
  const [attempt] = await attempts();
  if (attempt === undefined) throw new Error("expected an attempt, got none");
  return attempt;
}

/** A signed delivery that no parser would reproduce. */
function delivery(): Delivery {
  const body = Buffer.from(
    '\uFEFF{ "event":"payment.received",\r\n"timestamp":"2026-01-15T10:00:00Z", "data":{"id":1e2,"a":"\\u00e9"},' +
      '"webhook":{"url":"http://127.0.0.1:9/","id":"wh_1"} }\n',
  );
  return deliveryOf(body, {
    ...signedHeaders(body),
    "content-type": "application/json; charset=utf-8",
    "x-request": "r-1",
    host: "public.test",
    "content-length": String(body.length),
  });
}

describe("a forward", () => {
  it("[case 87] sends the same bytes with the same signature, only to the target", async () => {
    const { url, got } = await openTarget();
    const { headers, body } = delivery();
    // as earlier versions kept what HTTP/2 adds to the headers
    const kept = { ...headers, ":path": "/webhooks?token=x" };
    expect(await forwarded(url, {}, { headers: kept })).toMatchObject({ outcome: "ok" });
    expect(got).toHaveLength(1);
    expect(got[0]?.body).toEqual(body);
    expect(got[0]).toMatchObject({
      method: "POST",
      url: "/hooks?a=b",
      headers: {
        host: url.host,
        "content-type": "application/json; charset=utf-8",
        "x-service-signature": headers["x-service-signature"],
        "x-request": "r-1",
      },
    });
    expect(got[0]?.rawHeaders.join()).not.toContain("token");
  });

  it("has the query of the delivery, which is not in its errors", async () => {
    const { url, got } = await openTarget((response) => void response.writeHead(400).end());
    const attempt = await forwarded(new URL("/hooks", url), {}, { target: "/in?code=hunter2" });
    expect(got).toMatchObject([{ url: "/hooks?code=hunter2" }]);
    expect(attempt.outcome).toBe("error");
    expect(JSON.stringify(attempt)).not.toContain("hunter2");
  });

  it("is retried until the target answers 2xx, with the same bytes each time", async () => {
    const statuses = [500, 302, 404, 410, 204];
    const { url, got } = await openTarget((response) => {
      response.writeHead(statuses[got.length - 1] ?? 500, { location: "/" }).end("not yet");
    });
    const { receiver, untilState, attempts } = await openForwarder(url, {}, 0);
    const sent = delivery();
    await receiver.accept(sent);
    await untilState("handled");
    expect(got.map(({ body }) => body)).toEqual(Array(5).fill(sent.body));
    const outcomes = (await attempts()).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["error", "error", "error", "error", "ok"]);
    expect((await attempts())[0]?.error).toContain("answered 500: not yet");
  });

  it("has added headers, which replace those of the delivery, and its own Host", async () => {
    const { url, got } = await openTarget();
    const added = { "x-request": ["own"], "x-two": ["a", "b"] };
    await forwarded(url, { added, host: "app.test:81" });
    expect(got[0]?.headers).toMatchObject({
      "x-request": "own",
      "x-two": "a, b",
      "content-type": "application/json; charset=utf-8",
      host: "app.test:81",
    });
  });
});

describe("what is noted of an answer", () => {
  const OK = "200 OK\nand then 1";
  const begin = (response: ServerResponse) => void response.writeHead(200).write("and then");
  const later = (spoil: (response: ServerResponse) => void) => (response: ServerResponse) => {
    begin(response);
    setTimeout(() => spoil(response), 20);
  };

  it.each<[string, string, "ok" | "error", (response: ServerResponse) => void]>([
    [
      "a refusal",
      "422 Unprocessable Entity\nno:\nline 3",
      "error",
      (response) => void response.writeHead(422).end("no:\nline 3"),
    ],
    ["no body", "201 Created", "ok", (response) => void response.writeHead(201).end()],
    ["an unknown status", "299\nx", "ok", (response) => void response.writeHead(299).end("x")],
    [
      "a body that is cut off",
      "200 OK, body cut off\nand then",
      "ok",
      later((response) => void response.socket?.destroy()),
    ],
    [
      "a body that is reset",
      "200 OK, body cut off\nand then",
      "ok",
      later((response) => void response.socket?.resetAndDestroy()),
    ],
    [
      "a body that is garbled",
      "200 OK, body cut off\nand then",
      "ok",
      later((response) => void response.socket?.write("no chunk at all\r\n")),
    ],
    [
      "a refusal that is cut off",
      "500 Internal Server Error, body cut off\nno",
      "error",
      (response) => {
        response.writeHead(500).write("no");
        setTimeout(() => response.socket?.destroy(), 20);
      },
    ],
    ["a body as long as is read", OK, "ok", (response) => void response.end("and then 1")],
    ["a body that is longer", OK, "ok", (response) => void response.write("and then 12")],
  ])("with %s is %j", async (_, note, outcome, answer) => {
    const { url } = await openTarget(answer);
    expect(await forwarded(url, { maxAnswer: 10 })).toMatchObject({ note, outcome });
  });

  it("says that a body was not complete in time", async () => {
    const { url } = await openTarget(begin);
    expect(await forwarded(url, { bodyTimeout: 100 })).toMatchObject({
      note: "200 OK, body not complete in time\nand then",
      outcome: "ok",
    });
  });

  it("is at most 2 KiB, of the 64 KiB that are read without waiting for more", async () => {
    const { url } = await openTarget((response) => void response.write("é€".repeat(14_000)));
    const { note } = await forwarded(url);
    expect(Buffer.byteLength(note ?? "")).toBeLessThanOrEqual(2048);
    expect(note).toMatch(/^200 OK\né€.*…$/);
  });

  it("is where a redirect leads, which the error explains, without the values of its query", async () => {
    const { url } = await openTarget((response) =>
      response.writeHead(308, { location: "/hooks/?token=hunter2" }).end("<html>Redirecting"),
    );
    const { error, note } = await forwarded(url);
    const shown = `${url.origin}/hooks/?token=…`;
    expect(error).toContain(`answered 308, Location: ${shown}: the app wants a slash`);
    expect(note).toContain(`308 Permanent Redirect, Location: ${shown}\n`);
    expect(`${error}${note}`).not.toContain("hunter2");
  });

  it.each([
    ["a redirect", 302, { location: "/session/hunter2-hunter2" }],
    ["another header", 405, { allow: "hunter2-hunter2" }],
    ["the body", 200, {}],
    ["the body of a refusal", 401, {}],
  ])("hides the value of an added header in %s", async (_, status, headers) => {
    const { url } = await openTarget((response, got) => {
      const { authorization, "x-team": team } = got.headers;
      const token = String(authorization).split(" ")[1];
      response
        .writeHead(status, headers)
        .end(`got ${authorization}, and ${token} again, for team ${team}`);
    });
    const added = { authorization: ["Bearer hunter2-hunter2"], "x-team": ["a"] };
    const { error, note } = await forwarded(url, { added });
    expect(`${error}${note}`).not.toContain("hunter2");
    expect(note).toContain("got …, and … again, for team a");
  });
});

describe("localhost", () => {
  it.each(["127.0.0.1", "::1"])("is an app on %s, which is named", async (address) => {
    const server = createServer((_, response) => void response.writeHead(404).end());
    const listens = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(0, address, () => resolve(true));
    });
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    if (!listens) return; // a machine without IPv6
    const { port } = server.address() as AddressInfo;
    // twice, to be named on a connection that was kept open, too
    for (const name of ["localhost", "localhost", "no-such-app.localhost"]) {
      const { error, note } = await forwarded(new URL(`http://${name}:${port}/in`));
      expect(note).toBe(`404 Not Found, from ${address}`);
      expect(error).toContain(`http://${name}:${port}/in (${address}) answered 404`);
    }
  });
});

describe("a target with a self-signed certificate", () => {
  async function openSecureTarget() {
    const names: unknown[] = [];
    const server = createSecureServer(makeCertificate(), (request, response) => {
      names.push((request.socket as unknown as { readonly servername: unknown }).servername);
      response.end("ok");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return { port: (server.address() as AddressInfo).port, names };
  }

  it.each(["127.0.0.1", "localhost"])("on %s is refused, unless any will do", async (host) => {
    const { port } = await openSecureTarget();
    const target = new URL(`https://${host}:${port}/in`);
    // A connection that was made without a check must not serve a request with one.
    for (const insecure of [false, true, false]) {
      const { outcome, error } = await forwarded(target, { insecure });
      expect(outcome).toBe(insecure ? "ok" : "error");
      if (!insecure) expect(error).toContain("certificate is not trusted");
    }
  });

  it("is refused at a public address, even if any will do", async () => {
    const lookUp = vi.spyOn(dns, "lookup");
    lookUp.mockImplementation(((
      _name: string,
      _options: object,
      done: (error: null, all: object) => void,
    ) => done(null, [{ address: "8.8.8.8", family: 4 }])) as never);
    syncBuiltinESMExports();
    onTestFinished(() => {
      lookUp.mockRestore();
      syncBuiltinESMExports();
    });
    const { error } = await forwarded(new URL("https://public.test/in"), { insecure: true });
    expect(error).toContain("8.8.8.8, a public one");
  });

  it("is asked for by the name of the Host header", async () => {
    const { port, names } = await openSecureTarget();
    const target = new URL(`https://127.0.0.1:${port}/in`);
    await forwarded(target, { insecure: true, host: "app.test:81" });
    expect(names).toEqual(["app.test"]);
  });
});

/** An error of a forward, with what it says of the target and the next attempt. */
interface Thrown extends Error {
  readonly code?: string;
  readonly away?: boolean | "perhaps";
  readonly final?: boolean;
  readonly retryAfter?: number;
}

/** What the forward throws as a handler if the target reacts in this way. */
async function thrownAt(
  target: URL,
  options: ForwardOptions = {},
  signal = never(),
): Promise<Thrown> {
  const context = { delivery: delivery(), signal, note: () => {}, seq: 1 };
  try {
    await forwardTo(target, options)({} as never, context as never);
  } catch (thrown) {
    return thrown as Thrown;
  }
  throw new Error("expected the forward to fail");
}

function never(): AbortSignal {
  return new AbortController().signal;
}

describe("the error of a forward", () => {
  it("has the code of a refusal, with only the beginning of the answer", async () => {
    const { url } = await openTarget((response) => {
      response.writeHead(500).end("x".repeat(5000));
    });
    const thrown = await thrownAt(url);
    expect(thrown).toMatchObject({ code: "target_refused" });
    expect(thrown.message.length).toBeLessThan(700);
  });

  it.each([
    [429, "7", 7000],
    [503, new Date(NOW + 90_000).toUTCString(), 90_000],
    [500, undefined, undefined],
    [500, "0", undefined],
    [503, new Date(NOW - 90_000).toUTCString(), undefined],
  ])("with status %d and Retry-After %s asks to wait that long", async (status, header, wait) => {
    const headers = header === undefined ? {} : { "retry-after": header };
    const { url } = await openTarget((response) => void response.writeHead(status, headers).end());
    expect(await thrownAt(url, { clock: () => NOW })).toMatchObject({ retryAfter: wait });
  });

  it("says that the target is away if nothing listens there", async () => {
    const url = await closedAddress();
    for (const host of ["127.0.0.1", "localhost"]) {
      url.hostname = host;
      const expected = { code: "target_unreachable", away: true };
      expect(await thrownAt(url)).toMatchObject(expected);
    }
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["ends the connection", (response) => void response.destroy()],
    ["does not answer in time", () => {}],
  ])("says that the target is perhaps away if it %s", async (_, answer) => {
    const { url } = await openTarget(answer);
    const expected = { code: "target_unreachable", away: "perhaps" };
    expect(await thrownAt(url, { timeout: 100 })).toMatchObject(expected);
  });

  it.each([
    ...[302, 408, 409, 425, 500].map((status) => [status, undefined, undefined] as const),
    ...[400, 401, 403, 404, 410, 422, 451].map((status) => [status, undefined, true] as const),
    ...[429, 502, 503, 504].map((status) => [status, "perhaps", undefined] as const),
  ])("of status %d says away: %s, and with giveUpOn 4xx final: %s", async (status, away, final) => {
    const { url } = await openTarget((response) => void response.writeHead(status).end());
    const retried = await thrownAt(url);
    expect([retried.code, retried.away, retried.final]).toEqual([
      "target_refused",
      away,
      undefined,
    ]);
    const givenUp = await thrownAt(url, { giveUpOn: "4xx" });
    expect([givenUp.away, givenUp.final]).toEqual([away, final]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["before the answer", () => {}],
    ["while its body arrives", (response) => void response.writeHead(200).write("and then")],
  ])("is the reason of a signal that ends it %s", async (_, answer) => {
    const aborter = new AbortController();
    const reason = new Error("time is over");
    const { url, got } = await openTarget((response) => {
      answer(response);
      setTimeout(() => aborter.abort(reason), 20);
    });
    expect(await thrownAt(url, {}, aborter.signal)).toBe(reason);
    expect(await thrownAt(url, {}, aborter.signal)).toBe(reason);
    expect(got).toHaveLength(1);
  });
});

it("the wait for a body is 5 seconds, unless it is told otherwise", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { url } = await openTarget((response) => response.writeHead(200).write("and then"));
  const cuts: unknown[] = [];
  const onNoted: ForwardOptions["onNoted"] = ({ cut }) => void cuts.push(cut);
  const context = { delivery: delivery(), signal: never(), note: () => {}, seq: 1 };
  const begun = vi.getTimerCount();
  const handler = forwardTo(url, { timeout: 3_600_000, onNoted });
  const done = handler({} as never, context as never);
  // those of the answer and of its body
  while (vi.getTimerCount() < begun + 2) await new Promise(setImmediate);
  vi.advanceTimersByTime(BODY_TIMEOUT - 1);
  await new Promise(setImmediate);
  expect(cuts).toEqual([]);
  vi.advanceTimersByTime(1);
  await done;
  expect(cuts).toEqual(["overdue"]);
});
