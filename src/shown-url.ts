/**
 * A URL as it may be shown, logged or copied: user name, password and the values of its query are hidden, its fragment is
 * left out. They are where people and services put credentials.
 */
export function shownUrl(url: URL | string): string {
  // By its text: it need not be a URL that can be parsed, and what is shown should look like what was given.
  return String(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1…@")
    .replace(/#.*$/s, "")
    .replace(/\?.*$/s, hideQueryValues);
}

function hideQueryValues(query: string): string {
  // A part without "=" is a value as well as a name can be: `?token` and `?c2VjcmV0` look the same.
  const parts = query.slice(1).split("&");
  return `?${parts.map((part) => (part.includes("=") ? part.replace(/=.*$/s, "=…") : "…")).join("&")}`;
}
