import { durationText } from "../../base/text/duration-text.ts";
import { shownUrl } from "../../base/text/shown-url.ts";
import { type FetchTerms, fetchByName } from "../../http/fetch-by-name.ts";
import { isLoopback } from "../../http/is-loopback.ts";
import { readNetworkFailure } from "../../service/client/network-failure.ts";
import { SIGNATURE_HEADER } from "../../signature/signature-format.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";

/** Milliseconds that a deployed receiver may take to answer. */
const ANSWER = 8000;
/** Milliseconds of difference between clocks that are not worth a word. */
const NOTICED = 30_000;
/** Bytes of a body that proxies let pass if they let deliveries pass: their usual limit is 1 MB. */
const LARGE = 900 * 1024;
/** Of the right form, and of no secret. */
const FORGED = `sha256=${"0".repeat(64)}`;

/**
 * A deployed receiver from outside: its certificate, path, answers and clock. It sends requests
 * that a receiver refuses without keeping anything.
 */
export const outside: DoctorCheck = {
  name: "url",
  timeLimit: 4 * ANSWER,
  run: async ({ options: { url, signatureHeader = SIGNATURE_HEADER }, context }) => {
    if (url === undefined) return [];
    const shown = shownUrl(url);
    const get = await ask(url, { method: "GET" });
    if ("failure" in get) return [unreachable(shown, get.failure)];
    const findings = [...transport(url), ...clock(get.response, context.clock())];
    const moved = redirect(shown, get.response);
    if (moved !== undefined) return [...findings, moved];
    if (get.response.status !== 405 || get.response.headers.get("allow") !== "POST")
      return [...findings, otherPath(shown, get.response.status)];
    const unsigned = await refused(url, {}, "{}");
    if (unsigned !== 401)
      return [...findings, notRefused(shown, unsigned, "a POST without a signature", PASSED)];
    const large = await refused(url, { [signatureHeader]: FORGED }, "x".repeat(LARGE));
    if (large !== 401)
      return [
        ...findings,
        notRefused(shown, large, "a body of 900 KiB with a wrong signature", CUT),
      ];
    return [...findings, ok(`${shown}: a receiver answers there, and refuses what is not signed`)];
  },
};

type UrlAnswer = { readonly response: Response } | { readonly failure: unknown };

async function ask(url: URL, init: Omit<FetchTerms, "redirect">): Promise<UrlAnswer> {
  try {
    const signal = AbortSignal.timeout(ANSWER);
    const response = await fetchByName(url, { redirect: "manual", signal, ...init });
    await response.arrayBuffer();
    return { response };
  } catch (failure) {
    return { failure };
  }
}

/** The status of a POST that must be refused; `undefined` if there was no answer. */
async function refused(
  url: URL,
  headers: Record<string, string>,
  body: string,
): Promise<number | undefined> {
  const all = { "content-type": "application/json", ...headers };
  const asked = await ask(url, { method: "POST", headers: all, body });
  return "response" in asked ? asked.response.status : undefined;
}

function unreachable(shown: string, failure: unknown): Finding {
  const { why } = readNetworkFailure(failure);
  const isCertificate = /certificate|self.signed|SSL|TLS/i.test(why);
  const fix = isCertificate
    ? "install a certificate of a public authority with its whole chain: senders refuse others"
    : "check the address, its DNS entry, the firewall, and that the server runs";
  return fail(`${shown} cannot be reached: ${why}`, fix);
}

function transport(url: URL): readonly Finding[] {
  if (url.protocol === "https:" || isLoopback(url)) return [];
  const found = "deliveries travel over plain HTTP, where others can read them";
  return [warn(found, "put an HTTPS proxy in front of the receiver")];
}

function clock(response: Response, now: number): readonly Finding[] {
  const date = Date.parse(response.headers.get("date") ?? "");
  const difference = Math.abs(now - date);
  if (Number.isNaN(date) || difference < NOTICED) return [];
  const found = `its clock and this machine's differ by ${durationText(difference)}`;
  return [warn(found, "set the clock that is wrong: events from the future are refused")];
}

function redirect(shown: string, { status, headers }: Response): Finding | undefined {
  if (status < 300 || status > 399) return undefined;
  const to = shownUrl(headers.get("location") ?? "nowhere");
  const fix =
    "subscribe the address that it redirects to: senders follow no redirects, and a POST may become a GET";
  return fail(`${shown} redirects (${status}) to ${to}`, fix);
}

function otherPath(shown: string, status: number): Finding {
  const pass = "let this path pass in the proxy or middleware: deliveries are signed instead";
  if (status === 401 || status === 403) return fail(`${shown} asks for a login (${status})`, pass);
  if (status >= 500)
    return fail(
      `${shown} answers ${status}`,
      "start the receiver behind the proxy, and look in its log",
    );
  const found = `no receiver of hookporter answers at ${shown} (GET is answered ${status}, expected 405)`;
  return fail(found, "check the path, and that the proxy leads to the receiver");
}

const PASSED = "look for a proxy or middleware that answers instead of the receiver";
const CUT =
  "raise the limit for bodies of the proxy, such as client_max_body_size of nginx, to 1 MiB or more";

function notRefused(shown: string, status: number | undefined, what: string, fix: string): Finding {
  return fail(`${shown} answers ${status ?? "nothing"} to ${what}, expected 401`, fix);
}
