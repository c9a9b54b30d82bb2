/**
 * The token of this run. It comes in the address's fragment, which no browser sends anywhere, and is then kept for this
 * tab alone. A cookie would go to every server on this host, whatever its port: to each app somebody works on here.
 */
const KEY = "hookporter-token";

/** Takes the token out of the address, so that it is not seen, shared or kept in the history; else the one of this tab. */
export function takeToken(): string | null {
  const given = /^#token=([A-Za-z0-9_-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return sessionStorage.getItem(KEY);
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", "#/");
  return given;
}

/** Forgets a token that counts no more. */
export function dropToken(): void {
  sessionStorage.removeItem(KEY);
}
