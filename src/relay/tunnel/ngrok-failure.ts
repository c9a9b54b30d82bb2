import { describeError } from "../../base/errors.ts";
import { type FailureTable, failureOf, type TunnelFailure } from "./provider.ts";

/** The client, an optional package, and what to install. */
export const NGROK_PACKAGE = "@ngrok/ngrok";
export const NGROK_INSTALL = `${NGROK_PACKAGE}@1.7.0`;

/** The page that shows an account's authtoken. */
export const AUTHTOKEN_PAGE = "https://dashboard.ngrok.com/get-started/your-authtoken";

/**
 * Every code of the ngrok provider, in our words, since the service's own may quote the token. A
 * test compares them with `docs/reference/tunnel.md`.
 */
export const NGROK_CODES = {
  ERR_NGROK_105: {
    message: "the authtoken is malformed",
    fix: `copy the whole token from ${AUTHTOKEN_PAGE} into NGROK_AUTHTOKEN`,
    permanent: true,
  },
  ERR_NGROK_106: {
    message: "the authtoken has a format that ngrok no longer accepts",
    fix: `create a new one at ${AUTHTOKEN_PAGE}`,
    permanent: true,
  },
  ERR_NGROK_107: {
    message: "the authtoken is unknown or was revoked",
    fix: `use the current one from ${AUTHTOKEN_PAGE}`,
    permanent: true,
  },
  ERR_NGROK_4018: {
    message: "ngrok requires an account, but no authtoken was found",
    fix: `set NGROK_AUTHTOKEN to the one from ${AUTHTOKEN_PAGE}`,
    permanent: true,
  },
  ERR_NGROK_320: {
    message: "the domain belongs to another account, or is not reserved",
    fix: "set one from https://dashboard.ngrok.com/domains as domain, or none",
    permanent: true,
  },
  ERR_NGROK_108: {
    message: "the account has reached its limit of sessions",
    fix: "stop other agents; a crashed one disappears within a minute",
  },
  ERR_NGROK_324: {
    message: "the account has reached its limit of endpoints",
    fix: "close others; a crashed one disappears within a minute",
  },
  ERR_NGROK_334: {
    message: "the domain is already online in another session",
    fix: "stop that one; a crashed one disappears within a minute",
  },
  ngrok_missing: {
    message: "the package @ngrok/ngrok is not installed, or has no build for this platform",
    fix: `run npm install ${NGROK_INSTALL} in the folder where hookporter is installed`,
    permanent: true,
  },
  ngrok_stopped: {
    message: "the agent was stopped from ngrok's dashboard or API",
    fix: "start listen again if that was not intended",
    permanent: true,
  },
  ngrok_restart: {
    message: "ngrok asks for a new session",
    fix: "nothing to do: a new session is opened",
  },
  ngrok_heartbeat_lost: {
    message: "ngrok no longer answers heartbeats",
    fix: "nothing to do: a new session is opened",
  },
  ngrok_unreachable: {
    message: "ngrok cannot be reached",
    fix: "check the network; the client does not support proxies",
  },
  ngrok_failed: {
    message: "ngrok refused, usually with its own code",
    fix: "look the code up at https://ngrok.com/docs/errors",
  },
} as const satisfies FailureTable<string>;

export type NgrokCode = keyof typeof NGROK_CODES;

export function ngrokFailure(code: NgrokCode): TunnelFailure {
  return failureOf(NGROK_CODES, code);
}

/** Converts an error thrown by the client into a failure. A token in its text is removed. */
export function readNgrokError(thrown: unknown, authtoken?: string): TunnelFailure {
  const text = describeError(thrown);
  const code = /\bERR_NGROK_\d+\b/.exec(text)?.[0];
  if (code !== undefined && Object.hasOwn(NGROK_CODES, code))
    return ngrokFailure(code as NgrokCode);
  if (/failed to establish tcp|tls handshake|dns/i.test(text))
    return failureText("ngrok_unreachable", text, authtoken);
  return { ...failureText("ngrok_failed", text, authtoken), ...(code !== undefined && { code }) };
}

/** The failure with the first line of the client's own message, which names the cause. */
function failureText(code: NgrokCode, text: string, authtoken: string | undefined): TunnelFailure {
  const line = text.split("\n").find((part) => part.trim() !== "") ?? "";
  const shown = authtoken ? line.replaceAll(authtoken, "…") : line;
  return { ...ngrokFailure(code), message: shown.trim().slice(0, 300) };
}
