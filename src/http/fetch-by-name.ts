import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { ReadableStream } from "node:stream/web";
import { isLocalhost } from "../base/localhost.ts";
import { connectOptions, noteRefusal } from "./connect-options.ts";

/** The part of `fetch`'s options that is used. A redirect could lead anywhere. */
export interface FetchTerms {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: "manual" | "error";
  readonly signal?: AbortSignal;
}

/**
 * `fetch`, by the rule of {@link connectOptions}. Node's own looks up every name by itself, so what
 * has a name for this machine is sent without it: directly, also if there is a proxy, and not
 * compressed.
 */
export async function fetchByName(address: string | URL, terms: FetchTerms): Promise<Response> {
  const url = new URL(address);
  if (!isLocalhost(url.hostname)) return fetch(url, terms);
  const { method = "GET", headers, body, redirect, signal } = terms;
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? requestSecure : requestPlain)(url, {
      method,
      headers: { "accept-encoding": "identity", ...headers },
      agent: false,
      ...(signal !== undefined && { signal }),
      ...connectOptions(url),
    });
    request.on("error", (thrown) => {
      noteRefusal(url, thrown);
      reject(thrown);
    });
    request.on("response", (incoming) => {
      const { statusCode: status = 0, rawHeaders } = incoming;
      const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
      try {
        if (redirect === "error" && status >= 300 && status < 400)
          throw new TypeError(`expected no redirect, got ${status}`);
        const response = new Response(
          isEmpty
            ? null
            : (ReadableStream.from(incoming) as NonNullable<
                ConstructorParameters<typeof Response>[0]
              >),
          { status, headers: pairsOf(rawHeaders) },
        );
        if (isEmpty) incoming.resume();
        resolve(response);
      } catch (thrown) {
        request.destroy();
        reject(thrown);
      }
    });
    request.end(body);
  });
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : []));
}
