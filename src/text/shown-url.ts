/**
 * The form in which a URL or a request target may be shown, logged or copied: user name, password and query values are hidden, and the
 * fragment is omitted, since people and services put credentials there.
 */
export function shownUrl(url: URL | string): string {
  // Works on the text: it may be no URL, such as one whose password has a bare / or #, and the result should look alike.
  return String(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*|[^/?#@[\]]*:(?!\d*(?:[/?#]|$)).*)@/is, "$1…@")
    .replace(/#.*$/s, "")
    .replace(/(?<=\?).*$/s, (query) => query.split("&").map(hideValue).join("&"));
}

function hideValue(part: string): string {
  if (part === "") return "";
  // A part without "=" may be a value as well as a name: `?token` and `?c2VjcmV0` look the same.
  return part.includes("=") ? part.replace(/=.*$/s, "=…") : "…";
}
