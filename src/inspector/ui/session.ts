/**
 * The token of this run. It is passed in the address's fragment, which browsers never send, and then kept only for this tab.
 * A cookie would be sent to every server on this host, whatever its port, including each app under development.
 */
const KEY = "hookporter-token";

/** Removes the token from the address, which may go on with a path such as `/entry/12`, so that it is not seen, shared or kept in the history; else returns this tab's. */
export function takeToken(): string | null {
  const [, given, path = "/"] = /^#token=([A-Za-z0-9_-]+)(\/[a-z0-9/]*)?$/.exec(location.hash) ?? [];
  if (given === undefined) return sessionStorage.getItem(KEY);
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", `#${path}`);
  return given;
}

/** Forgets an invalid token. */
export function dropToken(): void {
  sessionStorage.removeItem(KEY);
}
