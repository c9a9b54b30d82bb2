import { ConfigurationError } from "../../base/errors.ts";
import { describeValue } from "../../base/options/describe-value.ts";

/**
 * Whose data a credential gives access to (service description, "Authentication" 2); unknown for an
 * access token.
 */
export type Environment = "test" | "live" | "unknown";

/**
 * The credential for requests. The key is in a closure, so printing or serialising the credential
 * does not reveal it.
 */
export interface Credential {
  readonly environment: Environment;
  /** Called once for each attempt, so that it can renew the token. */
  readonly token: () => string | Promise<string>;
}

/** The sources of a credential, one of which is required. */
export interface CredentialOptions {
  readonly apiKey?: string | undefined;
  readonly accessToken?: (() => string | Promise<string>) | undefined;
  readonly live?: boolean | undefined;
}

/** Values that fit in a header. For any other value, the error of `fetch` would contain the key. */
const SENDABLE = /^[\x21-\x7e]+$/;

/**
 * Reads the credential. Distinguishes test keys from live ones, which need `live`. Throws
 * `credential_missing`, `credential_invalid`; never contains the key.
 */
export function readCredential({
  apiKey,
  accessToken,
  live = false,
}: CredentialOptions): Credential {
  if (apiKey !== undefined && accessToken !== undefined)
    throw invalid("either apiKey or accessToken, got both: remove one");
  if (accessToken !== undefined) {
    if (typeof accessToken !== "function") {
      const got = describeValue(accessToken);
      throw invalid(`accessToken to be a function, got ${got}: pass one that returns the token`);
    }
    return { environment: "unknown", token: async () => readToken(await accessToken(), live) };
  }
  const key = readKey(apiKey);
  if (key.startsWith("sk_test_")) return { environment: "test", token: () => key };
  if (key.startsWith("sk_live_")) {
    refuseLive(live);
    return { environment: "live", token: () => key };
  }
  throw invalid(
    "an API key that begins with sk_test_ or sk_live_, got something else: pass other tokens as accessToken (accessTokenEnv for the commands)",
  );
}

function readKey(given: unknown): string {
  if (given === undefined || given === "")
    throw new ConfigurationError(
      "credential_missing",
      "expected an API key, got none: set HOOKPORTER_API_KEY and pass it as apiKey, or pass accessToken",
    );
  // files and variables often end in a line break
  const key = typeof given === "string" ? given.trim() : "";
  if (!SENDABLE.test(key) || /^sk_(?:test|live)_$/.test(key)) {
    const got = typeof given === "string" ? "another string" : describeValue(given);
    throw invalid(
      `the API key to be one word, longer than its prefix, got ${got}: copy the whole key`,
    );
  }
  return key;
}

/**
 * Checks an access token. A live key needs `live` in its place too. Throws `credential_invalid`;
 * never contains the token.
 */
export function readToken(given: unknown, live: boolean): string {
  if (typeof given !== "string" || !SENDABLE.test(given)) {
    const got = typeof given === "string" ? "another string" : describeValue(given);
    throw invalid(`the access token to be one word, got ${got}: return or set the token alone`);
  }
  if (given.startsWith("sk_live_")) refuseLive(live);
  return given;
}

function refuseLive(live: boolean): void {
  if (!live)
    throw invalid(
      "a test key, got a live one, which gives access to real data: set live (--live) to allow it",
    );
}

function invalid(expected: string): ConfigurationError {
  return new ConfigurationError("credential_invalid", `expected ${expected}`);
}
