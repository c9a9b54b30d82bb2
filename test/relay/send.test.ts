import { createServer } from "node:http";
import { type AddressInfo, createServer as createByteServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { createServer as createSecureServer } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Delivery } from "../../src/entries/index.ts";
import { runCli } from "../cli/fake-io.ts";
import { saveDeliveries } from "../cli/save-deliveries.ts";
import { closedAddress, openTarget, SECRET } from "./sample.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";
const OK = `${HEAD}Content-Length: 2\r\n\r\nok`;
const env = { HOOKPORTER_SECRET: SECRET };

/** Sends saved deliveries as they are, with `replay --exact`. */
function replayExactly(
  url: URL,
  deliveries: readonly Partial<Delivery>[] = [{}],
  flags: readonly string[] = [],
) {
  const named = Object.fromEntries(deliveries.map((parts, index) => [`${index + 10}.json`, parts]));
  const argv = ["replay", ".", "--exact", "--json", "--url", url.href, ...flags];
  return runCli(argv, { cwd: saveDeliveries(named) });
}

/** Sends events with `trigger`; returns the record of each answer. */
async function triggered(url: URL, ...flags: string[]) {
  const argv = ["trigger", "lead.created", "--json", "--url", url.href, ...flags];
  return (await runCli(argv, { env })).records;
}

/** The message of the error that ends the sending of one delivery without an answer. */
async function failureOf(url: URL, ...flags: string[]): Promise<string> {
  const run = await replayExactly(url, [{}], flags);
  expect(run.records).toMatchObject([{ type: "error", code: "target_unreachable" }]);
  expect(run.code).toBe(5);
  return String(run.records[0]?.message);
}

