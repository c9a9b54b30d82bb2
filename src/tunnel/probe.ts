import { createHmac, randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { describeError } from "../errors.ts";
import { endpointUrl } from "./endpoint-url.ts";

/** Whether a public address leads here, and if not, a short reason. */
export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Checks whether a public address leads here. Never rejects. */
export type Probe = (publicUrl: string, timeout: number) => Promise<ProbeResult>;

/** The right answer has 64 characters; a longer one comes from another server. */
const MAX_ANSWER = 1000;

/** Headers that stop relays from inserting a page of their own or a cached answer. */
const HEADERS = {
  "ngrok-skip-browser-warning": "1",
  "user-agent": "hookporter-probe",
  "cache-control": "no-cache",
};

/**
 * Checks that a public address leads to this process: sends a secret query, random for each run, to the endpoint's path,
 * and expects an answer that only this process can compute. A probe takes the same route as a delivery, whatever a proxy
 * allows or maps. A request without the secret is answered as usual.
 */
export class ProbeKey {
  readonly #path: string;
  readonly #query = `?probe=${randomBytes(24).toString("base64url")}.`;
  readonly #key = randomBytes(32);

  /** @param path - the endpoint's path */
  constructor(path: string) {
    this.#path = path;
  }

  /** The answer to a request for this target; `undefined` if it is not a probe. */
  answer(target: string): string | undefined {
    const start = this.#path + this.#query;
    return target.startsWith(start) ? this.#sign(target.slice(start.length)) : undefined;
  }

  /** Sends one request through the public address and compares the answer. */
  readonly probe: Probe = async (publicUrl, timeout) => {
    try {
      const nonce = randomBytes(16).toString("base64url"); // so that no cache can answer
      const url = new URL(this.#query + nonce, endpointUrl(publicUrl, this.#path));
      const { status, body } = await get(url, timeout);
      if (body === this.#sign(nonce)) return { ok: true };
      return { ok: false, reason: `it answers ${status}, but from another server` };
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
    // A new connection, to test the whole route, and one time limit for everything.
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
        if (body.length > MAX_ANSWER) request.destroy(new Error("it answers, but from another server"));
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.end();
  });
}
