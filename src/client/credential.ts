import { ConfigurationError } from "../errors.ts";

/** Whose data a credential opens (service description, "Authentication" 2): an access token does not show it. */
export type Environment = "test" | "live" | "unknown";

/** What requests are authorised with. It holds the key in a closure: printing or serialising it shows nothing. */
export interface Credential {
  readonly environment: Environment;
  /** Asked once for each attempt, so that a token can be renewed in between. */
  readonly token: () => string | Promise<string>;
}

/** Where the credential comes from: one of the two. */
export interface CredentialOptions {
  readonly apiKey?: string | undefined;
  readonly accessToken?: (() => string | Promise<string>) | undefined;
  readonly live?: boolean | undefined;
}

/** What fits a header; `fetch` names any other value in its error, key and all. */
const SENDABLE = /^[\x21-\x7e]+$/;

/**
 * Tells the two kinds of key apart, and lets a live one through only where `live` says so.
 *
 * @throws ConfigurationError `credential_missing`, `credential_invalid`; never with the key in it
 */
export function readCredential({ apiKey, accessToken, live = false }: CredentialOptions): Credential {
  if (apiKey !== undefined && accessToken !== undefined)
    throw invalid("either apiKey or accessToken, got both: drop one");
  if (accessToken !== undefined) {
    if (typeof accessToken !== "function")
      throw invalid("accessToken to be a function that gives the token, got another");
    return { environment: "unknown", token: async () => readToken(await accessToken(), live) };
  }
  const key = readKey(apiKey);
  if (key.startsWith("sk_test_")) return { environment: "test", token: () => key };
  if (key.startsWith("sk_live_")) {
    refuseLive(live);
    return { environment: "live", token: () => key };
  }
  throw invalid(
    "an API key that begins with sk_test_ or sk_live_, got another: pass what is no API key as accessToken",
  );
}

function readKey(given: unknown): string {
  if (given === undefined || given === "") {
    throw new ConfigurationError(
      "credential_missing",
      "expected an API key, got none: set HOOKPORTER_API_KEY and pass it as apiKey, or pass accessToken",
    );
  }
  const key = typeof given === "string" ? given.trim() : ""; // a file or a variable often ends in a line break
  if (!SENDABLE.test(key) || /^sk_(?:test|live)_$/.test(key))
    throw invalid("the API key as one word, got another");
  return key;
}

function readToken(given: unknown, live: boolean): string {
  if (typeof given !== "string" || !SENDABLE.test(given))
    throw invalid("accessToken to give the token as one word, got another");
  if (given.startsWith("sk_live_")) refuseLive(live);
  return given;
}

function refuseLive(live: boolean): void {
  if (!live) throw invalid("a test key, got a live one: it opens real data, so say live as well (--live)");
}

function invalid(expected: string): ConfigurationError {
  return new ConfigurationError("credential_invalid", `expected ${expected}`);
}
