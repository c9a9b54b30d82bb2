import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** What to post, and how much of the answer to read. */
export interface Posting {
  readonly target: URL;
  /** The query to send if the target has none, with its `?`, letter for letter; or empty. */
  readonly query: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: Uint8Array;
  /** How many bytes of the answer's body to read. */
  readonly maxAnswer: number;
}

/** A target's answer. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body, cut to `maxAnswer`. */
  readonly bytes: Buffer;
  /** Whether the body was cut. */
  readonly cut: boolean;
}

/** Keep-alive connections to targets. Not `fetch`, which refuses the ports that browsers refuse. */
const AGENTS = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };

/** One request and its answer. */
export class Exchange {
  /** Rejects with Node's error. */
  readonly answered: Promise<Answered>;
  readonly #request: ClientRequest;
  #connected = false;

  constructor({ target, query, headers, body, maxAnswer }: Posting) {
    const secure = target.protocol === "https:";
    this.#request = (secure ? httpsRequest : httpRequest)(target, {
      path: target.pathname + (target.search || query),
      ...{ method: "POST", agent: AGENTS[secure ? "https:" : "http:"] },
      headers: { ...headers, "content-length": body.byteLength },
    });
    this.answered = new Promise((resolve, reject) => {
      this.#request
        .on("response", (response) => readAnswer(response, maxAnswer, resolve, reject))
        .on("error", reject);
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

  /** Ends it: `answered` rejects, unless it has settled. */
  stop(): void {
    this.#request.destroy(new Error("stopped"));
  }
}

function readAnswer(
  response: IncomingMessage,
  limit: number,
  resolve: (answered: Answered) => void,
  reject: (thrown: unknown) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const end = () => {
    const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    const status = response.statusCode ?? 0;
    resolve({ status, headers: response.headers, bytes: all.subarray(0, limit), cut: length > limit });
  };
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length <= limit) return;
    end();
    response.destroy();
  });
  response.on("end", end).on("error", reject);
}
