import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { BodyLimits, BodyResult } from "../../src/entries/index.ts";
import { BodyBudget } from "../../src/http/body-budget.ts";
import { readBody } from "../../src/http/read-body.ts";
import { openEndpoint } from "../receiver/open.ts";
import { bytes, envelope, signedHeaders, uncaught, until } from "../receiver/sample.ts";
import { ADAPTERS, dial } from "../receiver/wire.ts";

const EVENTS = ["data", "end", "error", "close"] as const;
const ROOMY: BodyLimits = { limit: 1000, timeout: 5000 };

async function reading(head: string, limits: BodyLimits, ready = async (_: IncomingMessage) => {}) {
  const server = createServer();
  const under = new Promise<Under>((begun) => {
    server.on("request", async (request: IncomingMessage) => {
      await ready(request);
      const before = counts(request);
      const result = (async () => readBody(request, limits))();
      result.catch(() => {});
      begun({ request, before, result });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const socket: Socket = await dial(new URL(`http://127.0.0.1:${port}`));
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n`);
  return { socket, ...(await under) };
}

interface Under {
  readonly request: IncomingMessage;
  readonly before: readonly number[];
  readonly result: Promise<BodyResult>;
}

function counts(request: IncomingMessage): number[] {
  return EVENTS.map((event) => request.listenerCount(event));
}

function expectClean({ request, before }: Under): void {
  const [data = 0, end = 0, error = 0, close = 0] = before;
  expect(counts(request)).toEqual([data, end, error + 1, close + 1]);
}

describe("readBody", () => {
  it.each([
    ["one piece", [Buffer.from("héllo")]],
    [
      "several pieces",
      [Buffer.from([0xff, 0x00]), Buffer.from([0x0d, 0x0a, 0xc3]), Buffer.from([0xa9])],
    ],
    ["no pieces", []],
  ])("returns the raw bytes of a body in %s", async (_, pieces) => {
    const whole = Buffer.concat(pieces);
    const read = await reading(`Content-Length: ${whole.length}\r\n`, ROOMY);
    for (const piece of pieces) {
      read.socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(Buffer.from((await read.result) as Uint8Array)).toEqual(whole);
  });

  it("returns an empty body for a request without one", async () => {
    const { result } = await reading("", ROOMY);
    expect(Buffer.from((await result) as Uint8Array)).toHaveLength(0);
  });

  it.each([
    ["some", (request: IncomingMessage) => once(request, "data").then(() => {})],
    ["all", (request: IncomingMessage) => once(request.resume(), "end").then(() => {})],
  ])(
    "refuses a body of which other code has read %s, since its end may never arrive",
    async (_, ready) => {
      const { result } = await reading("Content-Length: 5\r\n\r\nhello", ROOMY, ready);
      await expect(result).rejects.toMatchObject({ code: "body_already_parsed" });
    },
  );

  it("does not wait for an aborted request", async () => {
    const gone = (request: IncomingMessage) => {
      request.on("error", () => {}).socket.destroy();
      return new Promise<void>((resolve) => request.once("close", resolve));
    };
    const { result } = await reading("Content-Length: 5\r\n", ROOMY, gone);
    expect(await result).toBe("aborted");
  });

  it("does not wait for a body whose declared length exceeds the limit", async () => {
    const { result } = await reading("Content-Length: 1001\r\n", ROOMY);
    expect(await result).toBe("too_large");
  });

  it("[case 28] stops as soon as the count exceeds the limit, and reads no further", async () => {
    const read = await reading("Transfer-Encoding: chunked\r\n", { ...ROOMY, limit: 5 });
    read.socket.write("5\r\n12345\r\n");
    read.socket.write("1\r\n6\r\n");
    expect(await read.result).toBe("too_large");
    expect(read.request.isPaused()).toBe(true);
    expectClean(read);
  });

  it("[case 46] gives up if the body is not complete in time, even if it trickles steadily", async () => {
    const read = await reading("Content-Length: 1000\r\n", { ...ROOMY, timeout: 30 });
    const drip = setInterval(() => read.socket.write("x"), 3);
    onTestFinished(() => clearInterval(drip));
    expect(await read.result).toBe("too_slow");
    expectClean(read);
  });

  it("[case 45] reports a connection that ends in the middle, without an uncaught error", async () => {
    const caught = uncaught();
    for (const end of ["destroy", "resetAndDestroy"] as const) {
      const read = await reading("Content-Length: 10\r\n", ROOMY);
      read.socket.write("12345");
      read.socket[end]();
      expect(await read.result).toBe("aborted");
      expectClean(read);
    }
    expect(caught).toEqual([]);
  });

  it("ignores a reset after the end of the body", async () => {
    const caught = uncaught();
    const read = await reading("Content-Length: 1001\r\n", ROOMY);
    expect(await read.result).toBe("too_large");
    const closed = new Promise((resolve) => read.request.once("close", resolve));
    read.socket.resetAndDestroy();
    await closed;
    expect(caught).toEqual([]);
  });
});

describe("readBody with a budget", () => {
  const KIB = 1024;
  const open = (limit: number) => {
    const budget = new BodyBudget(limit);
    return { budget, limits: { limit: 64 * KIB, timeout: 5000, budget } };
  };
  const heldIs = (budget: BodyBudget, bytes: number) =>
    until(() => expect(budget.held).toBe(bytes));

  it("returns the bytes of a body that arrives in many pieces, and counts it until it is complete", async () => {
    const { budget, limits } = open(64 * KIB);
    const body = Buffer.from(Array.from({ length: 50 * KIB }, (_, index) => index % 251));
    for (const head of ["Content-Length: 51200\r\n", "Transfer-Encoding: chunked\r\n"]) {
      const chunked = head.startsWith("Transfer");
      const { socket, result } = await reading(head, limits);
      for (let at = 0; at < body.length; at += 10 * KIB) {
        const piece = body.subarray(at, at + 10 * KIB);
        socket.write(
          chunked ? Buffer.concat([Buffer.from("2800\r\n"), piece, Buffer.from("\r\n")]) : piece,
        );
        if (at < 40 * KIB) await heldIs(budget, Math.ceil((at + 10 * KIB) / (16 * KIB)) * 16 * KIB);
      }
      if (chunked) socket.write("0\r\n\r\n");
      expect(body.equals((await result) as Uint8Array)).toBe(true);
      expect(budget.held).toBe(0);
    }
  });

  it("does not count a body that arrives in one piece", async () => {
    const { budget, limits } = open(64 * KIB);
    const counted = vi.spyOn(budget, "open");
    const { socket, result } = await reading("Content-Length: 600\r\n", limits);
    socket.write(Buffer.alloc(600));
    expect(await result).toHaveLength(600);
    expect(counted).not.toHaveBeenCalled();
  });

  it("[case 46] ends a stalled body when another one needs the room, and reads the other one", async () => {
    const { budget, limits } = open(64 * KIB);
    const stalled = await reading("Content-Length: 50000\r\n", limits);
    stalled.socket.write(Buffer.alloc(40_000));
    await heldIs(budget, 48 * KIB);
    const honest = await reading("Content-Length: 50000\r\n", limits);
    honest.socket.write(Buffer.alloc(30_000));
    expect(await stalled.result).toBe("stalled");
    expectClean(stalled);
    honest.socket.write(Buffer.alloc(20_000));
    expect(await honest.result).toHaveLength(50_000);
    expect(budget.held).toBe(0);
  });

  it("reports `overloaded` if no other body can be ended to make room", async () => {
    const { budget, limits } = open(16 * KIB);
    const { socket, result } = await reading("Content-Length: 50000\r\n", limits);
    socket.write(Buffer.alloc(20_000));
    expect(await result).toBe("overloaded");
    expect(budget.held).toBe(0);
  });

  it("stops counting a body that is too large, too slow or aborted", async () => {
    const { budget, limits } = open(64 * KIB);
    const large = await reading("Transfer-Encoding: chunked\r\n", { ...limits, limit: 100 });
    large.socket.write("40\r\n".padEnd(68, "x"));
    await heldIs(budget, 16 * KIB);
    large.socket.write("\r\n40\r\n".padEnd(70, "x"));
    expect(await large.result).toBe("too_large");
    const slow = await reading("Content-Length: 10\r\n", { ...limits, timeout: 50 });
    slow.socket.write("12345");
    await heldIs(budget, 16 * KIB);
    expect(await slow.result).toBe("too_slow");
    const gone = await reading("Content-Length: 10\r\n", limits);
    gone.socket.write("12345");
    await heldIs(budget, 16 * KIB);
    gone.socket.destroy();
    expect(await gone.result).toBe("aborted");
    expect(budget.held).toBe(0);
  });

  it("[case 28] uses little memory for thousands of one-byte chunks", async () => {
    const { budget, limits } = open(64 * KIB);
    const { socket, result } = await reading("Transfer-Encoding: chunked\r\n", limits);
    socket.write("1\r\nx\r\n".repeat(5000));
    await until(() => expect(budget.held).toBeGreaterThan(0));
    expect(budget.held).toBe(16 * KIB);
    socket.write("0\r\n\r\n");
    expect(await result).toHaveLength(5000);
  });
});

describe.each(ADAPTERS.filter(({ hides }) => !hides?.stream))(
  "a body that is cut off over $name",
  (adapter) => {
    it("[case 45] is not kept, even if the received part is validly signed, and the receiver keeps serving", async () => {
      const caught = uncaught();
      const { url, post, outcomes, entries } = await openEndpoint(adapter);
      const body = bytes(envelope());
      const socket = await dial(url);
      const headers = { host: "x", ...signedHeaders(body), "content-length": body.length + 1 };
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST /webhooks HTTP/1.1\r\n${head.join("")}\r\n`);
      socket.write(body, () => socket.resetAndDestroy());
      await until(() => expect(outcomes()).toEqual([{ type: "refused", reason: "aborted" }]));
      expect(await entries()).toEqual([]);
      expect((await post(envelope())).status).toBe(200);
      expect(caught).toEqual([]);
    });
  },
);
