import { createHmac, randomBytes } from "node:crypto";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { describeError } from "../../base/errors.ts";
import { isError } from "../../base/guards.ts";
import { timerDelay } from "../../base/options/timer-delay.ts";
import { shortText } from "../../base/text/short-text.ts";
import { connectOptions, noteRefusal } from "../../http/connect-options.ts";
import { plainText } from "./plain-text.ts";
import { endpointUrl } from "./public-url.ts";

/** Whether a public address leads here, and if not, a short reason. */
export type ProbeResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly timedOut?: boolean };

/** Checks whether a public address leads here. Never rejects. */
export type AddressProbe = (publicUrl: string, timeout: number) => Promise<ProbeResult>;

/** The right answer has 64 characters; a longer one comes from another server. */
const MAX_ANSWER = 1000;

/** Headers that stop relays from inserting a page of their own or a cached answer. */
const HEADERS = {
  "ngrok-skip-browser-warning": "1",
  "user-agent": "hookporter-probe",
  "cache-control": "no-cache",
};

/**
 * Checks that a public address leads to this process: sends a secret query, random for each run, to
 * the endpoint's path, and expects an answer that only this process can compute. A probe takes the
 * same route as a delivery, whatever a proxy allows or maps. A request without the secret is
 * answered as usual.
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
  async probe(publicUrl: string, timeout: number): Promise<ProbeResult> {
    try {
      const nonce = randomBytes(16).toString("base64url"); // so that no cache can answer
      const url = new URL(this.#query + nonce, endpointUrl(publicUrl, this.#path));
      const { response, body } = await get(url, timeout);
      if (body === this.#sign(nonce)) return { ok: true };
      return { ok: false, reason: describeOther(response) };
    } catch (thrown) {
      const timedOut = isError(thrown) && /^(?:Timeout|Abort)Error$/.test(thrown.name);
      return {
        ok: false,
        reason: timedOut ? "no answer in time" : describeError(thrown),
        timedOut,
      };
    }
  }

  #sign(nonce: string): string {
    return createHmac("sha256", this.#key).update(nonce).digest("hex");
  }
}

function get(url: URL, timeout: number): Promise<{ response: IncomingMessage; body: string }> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    // A new connection, to test the whole route, and one time limit for everything.
    const signal = AbortSignal.timeout(timerDelay(timeout));
    const request = send(url, { agent: false, headers: HEADERS, signal, ...connectOptions(url) });
    request.on("error", (thrown) => {
      noteRefusal(url, thrown);
      reject(thrown);
    });
    request.on("response", (response) => {
      let body = "";
      response.setEncoding("latin1").on("data", (chunk: string) => {
        body += chunk;
        if (body.length <= MAX_ANSWER) return;
        resolve({ response, body });
        request.destroy();
      });
      response.on("error", reject);
      response.on("end", () => resolve({ response, body }));
    });
    request.end();
  });
}

/**
 * What answers instead of this process, as far as it says so itself: its status, where it redirects
 * to, and its name.
 */
function describeOther({ statusCode, headers }: IncomingMessage): string {
  const { location = "", server, "ngrok-error-code": ngrokCode } = headers;
  const target = URL.canParse(location) ? ` (a redirect to ${new URL(location).origin})` : "";
  const name = shortText(plainText(String(ngrokCode ?? server ?? "")), 60);
  return `it answers ${statusCode}${target}, but from another server${name === "" ? "" : ` (${name})`}`;
}
