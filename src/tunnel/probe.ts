import { createHmac, randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { describeError } from "../errors.ts";
import { endpointUrl } from "./endpoint-url.ts";

/** Whether a public address leads here; if not, why, in a few words. */
export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Asks a public address whether it leads here. Never rejects. */
export type Probe = (publicUrl: string, timeout: number) => Promise<ProbeResult>;

/** The answer is 64 characters; what is longer comes from somebody else. */
const MAX_ANSWER = 1000;

/** Headers that keep relays from putting a page of their own, or an old answer, in between. */
const HEADERS = {
  "ngrok-skip-browser-warning": "1",
  "user-agent": "hookporter-probe",
  "cache-control": "no-cache",
};

/**
 * A way to tell that a public address leads to this process: a query at the endpoint's path that nobody can guess, drawn
 * anew for each run, and answers that only this process can give. It goes the way of a delivery, whatever a proxy lets
 * through or maps, and whoever does not know it is answered as without it.
 */
export class ProbeKey {
  readonly #path: string;
  readonly #query = `?probe=${randomBytes(24).toString("base64url")}.`;
  readonly #key = randomBytes(32);

  /** `path` is the endpoint's. */
  constructor(path: string) {
    this.#path = path;
  }

  /** The answer to a request for this target; `undefined` where it is not a probe. */
  answer(target: string): string | undefined {
    const start = this.#path + this.#query;
    return target.startsWith(start) ? this.#sign(target.slice(start.length)) : undefined;
  }

  /** Sends one request through the public address and compares the answer. */
  readonly probe: Probe = async (publicUrl, timeout) => {
    try {
      const nonce = randomBytes(16).toString("base64url"); // a cache has no answer to it
      const url = new URL(this.#query + nonce, endpointUrl(publicUrl, this.#path));
      const { status, body } = await get(url, timeout);
      if (body === this.#sign(nonce)) return { ok: true };
      return { ok: false, reason: `it answers ${status}, but not from here` };
    } catch (thrown) {
      return { ok: false, reason: describeError(thrown) };
    }
  };

  #sign(nonce: string): string {
    return createHmac("sha256", this.#key).update(nonce).digest("hex");
  }
}

function get(url: URL, timeout: number): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    // A connection of its own, so that the whole way is tried, and a time limit over all of it.
    const request = send(url, { agent: false, headers: HEADERS, signal: AbortSignal.timeout(timeout) });
    request.on("error", (error) => {
      reject(
        error.name === "TimeoutError" || error.name === "AbortError" ? new Error("no answer in time") : error,
      );
    });
    request.on("response", (response) => {
      let body = "";
      response.setEncoding("latin1").on("data", (chunk: string) => {
        body += chunk;
        if (body.length > MAX_ANSWER) request.destroy(new Error("it answers, but not from here"));
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.end();
  });
}
