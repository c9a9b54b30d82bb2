import { ApiError } from "../api-error.ts";

/**
 * A key for each intended action. If the answer is lost, the next attempt of the same action has the same key, so that the
 * server does nothing twice.
 */
export class RequestKeys {
  readonly #byContent = new Map<string, string>();

  /** Sends a request with the key for its content, which is forgotten once there is an answer. */
  async during<Value>(content: string, send: (key: string) => Promise<Value>): Promise<Value> {
    const key = this.#byContent.get(content) ?? makeKey();
    this.#byContent.set(content, key);
    try {
      const value = await send(key);
      this.#byContent.delete(content);
      return value;
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status !== 0) this.#byContent.delete(content);
      throw thrown;
    }
  }
}

/** `crypto.randomUUID` is not there over plain HTTP from another machine. */
function makeKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
