/**
 * The token. It is passed in the address's fragment, which browsers never send, and then kept only
 * for this tab. Cookies and `localStorage` would outlive the tab, and the next program on this port
 * could read them. It could read `sessionStorage`, too, if the tab is loaded again, so the token is
 * there only while this tab is connected.
 */
const KEY = "hookporter-token";

/**
 * Removes the token from the address, which may go on with a path such as `/entry/12`, so that it
 * is not seen, shared or kept in the history; else returns this tab's.
 */
export function takeToken(): string | null {
  const [, given, path = "/"] =
    /^#token=([A-Za-z0-9_-]+)(\/[a-z0-9/]*)?$/.exec(location.hash) ?? [];
  if (given === undefined) return sessionStorage.getItem(KEY);
  keepToken(given);
  history.replaceState(null, "", `#${path}`);
  return given;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Removes what is kept; a page that waits has the token in memory. */
export function dropToken(): void {
  sessionStorage.removeItem(KEY);
}