/** A server of bytes, to which each connection is given; it ends with the test. */
async function openByteServer(serve: (socket: Socket, connection: number) => void) {
  const sockets: Socket[] = [];
  const server = createByteServer((socket) => {
    socket.on("error", () => {});
    serve(socket, sockets.push(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/in`), sockets };
}

describe("what is sent", () => {
  it("has the bytes and the headers of the delivery, with all their values", async () => {
    const { url, got } = await openTarget();
    const body = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "x-service-signature": `sha256=${"ab".repeat(32)}`,
      "user-agent": "service/1",
      accept: "text/plain",
      "x-empty": "",
      "x-latin": "\u00e9",
      date: "Thu, 15 Jan 2026 10:00:00 GMT",
    };
    await replayExactly(url, [{ body, headers: { ...headers, "x-several": ["a", "b"] } }]);
    expect(got).toMatchObject([
      {
        method: "POST",
        url: "/hooks?a=b",
        body,
        headers: { ...headers, "x-several": "a, b", "content-length": "512" },
      },
    ]);
  });

  it("[case 87] has no headers of another connection", async () => {
    const { url, got } = await openTarget();
    const headers = {
      connection: "close, x-own",
      "keep-alive": "timeout=99",
      "proxy-authenticate": "Basic realm=x",
      "proxy-authorization": "Basic eDp5",
      "proxy-connection": "x-own",
      te: "trailers",
      trailer: "x-own",
      "transfer-encoding": "chunked",
      upgrade: "websocket",
      expect: "100-continue",
      host: "evil.test",
      "Content-Length": "9999",
      "accept-encoding": "x-own",
    };
    const deliveries = Object.entries(headers).map(([name, value]) => ({
      headers: { [name]: value },
      body: Buffer.from("{}"),
    }));
    await replayExactly(url, deliveries);
    expect(got).toHaveLength(deliveries.length);
    for (const [index, { rawHeaders, body }] of got.entries()) {
      expect(rawHeaders).not.toContain(Object.values(headers)[index]);
      expect(rawHeaders.join()).toBe(`content-length,2,Host,${url.host},Connection,keep-alive`);
      expect(body.toString()).toBe("{}");
    }
  });

  it.each([
    ["/webhooks", ""],
    ["/webhooks?", "?"],
    ["/webhooks?code=a%2fb'\"<>&x?y", "?code=a%2fb'\"<>&x?y"],
    ["/webhooks?x#z", "?x#z"],
    ["?x", "?x"],
    ["", ""],
    ["/webhooks?code=…", ""],
    ["/webhooks?a=1&…", ""],
    ["/webhooks?a b", ""],
    ["/webhooks?a\r\nx: y", ""],
  ])("of a delivery to %j has the query %j, unless its target has one", async (target, query) => {
    const { url, got } = await openTarget();
    for (const path of ["/in", "/in?own=1"]) await replayExactly(new URL(path, url), [{ target }]);
    expect(got.map(({ url: asked }) => asked)).toEqual([`/in${query}`, "/in?own=1"]);
  });
});

describe("an answer", () => {
  it.each([
    ["a body of known length", `${HEAD}Content-Length: 5\r\n\r\nhello`, "200 hello"],
    ["a body until the connection ends", `${HEAD}X-A: 1\r\n\r\nhello`, "200 hello"],
    [
      "chunks",
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n`,
      "200 hello world",
    ],
    ["103 before it", `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}`, "200 ok"],
    ["a body that is cut off", `${HEAD}Content-Length: 5\r\n\r\nhel`, "200 hel"],
    ["chunks without a size", `${HEAD}Transfer-Encoding: chunked\r\n\r\nhello\r\n`, "200"],
    ["a head that is cut off", `${HEAD}Content-Le`, "the connection was closed"],
    ["nothing", "", "the connection was closed"],
    [
      "another protocol after it",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      "the connection was closed",
    ],
    ["another protocol", "SSH-2.0-server\r\n", "the server there does not speak HTTP"],
    ["a head that is too long", `${HEAD}X-A: ${"a".repeat(20_000)}`, "the server there does not"],
  ])("with %s is read, or refused", async (_, bytes, expected) => {
    const { url } = await openByteServer((socket) => socket.once("data", () => socket.end(bytes)));
    const [record] = (await replayExactly(url)).records;
    if (record?.type === "answer") expect(`${record.status} ${record.body}`.trim()).toBe(expected);
    else expect(record?.message).toContain(`${url.origin}: ${expected}`);
  });

  it("is good if its status is 2xx", async () => {
    const statuses = [200, 204, 299, 304, 400, 401, 410, 500, 503];
    const { url, got } = await openTarget((response) => {
      response.writeHead(statuses[got.length - 1] ?? 500).end();
    });
    const records = await triggered(url, "--count", `${statuses.length}`);
    expect(records.map(({ status }) => status)).toEqual(statuses);
    expect(records.filter(({ ok }) => ok).map(({ status }) => status)).toEqual([200, 204, 299]);
    for (const { duration } of records) expect(duration).toBeGreaterThanOrEqual(0);
  });

  it("counts by its status, if its body lasts until the time is up", async () => {
    const { url } = await openTarget((response) => void response.writeHead(202).write("and then"));
    expect(await triggered(url, "--timeout", "300ms")).toMatchObject([
      { status: 202, body: "and then" },
    ]);
  });
});

describe("without an answer", () => {
  it("an address at which nothing listens is named with the reason", async () => {
    const url = await closedAddress();
    expect(await failureOf(url)).toMatch(`${url.origin}: connection refused: nothing listens`);
    url.hostname = "localhost";
    expect(await failureOf(url)).toMatch("refused on 127.0.0.1 and ::1: nothing listens there");
    expect(await failureOf(new URL("http://no-such-host.invalid:1/"))).toMatch(
      /no-such-host\.invalid/,
    );
  });

  it.each([
    ["127.0.0.1", "::1"],
    ["::1", "127.0.0.1"],
  ])("of %s, %s is named if something listens there", async (asked, where) => {
    const named = (address: string) => (address.includes(":") ? `[${address}]` : address);
    const server = createServer();
    const listens = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(0, where, () => resolve(true));
    });
    if (!listens) return; // a machine without IPv6
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(new URL(`http://${named(asked)}:${port}/hooks`));
    expect(failure).toContain(`connection refused on ${asked}, but something listens on ${where}`);
    expect(failure).toContain(`http://${named(where)}:${port}`);
  });

  it("a plain server asked for TLS, and the reverse, are named with the right URL", async () => {
    const plain = await openTarget();
    const secure = new URL(plain.url);
    secure.protocol = "https:";
    expect(await failureOf(secure)).toContain(`use http://${plain.url.host}`);
    // Without a certificate the handshake fails, but with a TLS alert.
    const server = createSecureServer({ SNICallback: (_, done) => done(new Error("none")) });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await failureOf(new URL(`http://127.0.0.1:${port}`))).toContain(
      `use https://127.0.0.1:${port}`,
    );
  });

  it("in time, a target is named as connected, by a new connection or one that was kept", async () => {
    const { url, got } = await openTarget((response) => {
      if (got.length === 1) response.end("ok");
    });
    const silent = await openTarget(() => {});
    const late = "connected, but no answer within 250 ms";
    expect(await failureOf(silent.url, "--timeout", "250ms")).toContain(late);
    expect(await triggered(url)).toMatchObject([{ status: 200 }]);
    expect(await failureOf(url, "--timeout", "250ms")).toContain(late);
  });
});

