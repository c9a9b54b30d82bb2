import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { Exchange, type Posting } from "../../src/relay/exchange.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";
const OK = `${HEAD}Content-Length: 2\r\n\r\nok`;

/** A server of bytes: `serve` gets each connection with its number. */
async function openServer(serve: (socket: Socket, connection: number) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    serve(
      socket.on("error", () => {}),
      sockets.push(socket),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    target: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/in`),
    sockets,
  };
}

/** Posts two bytes, except for the options. */
function post(target: URL, options: Partial<Posting> = {}) {
  const posting = { query: "", headers: {}, host: undefined, insecure: false, bodyTimeout: 5000 };
  const body = Buffer.from("{}");
  return new Exchange({ ...posting, target, body, maxAnswer: 1e6, ...options }).answered;
}

describe("a request", () => {
  /** The lines before the body of a request, as they arrive. */
  async function linesOf(
    options: Partial<Posting>,
    path = "/in?a=b",
    user = "",
  ): Promise<readonly string[]> {
    let lines: readonly string[] = [];
    const { target } = await openServer((socket) => {
      socket.once("data", (bytes) => {
        lines = bytes.toString("latin1").split("\r\n\r\n")[0]?.split("\r\n") ?? [];
        socket.end(OK);
      });
    });
    await post(new URL(path, target.href.replace("//", `//${user}`)), options);
    return lines.map((line) => line.replace(target.host, "HOST"));
  }

  it("has the given headers in their order and spelling, then its own", async () => {
    const headers = {
      "X-B": ["1", "2"],
      "x-a": ["\u00e9"],
      "x-empty": [""],
      Cookie: ["c=1", "d=2"],
    };
    expect(await linesOf({ headers })).toEqual([
      "POST /in?a=b HTTP/1.1",
      "X-B: 1",
      "X-B: 2",
      "x-a: \u00e9",
      "x-empty: ",
      "Cookie: c=1; d=2",
      "content-length: 2",
      "Host: HOST",
      "Connection: keep-alive",
    ]);
  });

  it("has the given host, and the given query if the target has none", async () => {
    const lines = await linesOf({ query: "?c=%41", host: "other.test" }, "/in");
    expect(lines[0]).toBe("POST /in?c=%41 HTTP/1.1");
    expect(lines.filter((line) => /^host:/i.test(line))).toEqual(["host: other.test"]);
    expect((await linesOf({ query: "?c=%41" }))[0]).toBe("POST /in?a=b HTTP/1.1");
  });

  it("has one header for several spellings of its name, the last", async () => {
    const lines = await linesOf({ headers: { "X-A": ["1"], "x-b": ["2"], "x-a": ["3"] } });
    expect(lines.slice(1, 3)).toEqual(["x-a: 3", "x-b: 2"]);
  });

  it("has the user and password of a URL, unless the delivery is authorized", async () => {
    const user = "a%40b:c%3Ad@";
    const basic = `Authorization: Basic ${Buffer.from("a@b:c:d").toString("base64")}`;
    expect(await linesOf({}, "/", user)).toContain(basic);
    const own = await linesOf({ headers: { authorization: ["Bearer x"] } }, "/", user);
    expect(own.filter((line) => /^authorization/i.test(line))).toEqual(["authorization: Bearer x"]);
  });

  it.each([
    ["a value with a line break", { "x-a": ["1\r\nx-b: 2"] }, "ERR_INVALID_CHAR"],
    ["a value beyond Latin-1", { "x-a": ["\u20ac"] }, "ERR_INVALID_CHAR"],
    ["a name with a space", { "x a": ["1"] }, "ERR_INVALID_HTTP_TOKEN"],
    ["a name with a line break", { "x\r\ny": ["1"] }, "ERR_INVALID_HTTP_TOKEN"],
    ["an empty name", { "": ["1"] }, "ERR_INVALID_HTTP_TOKEN"],
  ])("never has %s", async (_, headers, code) => {
    await expect(linesOf({ headers })).rejects.toMatchObject({ code });
  });

  it.each([" ", "\r\n", "\u20ac"])("never has a query with %j", async (text) => {
    const expected = { code: "ERR_UNESCAPED_CHARACTERS" };
    await expect(linesOf({ query: `?a=${text}` }, "/")).rejects.toMatchObject(expected);
  });
});

