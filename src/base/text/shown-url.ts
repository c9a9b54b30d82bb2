const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** The most characters of a request's target that are looked at, since anyone can send one. */
const MAX_TARGET = 2000;

/**
 * The form in which a URL or a request target may be shown, logged or copied: user name, password
 * and query values are hidden, and the fragment is omitted, since people and services put
 * credentials there. Takes linear time.
 */
export function shownUrl(url: URL | string): string {
  // Works on the text: it may be no URL, such as one whose password has a bare / or #, and the
  // result should look alike.
  return withoutUser(String(url))
    .replace(/#.*$/s, "")
    .replace(/(?<=\?).*$/s, (query) => query.split("&").map(hideValue).join("&"));
}

/**
 * As {@link shownUrl}, of the target of a request, which may be anyone's: only its beginning is
 * looked at.
 */
export function shownTarget(target: string): string {
  if (target.length <= MAX_TARGET) return shownUrl(target);
  const start = target.slice(0, MAX_TARGET);
  // What follows may say that all of this was a user name and a password.
  const shown = SCHEME.exec(start)?.[0] ?? shownUrl(start);
  return shown.endsWith("…") ? shown : `${shown}…`;
}

function withoutUser(url: string): string {
  const [scheme] = SCHEME.exec(url) ?? [];
  if (scheme === undefined) return url;
  const rest = url.slice(scheme.length);
  const authorityEnd = rest.search(/[/?#]|$/);
  const inAuthority = rest.slice(0, authorityEnd).lastIndexOf("@");
  const at = inAuthority === -1 && hasPassword(rest) ? rest.lastIndexOf("@") : inAuthority;
  return at === -1 ? url : `${scheme}…@${rest.slice(at + 1)}`;
}

/** Whether the first colon begins no port but a password, which may contain `/`, `?` or `#`. */
function hasPassword(rest: string): boolean {
  const [, after] = /^[^:/?#@[\]]*:(.*)$/s.exec(rest) ?? [];
  return after !== undefined && !/^\d*(?:[/?#]|$)/.test(after);
}

function hideValue(part: string): string {
  if (part === "") return "";
  // A part without "=" may be a value as well as a name: `?token` and `?c2VjcmV0` look the same.
  return part.includes("=") ? part.replace(/=.*$/s, "=…") : "…";
}