describe("a connection", () => {
  const answering = (answer = OK) =>
    openByteServer((socket) => void socket.on("data", () => socket.write(answer)));

  it("serves requests that follow each other, and each of several at a time has its own", async () => {
    const warned = vi.fn();
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const { url, sockets } = await answering();
    // Node warns of so many listeners on one socket, if requests leave theirs there.
    expect(await triggered(url, "--count", "15")).toHaveLength(15);
    expect(sockets).toHaveLength(1);
    await triggered(url, "--count", "3", "HOOKPORTER_CONCURRENCY=3");
    expect(sockets).toHaveLength(3);
    expect(warned).not.toHaveBeenCalled();
  });

  it.each([
    ["asks to close it", "Connection: close\r\n"],
    ["keeps it for a second only", "Keep-Alive: timeout=1\r\n"],
  ])("is not used again if the answer %s", async (_, header) => {
    const { url, sockets } = await answering(`${HEAD}${header}Content-Length: 2\r\n\r\nok`);
    await triggered(url, "--count", "2");
    expect(sockets).toHaveLength(2);
  });

  it("is not used again after bytes that no one asked for", async () => {
    const surplus = "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno";
    const { url, sockets } = await openByteServer((socket, connection) => {
      socket.on("data", () => {
        socket.write(OK);
        if (connection === 1) setTimeout(() => socket.write(surplus), 20);
      });
    });
    await triggered(url);
    await wait(60);
    expect(await triggered(url)).toMatchObject([{ status: 200 }]);
    expect(sockets).toHaveLength(2);
  });

  it("that is answered early still carries the whole body", async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, "x");
    let received = 0;
    const { url, sockets } = await openByteServer((socket) => {
      socket.once("data", () => {
        socket.write(OK);
        socket.pause();
        setTimeout(() => socket.resume(), 50);
      });
      socket.on("data", (piece) => {
        received += piece.length;
      });
    });
    const { records } = await replayExactly(url, [{ body }]);
    expect(records).toMatchObject([{ status: 200, body: "ok" }]);
    while (received < body.byteLength) await wait(10);
    await wait(20);
    expect(sockets[0]?.destroyed).toBe(false);
  });

  it("that its target closes while it is idle is left", async () => {
    const { url, sockets } = await openByteServer((socket) => {
      socket.once("data", () => socket.end(OK));
    });
    for (let time = 0; time < 3; time++) {
      expect(await triggered(url)).toMatchObject([{ status: 200 }]);
      await wait(20);
    }
    expect(sockets).toHaveLength(3);
  });

  it("that turns out to be closed when it is used again is replaced, and the delivery sent again", async () => {
    const { url, got } = await openTarget((response) => {
      response.end("ok");
      if (got.length !== 1) return;
      // The target closes it, but the client notices only at its next send.
      const { socket } = response;
      setImmediate(() => socket?.once("data", () => socket.resetAndDestroy()));
    });
    await replayExactly(url);
    const body = Buffer.from("second");
    expect((await replayExactly(url, [{ body }])).records).toMatchObject([{ status: 200 }]);
    expect(got.at(-1)?.body).toEqual(body);
  });
});
