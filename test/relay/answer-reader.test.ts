import { type IncomingHttpHeaders, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { AnswerReader } from "../../src/relay/answer-reader.ts";
import { Exchange } from "../../src/relay/exchange.ts";

/** What was read of an answer. */
interface Read {
  status?: number;
  headers?: IncomingHttpHeaders;
  body: string;
  ended?: boolean;
  surplus?: boolean;
  persistent?: boolean;
  code?: string;
}

/** Reads an answer that arrives in these pieces, after which the connection ends. */
function read(pieces: readonly Buffer[]): Read {
  const got: Read = { body: "" };
  const reader = new AnswerReader({
    head: ({ status, headers, persistent }) => Object.assign(got, { status, headers, persistent }),
    body: (piece) => {
      got.body += piece.toString("latin1");
    },
    end: (surplus) => Object.assign(got, { ended: true, surplus }),
  });
  try {
    for (const piece of pieces) {
      if (piece.byteLength === 0) continue;
      if (got.ended === true) got.surplus = true;
      else {
        // As a connection does, which reads into the same memory again.
        const shared = Buffer.from(piece);
        reader.read(shared);
        shared.fill("?");
      }
    }
    if (got.ended !== true) reader.close();
  } catch (thrown) {
    got.code = (thrown as NodeJS.ErrnoException).code ?? "none";
  }
  return got;
}

const HEAD = "HTTP/1.1 200 OK\r\n";

/** Answers, or what only looks like one. */
const ANSWERS: Readonly<Record<string, string>> = {
  "a body of known length": `${HEAD}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`,
  "no body": `${HEAD}Content-Length: 0\r\n\r\n`,
  "no reason": "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
  "a reason in Latin-1": "HTTP/1.1 500 Fehl\u00e9r\r\nContent-Length: 2\r\n\r\nno",
  "a body until the connection ends": `${HEAD}X-A: 1\r\n\r\nhello`,
  "HTTP/1.0": "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
  "HTTP/1.0 kept alive": "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
  "a connection that is closed": `${HEAD}Connection: close\r\nContent-Length: 2\r\n\r\nok`,
  chunks: `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n`,
  "upper-case chunks with trailers": `${HEAD}Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n`,
  "chunks over a coding": `${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  "204 with a length": "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
  "304": "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n",
  "100 before it": `HTTP/1.1 100 Continue\r\n\r\n${HEAD}Content-Length: 2\r\n\r\nok`,
  "103 with headers before it": `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${HEAD}Content-Length: 2\r\n\r\nok`,
  "headers with spaces around": `${HEAD}X-A: \t a b \t\r\nX-B:\r\nContent-Length: 2\r\n\r\nok`,
  "headers that are repeated": `${HEAD}X-A: 1\r\nx-a: 2\r\nRetry-After: 3\r\nRetry-After: 4\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nCookie: c\r\nCookie: d\r\nContent-Length: 0\r\n\r\n`,
  "a header that is an object's own": `${HEAD}constructor: x\r\nContent-Length: 0\r\n\r\n`,
  "bytes in Latin-1": `${HEAD}X-A: \u00e9\r\nContent-Length: 1\r\n\r\n\u00ff`,
  "a body that is cut off": `${HEAD}Content-Length: 5\r\n\r\nhel`,
  "chunks that are cut off": `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`,
  "a head that is cut off": `${HEAD}Content-Le`,
  nothing: "",
  "another protocol": "SSH-2.0-server\r\n",
  "another version": "HTTP/3.7 200 OK\r\nContent-Length: 0\r\n\r\n",
  "a status of two digits": "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n",
  "a status with letters": "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n",
  "a header without a colon": `${HEAD}nonsense\r\n\r\n`,
  "a header with a space in its name": `${HEAD}X A: 1\r\n\r\n`,
  "a header with a control character": `${HEAD}X-A: a\u0001b\r\nContent-Length: 0\r\n\r\n`,
  "a header with a zero byte": `${HEAD}X-A: a\0b\r\nContent-Length: 0\r\n\r\n`,
  "two lengths": `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`,
  "a length with a sign": `${HEAD}Content-Length: +2\r\n\r\nok`,
  "a length that is a text": `${HEAD}Content-Length: two\r\n\r\nok`,
  "a length and chunks": `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  "chunks without a size": `${HEAD}Transfer-Encoding: chunked\r\n\r\nhello\r\n0\r\n\r\n`,
  "chunks that are longer than they say": `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n`,
  "a head without an end": `${HEAD}X-A: ${"a".repeat(20_000)}`,
  "a head that is too long": `${HEAD}X-A: ${"a".repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`,
};

describe("an answer", () => {
  it.each(Object.entries(ANSWERS))("with %s is read alike, wherever it is cut in two", (_, text) => {
    const bytes = Buffer.from(text, "latin1");
    const whole = read([bytes]);
    const step = bytes.byteLength > 1000 ? 997 : 1;
    for (let at = 0; at <= bytes.byteLength; at += step)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    const single = Array.from(bytes, (byte) => Buffer.of(byte));
    expect(read(single)).toEqual(whole);
  });

  it("is followed by a surplus if bytes come after its end", () => {
    for (const one of ["a body of known length", "chunks", "no body"]) {
      const answer = Buffer.from(ANSWERS[one] ?? "", "latin1");
      expect(read([answer]), one).toMatchObject({ ended: true, surplus: false, persistent: true });
      expect(read([Buffer.concat([answer, Buffer.from("x")])]), one).toMatchObject({
        ...{ ended: true, surplus: true },
      });
    }
  });

  it.each([["another protocol"], ["a head that is too long"], ["a head without an end"]])(
    "is refused as soon as it is known to be %s",
    (name) => {
      expect(read([Buffer.from(ANSWERS[name] ?? "", "latin1")]).code).toMatch(/^HPE_/);
    },
  );

  it("that asks for another protocol is a connection that was closed", () => {
    const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n";
    expect(read([Buffer.from(upgrade)])).toMatchObject({ code: "ECONNRESET" });
  });

  it("never throws another error, whatever the bytes", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(...Object.values(ANSWERS)).map((text) => Buffer.from(text.slice(0, 300), "latin1")),
      fc
        .constantFrom("\r\n", "\r\n\r\n", "0\r\n\r\n", "HTTP/1.1 200 OK\r\n")
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        expect(read(pieces.map((one) => Buffer.from(one))).code ?? "HPE_").toMatch(/^HPE_|^ECONNRESET$/);
      }),
    );
  });
});

