import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { isLocalhost } from "../base/localhost.ts";
import type { DeliveryHeaders } from "../event/delivery.ts";
import { connectOptions, noteRefusal } from "../http/connect-options.ts";
import { NOT_PASSED_ON } from "./hop-by-hop.ts";
import { lookupPrivate } from "./private-address.ts";

export interface Posting {
  /** Default `POST`. */
  readonly method?: string;
  readonly target: URL;
  /** The query to send if the target has none, with its `?`, letter for letter: see `queryOf`. */
  readonly query?: string | undefined;
  /** Those of one connection are not sent. */
  readonly headers: DeliveryHeaders;
  /** The header `Host`, whose name TLS asks for. Default: that of the target. */
  readonly host?: string | undefined;
  /**
   * Whether the target may have any certificate, such as a self-signed one. A name must then have
   * loopback or private addresses only; the caller checks a target that is an IP address. Default
   * `false`.
   */
  readonly insecure?: boolean;
  readonly body: Uint8Array;
  /** How many bytes of the answer's body to read. Default 64 KiB. */
  readonly maxAnswer?: number | undefined;
  /**
   * Milliseconds that the answer's body may take after its status. Default: until
   * {@link Exchange.stop}.
   */
  readonly bodyTimeout?: number | undefined;
}

const MAX_ANSWER = 64 * 1024;

/**
 * Why an answer's body is not complete: longer than `maxAnswer`, cut off by the connection, or not
 * there in time.
 */
export type Cut = "too_long" | "closed" | "overdue";

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, or its beginning. */
  readonly bytes: Buffer;
  /** Why the body is not complete; `undefined` if it is. */
  readonly cut: Cut | undefined;
  /** The address that answered, if the target's name has one in each family. */
  readonly address: string | undefined;
}

/** Keep-alive connections to targets. Not `fetch`, which refuses the ports that browsers refuse. */
const AGENTS = {
  "http:": new HttpAgent({ keepAlive: true }),
  "https:": new HttpsAgent({ keepAlive: true }),
};

/**
 * One request and its answer. Sends again, once, if a kept-alive connection turns out to be closed,
 * or the app may now listen on the other loopback address.
 */
export class Exchange {
  /**
   * Rejects with Node's error if there is no status. Once there is one, that is the answer, however
   * the body ends.
   */
  readonly answered: Promise<ExchangeAnswer>;
  readonly #posting: Posting;
  #request: ClientRequest | undefined;
  #connected = false;
  #stopped = false;
  #endBody: ((cut: Cut) => void) | undefined;

  constructor(posting: Posting) {
    this.#posting = posting;
    this.answered = this.#post()
      .catch((thrown: NodeJS.ErrnoException) => {
        const isStale = this.#request?.reusedSocket === true && thrown.code === "ECONNRESET";
        return this.#again(thrown, isStale);
      })
      .catch((thrown: unknown) => this.#again(thrown, noteRefusal(posting.target, thrown)));
  }

  #again(thrown: unknown, isWorthIt: boolean): Promise<ExchangeAnswer> {
    if (this.#stopped || !isWorthIt) throw thrown;
    return this.#post();
  }

  /** Whether the connection was accepted. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Ends it: `answered` resolves with what has arrived if there is a status, else it rejects. */
  stop(): void {
    this.#stopped = true;
    this.#endBody?.("overdue");
    this.#request?.destroy(new Error("stopped"));
  }

  #post(): Promise<ExchangeAnswer> {
    const local = isLocalhost(this.#posting.target.hostname);
    return new Promise((resolve, reject) => {
      const request = openRequest(this.#posting);
      this.#request = request;
      this.#connected = false;
      request
        .on("socket", (socket) => {
          socket.off("data", leave);
          this.#connected = !socket.connecting; // a kept-alive connection
          if (socket.connecting) socket.once("connect", () => (this.#connected = true));
        })
        .on("response", (response) => {
          const address = local ? response.socket.remoteAddress : undefined;
          const { statusCode: status = 0, headers } = response;
          this.#endBody = readBody(response, this.#posting, (answer) =>
            resolve({ status, headers, address, ...answer }),
          );
        })
        .on("error", (thrown) => {
          // After the status, an error concerns the rest of the body, such as a chunk that is not
          // one.
          if (this.#endBody === undefined) reject(thrown);
          else this.#endBody("closed");
        })
        .on("close", () => {
          request.socket?.on("data", leave);
          // Node reports no error if the target asks for another protocol.
          if (this.#endBody === undefined)
            reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
        })
        .end(this.#posting.body);
    });
  }
}

/** Leaves an idle connection on which bytes arrive that no one asked for. */
function leave(this: Socket): void {
  this.destroy();
}

function openRequest(posting: Posting): ClientRequest {
  const { method = "POST", target, query = "", headers, host, insecure = false, body } = posting;
  const secure = target.protocol === "https:";
  return (secure ? httpsRequest : httpRequest)(target, {
    path: target.pathname + (target.search || query),
    method,
    agent: AGENTS[secure ? "https:" : "http:"],
    headers: {
      ...sentHeaders(headers),
      ...(host !== undefined && { host }),
      "content-length": body.byteLength,
    },
    ...(secure && insecure && { rejectUnauthorized: false, lookup: lookupPrivate }),
    ...connectOptions(target),
  });
}

/**
 * Reads a body until its end or a limit; returns a function that ends it. `settle` is called once.
 */
function readBody(
  response: IncomingMessage,
  { maxAnswer = MAX_ANSWER, bodyTimeout }: Pick<Posting, "maxAnswer" | "bodyTimeout">,
  settle: (answer: Pick<ExchangeAnswer, "bytes" | "cut">) => void,
): (cut: Cut) => void {
  const chunks: Buffer[] = [];
  let length = 0;
  let settled = false;
  const end = (cut?: Cut) => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    settle({ bytes: all.subarray(0, maxAnswer), cut });
    if (cut !== undefined) response.destroy();
  };
  const timer =
    bodyTimeout === undefined ? undefined : setTimeout(() => end("overdue"), bodyTimeout);
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxAnswer) end("too_long");
  });
  response
    .on("end", () => end())
    .on("error", () => end("closed"))
    .on("close", () => end("closed"));
  return end;
}

/** The headers to send: without those of one connection, each value as a list. */
export function sentHeaders(headers: DeliveryHeaders): Readonly<Record<string, readonly string[]>> {
  const sent: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isPseudo = name.startsWith(":"); // of HTTP/2, as earlier versions kept it
    if (value === undefined || isPseudo || NOT_PASSED_ON.has(name.toLowerCase())) continue;
    sent[name] = typeof value === "string" ? [value] : value;
  }
  return sent;
}
