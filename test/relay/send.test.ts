import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { HookporterError } from "../../src/entries/index.ts";
import { isOverdue, isUnconnected, send } from "../../src/relay/send.ts";
import { openTarget } from "./sample.ts";

const EMPTY = { headers: {}, body: new Uint8Array(0) };

/** The address of a port that was free a moment ago. */
async function closedPort(): Promise<URL> {
  const { url, close } = await openTarget();
  await close();
  return url;
}

describe("send", () => {
  it("posts exactly the given bytes", async () => {
    const { url, got } = await openTarget();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (body) => {
        await send({ target: url, headers: {}, body });
        const last = got.at(-1);
        expect(last).toMatchObject({ method: "POST", url: "/hooks?a=b" });
        expect(last?.body.equals(body)).toBe(true);
        expect(last?.headers["content-length"]).toBe(String(body.byteLength));
      }),
      { numRuns: 50 },
    );
  });

  it("sends the given headers, including several values", async () => {
    const { url, got } = await openTarget();
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "x-service-signature": `sha256=${"ab".repeat(32)}`,
      "user-agent": "service/1",
      accept: "text/plain",
      "x-empty": "",
      "x-latin": "\u00e9",
      date: "Thu, 15 Jan 2026 10:00:00 GMT",
      "x-several": ["a", "b"],
      "x-none": undefined,
    };
    await send({ target: url, headers, body: Buffer.from("{}") });
    const { "x-several": _, "x-none": __, ...plain } = headers;
    expect(got[0]?.headers).toMatchObject({ ...plain, "x-several": "a, b" });
    expect(got[0]?.headers).not.toHaveProperty("x-none");
  });

  it.each([
    ["connection", "close, x-own"],
    ["keep-alive", "timeout=99"],
    ["proxy-authorization", "Basic eDp5"],
    ["proxy-connection", "x-own"],
    ["te", "trailers"],
    ["trailer", "x-own"],
    ["transfer-encoding", "chunked"],
    ["upgrade", "websocket"],
    ["expect", "100-continue"],
    ["host", "evil.test"],
    ["content-length", "9999"],
    ["Content-Length", "1"],
    ["accept-encoding", "x-own"],
  ])("[case 87] does not pass on headers of one connection: %s", async (name, value) => {
    const { url, got } = await openTarget();
    expect(
      await send({ target: url, headers: { [name]: value }, body: Buffer.from("{}") }),
    ).toMatchObject({
      ok: true,
    });
    expect(got[0]?.rawHeaders).not.toContain(value);
    expect(got[0]).toMatchObject({ headers: { host: url.host, "content-length": "2" } });
  });

  it("[case 86] does not follow a redirect", async () => {
    const trap = await openTarget();
    const { url, got } = await openTarget((response) => {
      response.writeHead(307, { location: trap.url.href }).end("elsewhere");
    });
    expect(await send({ target: url, ...EMPTY })).toMatchObject({
      status: 307,
      ok: false,
      body: "elsewhere",
    });
    expect(got).toHaveLength(1);
    expect(trap.got).toEqual([]);
  });

  it.each([
    [200, true],
    [204, true],
    [299, true],
    [304, false],
    [400, false],
    [401, false],
    [410, false],
    [500, false],
    [503, false],
  ])("reports whether %d is 2xx: %s", async (status, ok) => {
    const { url } = await openTarget((response) => void response.writeHead(status).end());
    expect(await send({ target: url, ...EMPTY })).toMatchObject({
      status,
      ok,
      duration: expect.any(Number),
    });
  });

  it("returns only the first 64 KiB of an answer, and does not wait for the rest", async () => {
    const { url } = await openTarget((response) => {
      response.write("x".repeat(70_000)); // and no end
    });
    const { body, status } = await send({ target: url, ...EMPTY });
    expect(status).toBe(200);
    expect(body).toBe("x".repeat(65_536));
  });

  it("reports that nothing listens", async () => {
    const target = await closedPort();
    await expect(send({ target, ...EMPTY })).rejects.toMatchObject({
      code: "target_unreachable",
      message: expect.stringContaining(`${target.origin}: connection refused`),
      cause: expect.any(Error),
    });
  });

  it("reports that nothing listens at any address of a name", async () => {
    const target = await closedPort();
    target.hostname = "localhost";
    await expect(send({ target, ...EMPTY })).rejects.toMatchObject({
      code: "target_unreachable",
      message: expect.stringContaining("connection refused"),
    });
  });

  it("reports an unknown host", async () => {
    const target = new URL("http://no-such-host.invalid:1/");
    await expect(send({ target, ...EMPTY })).rejects.toMatchObject({ code: "target_unreachable" });
  });

  it("reports that the connection was closed without an answer", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).once("data", () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const target = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(send({ target, ...EMPTY })).rejects.toMatchObject({
      code: "target_unreachable",
      message: expect.stringContaining("closed before an answer"),
    });
  });

  it("reports that the target did not answer in time", async () => {
    const { url } = await openTarget(() => {});
    await expect(send({ target: url, ...EMPTY, timeout: 40 })).rejects.toMatchObject({
      code: "target_unreachable",
      message: expect.stringContaining("40 ms"),
    });
  });

  it.each([
    ["cut off", "closed", 10_000, (response: ServerResponse) => response.socket?.destroy()],
    ["reset", "closed", 10_000, (response: ServerResponse) => response.socket?.resetAndDestroy()],
    [
      "garbled",
      "closed",
      10_000,
      (response: ServerResponse) => response.socket?.write("no chunk at all\r\n"),
    ],
    ["endless", "overdue", 200, () => {}],
  ] as const)(
    "returns the status of an answer whose body is %s",
    async (_, cut, bodyTimeout, spoil) => {
      for (const status of [200, 500]) {
        const { url, got } = await openTarget((response) => {
          response.writeHead(status).write("and then");
          setTimeout(() => spoil(response), 20);
        });
        expect(await send({ target: url, ...EMPTY, bodyTimeout })).toMatchObject({
          status,
          ok: status === 200,
          body: "and then",
          cut,
        });
        expect(got).toHaveLength(1);
      }
    },
  );

  it("returns the status of an answer whose body lasts until the time is up", async () => {
    const { url } = await openTarget((response) => void response.writeHead(202).write("and then"));
    expect(await send({ target: url, ...EMPTY, timeout: 500 })).toMatchObject({
      status: 202,
      body: "and then",
      cut: "overdue",
    });
  });

  it("ends with the signal's reason while the body arrives", async () => {
    const { url } = await openTarget((response) => void response.writeHead(200).write("and then"));
    const aborter = new AbortController();
    const sending = send({ target: url, ...EMPTY, signal: aborter.signal });
    const reason = new Error("shutting down");
    setTimeout(() => aborter.abort(reason), 40);
    await expect(sending).rejects.toBe(reason);
  });

  it("ends with the signal's reason, before and while it sends", async () => {
    const { url, got } = await openTarget(() => {});
    const reason = new Error("shutting down");
    await expect(send({ target: url, ...EMPTY, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(got).toEqual([]);
    const aborter = new AbortController();
    const sending = send({ target: url, ...EMPTY, signal: aborter.signal });
    setTimeout(() => aborter.abort(reason), 20);
    await expect(sending).rejects.toBe(reason);
  });

  it("reports whether there was a connection when the time was up", async () => {
    const { url } = await openTarget(() => {});
    for (const connection of ["new", "kept open"]) {
      await expect(send({ target: url, ...EMPTY, timeout: 40 }), connection).rejects.toMatchObject({
        message: expect.stringMatching(/: connected, but no answer/),
        cause: { name: "TimeoutError" },
      });
    }
  });

  it("sends again if a kept-alive connection is closed when it is reused", async () => {
    const { url, got } = await openTarget((response) => {
      response.end("ok");
      if (got.length !== 1) return;
      // The target closes it, but the client notices only at its next send.
      const { socket } = response;
      setImmediate(() => socket?.once("data", () => socket.resetAndDestroy()));
    });
    await send({ target: url, ...EMPTY });
    const body = Buffer.from("second");
    expect(await send({ target: url, headers: {}, body })).toMatchObject({ status: 200 });
    expect(got.at(-1)?.body).toEqual(body);
  });

  it("leaves no listeners on a reused connection", async () => {
    const warned = vi.fn();
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const { url } = await openTarget();
    for (let time = 0; time < 15; time++) await send({ target: url, ...EMPTY });
    await new Promise((resolve) => setImmediate(resolve));
    expect(warned).not.toHaveBeenCalled();
  });

  it("returns as much of an answer as requested, as text and bytes, and whether it was cut", async () => {
    const { url } = await openTarget((response) => void response.end("12345"));
    expect(await send({ target: url, ...EMPTY, maxAnswer: 5 })).toMatchObject({
      body: "12345",
      bytes: Buffer.from("12345"),
      cut: undefined,
    });
    expect(await send({ target: url, ...EMPTY, maxAnswer: 4 })).toMatchObject({
      body: "1234",
      bytes: Buffer.from("1234"),
      cut: "too_long",
    });
  });
});

it("only an error of its own says that there was no connection, or no answer in time", () => {
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const unreachable = (cause: unknown) =>
    new HookporterError("target_unreachable", "away", { cause });
  const overdue = new DOMException("late", "TimeoutError");
  expect([refused, overdue, undefined].map(isUnconnected)).toEqual([false, false, false]);
  expect([refused, overdue, undefined].map(isOverdue)).toEqual([false, false, false]);
  const causes = [refused, new AggregateError([refused]), overdue, undefined];
  expect(causes.map((cause) => isUnconnected(unreachable(cause)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(causes.map((cause) => isOverdue(unreachable(cause)))).toEqual([false, false, true, false]);
});

it("a kept-alive connection without an answer counts as connected", async () => {
  let asked = 0;
  const { url } = await openTarget((response) => {
    if (++asked === 1) response.end("ok");
  });
  expect(await send({ target: url, ...EMPTY })).toMatchObject({ ok: true });
  await expect(send({ target: url, ...EMPTY, timeout: 100 })).rejects.toThrow(
    "connected, but no answer within 100 ms",
  );
});
