/**
 * Reads an address as people type it: an http or https URL without a user name, `host:port/path`,
 * or a bare port on this machine. Returns `undefined` for anything else.
 */
export function targetUrl(text: string): URL | undefined {
  const local = /^\d+(?=[/?#]|$)/.test(text) ? `127.0.0.1:${text}` : text;
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(local) ? local : `http://${local}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.password !== ""
  )
    return undefined;
  return url;
}
