/**
 * The form in which a URL or a request target may be shown, logged or copied: user name, password and query values are hidden, and the
 * fragment is omitted, since people and services put credentials there.
 */
export function shownUrl(url: URL | string): string {
  // Works on the text, since it may not be a valid URL, and the result should look like the original.
  return String(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1…@")
    .replace(/#.*$/s, "")
    .replace(/(?<=\?).*$/s, (query) => query.split("&").map(hideValue).join("&"));
}

function hideValue(part: string): string {
  if (part === "") return "";
  // A part without "=" may be a value as well as a name: `?token` and `?c2VjcmV0` look the same.
  return part.includes("=") ? part.replace(/=.*$/s, "=…") : "…";
}
