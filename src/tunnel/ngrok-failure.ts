import { describeError } from "../errors.ts";
import type { TunnelFailure } from "./provider.ts";

/** What a code means, in our words: the service's own may quote the token. */
type Meaning = Omit<TunnelFailure, "code">;

/** Where an account's authtoken is shown. */
export const AUTHTOKEN_PAGE = "https://dashboard.ngrok.com/get-started/your-authtoken";

/** Every code of the ngrok provider. `docs/tunnel.md` lists the same; a test compares both. */
export const NGROK_CODES = {
  ERR_NGROK_105: {
    message: "the authtoken does not have the form of one",
    fix: `copy it whole from ${AUTHTOKEN_PAGE} into NGROK_AUTHTOKEN`,
    permanent: true,
  },
  ERR_NGROK_106: {
    message: "the authtoken is of a kind ngrok no longer takes",
    fix: `make a new one at ${AUTHTOKEN_PAGE}`,
    permanent: true,
  },
  ERR_NGROK_107: {
    message: "the authtoken is unknown or was revoked",
    fix: `take the current one from ${AUTHTOKEN_PAGE}`,
    permanent: true,
  },
  ERR_NGROK_4018: {
    message: "ngrok wants an account, and no authtoken was found",
    fix: `set NGROK_AUTHTOKEN to the one from ${AUTHTOKEN_PAGE}`,
    permanent: true,
  },
  ERR_NGROK_320: {
    message: "the domain belongs to another account, or is not reserved",
    fix: "name one from https://dashboard.ngrok.com/domains with --domain, or leave it out",
    permanent: true,
  },
  ERR_NGROK_108: {
    message: "the account has as many sessions as it may have",
    fix: "end other agents; one that has crashed goes within a minute",
    permanent: false,
  },
  ERR_NGROK_324: {
    message: "the account has as many endpoints as it may have",
    fix: "close others; one that has crashed goes within a minute",
    permanent: false,
  },
  ERR_NGROK_334: {
    message: "the domain is online already, in another session",
    fix: "end that one; one that has crashed goes within a minute",
    permanent: false,
  },
  ngrok_missing: {
    message: "the package @ngrok/ngrok is not installed, or has no build for this platform",
    fix: "npm install @ngrok/ngrok@1.7.0, beside hookporter",
    permanent: true,
  },
  ngrok_stopped: {
    message: "the agent was stopped from ngrok's dashboard or API",
    fix: "start again if that was not meant",
    permanent: true,
  },
  ngrok_restart: {
    message: "ngrok asks for a new session",
    fix: "nothing to do: it is opened",
    permanent: false,
  },
  ngrok_heartbeat_lost: {
    message: "ngrok does not answer heartbeats any more",
    fix: "nothing to do: a new session is opened",
    permanent: false,
  },
  ngrok_unreachable: {
    message: "ngrok cannot be reached",
    fix: "check the network; the client takes no proxy",
    permanent: false,
  },
  ngrok_failed: {
    message: "ngrok refused, with a code of its own where it has one",
    fix: "look the code up at https://ngrok.com/docs/errors",
    permanent: false,
  },
} as const satisfies Record<string, Meaning>;

/** One of the codes. */
export type NgrokCode = keyof typeof NGROK_CODES;

/** A failure by its code. */
export function ngrokFailure(code: NgrokCode): TunnelFailure {
  return { code, ...NGROK_CODES[code] };
}

/** What the client threw, as a failure. A token in its text is left out. */
export function readNgrokError(thrown: unknown, authtoken?: string): TunnelFailure {
  const text = describeError(thrown);
  const code = /\bERR_NGROK_\d+\b/.exec(text)?.[0];
  if (code !== undefined && Object.hasOwn(NGROK_CODES, code)) return ngrokFailure(code as NgrokCode);
  if (/failed to establish tcp|tls handshake|dns/i.test(text))
    return told("ngrok_unreachable", text, authtoken);
  return { ...told("ngrok_failed", text, authtoken), ...(code !== undefined && { code }) };
}

/** With the first line of the client's own words, which name the cause. */
function told(code: NgrokCode, text: string, authtoken: string | undefined): TunnelFailure {
  const line = text.split("\n").find((part) => part.trim() !== "") ?? "";
  const shown = authtoken ? line.replaceAll(authtoken, "…") : line;
  return { ...ngrokFailure(code), message: shown.trim().slice(0, 300) };
}
