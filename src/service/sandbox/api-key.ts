import { type ApiError, unauthorized } from "./api-error.ts";

/** The prefixes that distinguish keys (service description, "Authentication" 2). */
const TEST_PREFIX = "sk_test_";
const LIVE_PREFIX = "sk_live_";

/**
 * Checks `Authorization: Bearer <API_KEY>` (service description, "Authentication" 1 to 3). A live
 * key gets its own message, since sending one here is a mistake that should be noticed.
 *
 * @param wanted - the only key to accept; `undefined` accepts every test key
 * @returns the error, or `undefined` if the key is valid
 */
export function checkKey(
  header: string | undefined,
  wanted: string | undefined,
): ApiError | undefined {
  const key = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (key === undefined) return unauthorized("expected the header Authorization: Bearer <API_KEY>");
  if (key.startsWith(LIVE_PREFIX))
    return unauthorized(
      "expected a test key (sk_test_), got a live key (sk_live_): do not send live keys to the sandbox",
    );
  if (!key.startsWith(TEST_PREFIX))
    return unauthorized("expected an API key that begins with sk_test_");
  const good = wanted === undefined ? key !== TEST_PREFIX : key === wanted;
  return good ? undefined : unauthorized("the API key is not valid here");
}
