import { ApiError } from "../api-error.ts";
import { askForProof, CAN_CHECK } from "./server-proof.ts";
import { dropToken, keepToken } from "./session.ts";

/** The server on this port has not proven that it knows the token, so it was not sent. */
export class UnknownServerError extends ApiError {
  constructor() {
    super(0, "the server on this port does not know this tab");
  }
}

/**
 * Decides when the token may be sent: while a live feed is open, since then the server is the one that answered before, and
 * else after the server has proven that it knows the token's hash. When `listen` ends, any program may bind its port.
 */
export class Connection {
  readonly #token: string;
  #feeds = 0;
  #lost = false;
  /** Whether the page is being left or loaded again: its requests are cancelled then, which says nothing about the server. */
  #isLeaving = false;

  constructor(token: string) {
    this.#token = token;
    addEventListener("pagehide", () => {
      this.#isLeaving = true;
    });
    addEventListener("pageshow", () => {
      this.#isLeaving = false;
    });
  }

  get live(): boolean {
    return this.#feeds > 0;
  }

  /** The token, if it may be sent now. @throws UnknownServerError, ApiError if there is no answer */
  async token(): Promise<string> {
    // The page has no service worker. One of an earlier program on this port would see every request.
    if (!(await isUnobserved())) throw this.#refuse(new UnknownServerError());
    if (this.live) return this.#token;
    if (!CAN_CHECK && !this.#lost) return this.#token;
    const proof = CAN_CHECK ? await askForProof(this.#token) : "refused";
    if (proof === "no answer")
      throw this.#refuse(new ApiError(0, "listen does not respond: check that it is running"));
    if (proof === "refused") throw this.#refuse(new UnknownServerError());
    return this.#token;
  }

  opened(): void {
    this.#feeds++;
    this.#lost = false;
    keepToken(this.#token);
  }

  /** A live feed ended; `wanted` if the page itself closed it. */
  ended(wanted: boolean): void {
    this.#feeds--;
    if (!this.live && !wanted) this.#lose();
  }

  #refuse(error: ApiError): ApiError {
    this.#lose();
    return error;
  }

  #lose(): void {
    if (this.#isLeaving) return;
    this.#lost = true;
    dropToken();
  }
}

/** Whether no service worker can see this page's requests. Removes those of other programs. */
export async function isUnobserved(): Promise<boolean> {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (workers === undefined) return true; // as over plain HTTP from another machine
  const found = await workers.getRegistrations();
  for (const one of found) void one.unregister();
  return workers.controller === null && found.length === 0;
}
