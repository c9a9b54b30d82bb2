import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isLocalhost, lookupBothFamilies } from "./localhost.ts";
import { lookupPrivate } from "./private-lookup.ts";

/** What to post, and how much of the answer to read. */
export interface Posting {
  readonly target: URL;
  /** The query to send if the target has none, with its `?`, letter for letter; or empty. */
  readonly query: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The header `Host`; `undefined` for that of the target. */
  readonly host: string | undefined;
  /** Whether any certificate will do, provided that the address is not public. */
  readonly insecure: boolean;
  readonly body: Uint8Array;
  /** How many bytes of the answer's body to read. */
  readonly maxAnswer: number;
  /** Milliseconds that the answer's body may take after its status; `undefined` for no limit but that of {@link Exchange.stop}. */
  readonly bodyTimeout: number | undefined;
}

/** Why an answer's body is not complete: longer than `maxAnswer`, cut off by the connection, or not there in time. */
export type Cut = "too_long" | "closed" | "overdue";

/** A target's answer. */
export interface Answered {
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
const AGENTS = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };

/** One request and its answer. */
export class Exchange {
  /** Rejects with Node's error if there is no status. Once there is one, that is the answer, however the body ends. */
  readonly answered: Promise<Answered>;
  readonly #request: ClientRequest;
  #connected = false;
  #endBody: ((cut: Cut) => void) | undefined;

  constructor({ target, query, headers, host, insecure, body, maxAnswer, bodyTimeout }: Posting) {
    const secure = target.protocol === "https:";
    const local = isLocalhost(target);
    this.#request = (secure ? httpsRequest : httpRequest)(target, {
      path: target.pathname + (target.search || query),
      ...{ method: "POST", agent: AGENTS[secure ? "https:" : "http:"] },
      headers: { ...headers, ...(host !== undefined && { host }), "content-length": body.byteLength },
      ...(secure && insecure && { rejectUnauthorized: false, lookup: lookupPrivate }),
      ...(local && { lookup: lookupBothFamilies, autoSelectFamily: true }),
    });
    this.answered = new Promise((resolve, reject) => {
      this.#request
        .on("response", (response) => {
          const address = local ? response.socket.remoteAddress : undefined;
          const settle = (answer: Pick<Answered, "bytes" | "cut">) =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, address, ...answer });
          this.#endBody = readBody(response, { maxAnswer, bodyTimeout }, settle);
        })
        .on("error", (thrown) => {
          // After the status, an error concerns the rest of the body, such as a chunk that is not one.
          if (this.#endBody === undefined) reject(thrown);
          else this.#endBody("closed");
        });
    });
    this.#request.on("socket", (socket) => {
      this.#connected = !socket.connecting;
      if (!socket.connecting) return; // a kept-alive connection
      socket.once("connect", () => {
        this.#connected = true;
      });
    });
    this.#request.end(body);
  }

  /** Whether the connection was accepted. */
  get connected(): boolean {
    return this.#connected;
  }

  /** Whether it failed because the target closed a kept-alive connection just before it was reused. */
  failedStale(thrown: unknown): boolean {
    return this.#request.reusedSocket && (thrown as NodeJS.ErrnoException).code === "ECONNRESET";
  }

  /** Ends it: `answered` resolves with what has arrived if there is a status, else it rejects. */
  stop(): void {
    this.#endBody?.("overdue");
    this.#request.destroy(new Error("stopped"));
  }
}

/** Reads a body until its end or a limit; returns a function that ends it. `settle` is called once. */
function readBody(
  response: IncomingMessage,
  { maxAnswer, bodyTimeout }: Pick<Posting, "maxAnswer" | "bodyTimeout">,
  settle: (answer: Pick<Answered, "bytes" | "cut">) => void,
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
  const timer = bodyTimeout === undefined ? undefined : setTimeout(() => end("overdue"), bodyTimeout);
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