/** What a client made of an answer. */
interface Made {
  status?: number | undefined;
  headers?: object;
  body?: string;
  cut?: boolean;
  error?: string;
}

/** A server that answers the first bytes of a connection with `text`, then closes it. */
async function answering(text: string): Promise<URL> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(text, "latin1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/in`);
}

/** The kind of an error, as users see it. */
const kindOf = (thrown: NodeJS.ErrnoException) =>
  thrown.code?.startsWith("HPE_") ? "HPE" : (thrown.code ?? "none");

function byNode(target: URL): Promise<Made> {
  return new Promise((resolve) => {
    let answered = false;
    const sent = request(
      target,
      { method: "POST", agent: false, headers: { "content-length": 2 } },
      (response) => {
        answered = true;
        let body = "";
        const end = (cut: boolean) =>
          resolve({ status: response.statusCode, headers: { ...response.headers }, body, cut });
        response.setEncoding("latin1").on("data", (piece: string) => {
          body += piece;
        });
        response.on("end", () => end(false)).on("error", () => end(true));
      },
    );
    // Once there is a status, an error concerns the body.
    sent.on("error", (thrown) => answered || resolve({ error: kindOf(thrown) })).end("{}");
  });
}

async function byUs(target: URL): Promise<Made> {
  const posting = { query: "", headers: {}, host: undefined, insecure: false, bodyTimeout: undefined };
  try {
    const exchange = new Exchange({ ...posting, target, body: Buffer.from("{}"), maxAnswer: 1e6 });
    const { status, headers, bytes, cut } = await exchange.answered;
    return { status, headers: { ...headers }, body: bytes.toString("latin1"), cut: cut !== undefined };
  } catch (thrown) {
    return { error: kindOf(thrown as NodeJS.ErrnoException) };
  }
}

it.each(Object.entries(ANSWERS))(
  "an answer with %s is the same to us as to Node's client",
  async (_, text) => {
    const target = await answering(text);
    expect(await byUs(target)).toEqual(await byNode(target));
  },
);
