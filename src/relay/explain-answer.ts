import { ownCommand } from "../base/package/own-command.ts";
import { shownUrl } from "../base/text/shown-url.ts";
import { briefBody } from "./brief-body.ts";
import type { TargetAnswer } from "./send.ts";
import { explainPlainHttp } from "./unreachable.ts";

export type AnswerParts = Pick<TargetAnswer, "status" | "headers" | "body">;

/**
 * An answer that is not 2xx, in one line: the status, where it leads, the beginning of the body,
 * then cause and fix as far as the status shows them.
 * `308, Location: http://127.0.0.1:3000/in/: the app wants a slash at the end of the path: …`.
 */
export function describeRefusal(target: URL, answer: AnswerParts): string {
  const location = shownLocation(target, answer);
  const why = explainAnswer(target, answer);
  // The page of a redirect only repeats the address.
  const body = location === undefined ? briefBody(answer.body, why === undefined ? 500 : 200) : "";
  const explanation = [body, why ?? ""].filter((part) => part !== "").join("; ");
  return `${answer.status}${location === undefined ? "" : `, Location: ${location}`}${explanation === "" ? "" : `: ${explanation}`}`;
}

/** Where a redirect leads, with the values of its query hidden; `undefined` if it does not. */
export function shownLocation(target: URL, { status, headers }: AnswerParts): string | undefined {
  const to = redirectedTo(target, { status, headers });
  return to === undefined ? undefined : shownUrl(to);
}

/**
 * Explains why a target did not answer 2xx, as far as its status shows it: cause, then fix. Returns
 * `undefined` for other statuses, which only the app can explain.
 */
export function explainAnswer(target: URL, answer: AnswerParts): string | undefined {
  const { status, body, headers } = answer;
  if (status >= 300 && status < 400) return whyRedirected(target, answer);
  if (status === 419 || (status === 403 && /\bcsrf\b/i.test(body)))
    return `the app expects a CSRF token: exempt ${target.pathname} from its CSRF protection`;
  if (status === 401 || status === 403)
    return `the app's own secret may differ from the one that signed this delivery, or it expects a login: compare the secrets, and the name of the signature header; \`${ownCommand(`check ${shownUrl(target.origin + target.pathname)}`)}\` looks for the cause`;
  if (status === 404) return whyNotFound(target);
  if (status === 405) {
    const allowed = headers.allow === undefined ? "" : `, only ${headers.allow}`;
    return `the app does not take POST at ${target.pathname}${allowed}: check the path, and that its route takes POST`;
  }
  if (status === 413)
    return "the app, or a proxy before it, takes no body of this size: raise its limit";
  return explainPlainHttp(target, status, body);
}

function whyNotFound({ pathname, host }: URL): string {
  if (pathname === "/")
    return `the app has nothing for POST at /: add the path of its endpoint, such as ${host}/webhooks`;
  return `the app has nothing for POST at ${pathname}: check the path of the target, and that the route takes POST`;
}

function whyRedirected(target: URL, answer: AnswerParts): string {
  const to = redirectedTo(target, answer);
  if (to === undefined)
    return "redirects are not followed, and this one names no address: check the path";
  const use = shownUrl(to.origin + to.pathname);
  const slash = to.pathname === `${target.pathname}/`;
  const secure =
    target.protocol === "http:" && to.protocol === "https:" && to.hostname === target.hostname;
  if (secure && (slash || to.pathname === target.pathname))
    return `the app wants https${slash ? " and a slash at the end" : ""}: use ${use}`;
  if (to.origin === target.origin && slash)
    return `the app wants a slash at the end of the path: use ${use}`;
  if (to.origin === target.origin && `${to.pathname}/` === target.pathname)
    return `the app wants no slash at the end of the path: use ${use}`;
  if (to.origin === target.origin && to.pathname === target.pathname)
    return "it redirects to itself, which is never followed: check the app's log";
  if (/\b(?:log-?in|sign-?in|auth|sso)\b/i.test(to.pathname))
    return `the app expects a login: exempt ${target.pathname} from it`;
  return `redirects are not followed: use ${use} if that is the endpoint`;
}

/** The absolute address of a `Location`, which may be relative. */
function redirectedTo(
  target: URL,
  { status, headers: { location } }: Pick<AnswerParts, "status" | "headers">,
) {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  const to = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
  return to !== undefined && /^https?:$/.test(to.protocol) ? to : undefined;
}