describe("an answer", () => {
  /** What is made of an answer after which the connection ends. */
  async function madeOf(text: string): Promise<string> {
    const { target } = await openServer((socket) =>
      socket.once("data", () => socket.end(text, "latin1")),
    );
    return post(target).then(
      ({ status, bytes, cut = "complete" }) =>
        `${status} ${cut} ${bytes.toString("latin1")}`.trimEnd(),
      ({ code = "no code" }: NodeJS.ErrnoException) => code.replace(/^HPE_.*/, "no HTTP"),
    );
  }

  it.each([
    ["a body of known length", `${HEAD}Content-Length: 5\r\n\r\nhello`, "200 complete hello"],
    ["no body", `${HEAD}Content-Length: 0\r\n\r\n`, "200 complete"],
    ["no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "200 complete ok"],
    [
      "a reason in Latin-1",
      "HTTP/1.1 500 Fehl\u00e9r\r\nContent-Length: 2\r\n\r\nno",
      "500 complete no",
    ],
    ["a body until the connection ends", `${HEAD}X-A: 1\r\n\r\nhello`, "200 complete hello"],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "200 complete ok"],
    [
      "chunks",
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-T: 1\r\n\r\n`,
      "200 complete hello world",
    ],
    ["204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "204 complete"],
    ["100 before it", `HTTP/1.1 100 Continue\r\n\r\n${OK}`, "200 complete ok"],
    ["103 before it", `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}`, "200 complete ok"],
    ["bytes in Latin-1", `${HEAD}Content-Length: 1\r\n\r\n\u00ff`, "200 complete \u00ff"],
    ["a body that is cut off", `${HEAD}Content-Length: 5\r\n\r\nhel`, "200 closed hel"],
    [
      "chunks that are cut off",
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`,
      "200 closed hel",
    ],
    [
      "chunks without a size",
      `${HEAD}Transfer-Encoding: chunked\r\n\r\nhello\r\n0\r\n\r\n`,
      "200 closed",
    ],
    ["a head that is cut off", `${HEAD}Content-Le`, "ECONNRESET"],
    ["nothing", "", "ECONNRESET"],
    [
      "another protocol after it",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      "ECONNRESET",
    ],
    ["another protocol", "SSH-2.0-server\r\n", "no HTTP"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", "no HTTP"],
    ["a header without a colon", `${HEAD}nonsense\r\n\r\n`, "no HTTP"],
    ["two lengths", `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`, "no HTTP"],
    [
      "a length and chunks",
      `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
      "no HTTP",
    ],
    ["a head that is too long", `${HEAD}X-A: ${"a".repeat(20_000)}`, "no HTTP"],
  ])("with %s is read, or refused", async (_, text, expected) => {
    expect(await madeOf(text)).toBe(expected);
  });

  it("has its headers by lowercase name, repeated ones joined", async () => {
    const lines =
      "X-A: 1\r\nx-a: \t 2 \r\nRetry-After: 3\r\nRetry-After: 4\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n";
    const { target } = await openServer((socket) =>
      socket.once("data", () => socket.end(`${HEAD}${lines}\r\n`)),
    );
    expect((await post(target)).headers).toEqual({
      "x-a": "1, 2",
      "retry-after": "3",
      "set-cookie": ["a", "b"],
    });
  });
});

it("one connection serves requests that follow each other, and each of several at a time has its own", async () => {
  const { target, sockets } = await openServer((socket) =>
    socket.on("data", () => socket.write(OK)),
  );
  for (let time = 0; time < 5; time++) await post(target);
  expect(sockets).toHaveLength(1);
  await Promise.all([post(target), post(target), post(target)]);
  expect(sockets).toHaveLength(3);
});

it.each([
  ["asks to close it", "Connection: close\r\n"],
  ["keeps it for a second only", "Keep-Alive: timeout=1\r\n"],
])("a connection is not used again if the answer %s", async (_, header) => {
  const answer = `HTTP/1.1 200 OK\r\n${header}Content-Length: 2\r\n\r\nok`;
  const { target, sockets } = await openServer((socket) =>
    socket.on("data", () => socket.write(answer)),
  );
  await post(target);
  await post(target);
  expect(sockets).toHaveLength(2);
});

it("a connection is not used again after bytes that no one asked for", async () => {
  const { target, sockets } = await openServer((socket, connection) => {
    const surplus = "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno";
    if (connection === 2) socket.on("data", () => socket.write(OK));
    else
      socket.once("data", () => {
        socket.write(OK);
        setTimeout(() => socket.write(surplus), 20);
      });
  });
  await post(target);
  await wait(60);
  expect(await post(target)).toMatchObject({ status: 200 });
  expect(sockets).toHaveLength(2);
});

it("a target that answers early still receives the whole body", async () => {
  const body = Buffer.alloc(8 * 1024 * 1024, "x");
  let received = 0;
  const { target, sockets } = await openServer((socket) => {
    socket.once("data", () => {
      socket.write(OK);
      socket.pause();
      setTimeout(() => socket.resume(), 50);
    });
    socket.on("data", (piece) => {
      received += piece.length;
    });
  });
  expect(await post(target, { body })).toMatchObject({ status: 200, bytes: Buffer.from("ok") });
  while (received < body.byteLength) await wait(10);
  await wait(20);
  expect(sockets[0]?.destroyed).toBe(false);
});

it("an idle connection that its target closes is left", async () => {
  const { target, sockets } = await openServer((socket) => {
    socket.once("data", () => socket.end(OK));
  });
  for (let time = 0; time < 3; time++) {
    expect(await post(target)).toMatchObject({ status: 200 });
    await wait(20);
  }
  expect(sockets).toHaveLength(3);
});

it("sends a delivery that was kept with the names that HTTP/2 adds to the headers, without these", async () => {
  let received = "";
  const { target } = await openServer((socket) => {
    socket.once("data", (piece) => {
      received = String(piece);
      socket.end(OK);
    });
  });
  const headers = { ":path": "/webhooks?token=x", "x-kept": "v" };
  expect(await post(target, { headers })).toMatchObject({ status: 200 });
  expect(received).toContain("x-kept: v");
  expect(received).not.toContain("token");
});
