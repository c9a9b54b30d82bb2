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
 * Decides when the token may be sent: while a live feed is open, since then the server is the one
 * that answered before, and else after the server has proven that it knows the token's hash. When
 * `listen` ends, any program may bind its port.
 */
export function connectionWith(token: string) {
  let feeds = 0;
  let isLost = false;
  /**
   * Whether the page is being left or loaded again: its requests are cancelled then, which says
   * nothing about the server.
   */
  let isLeaving = false;
  addEventListener("pagehide", () => {
    isLeaving = true;
  });
  addEventListener("pageshow", () => {
    isLeaving = false;
  });
  const lose = () => {
    if (isLeaving) return;
    isLost = true;
    dropToken();
  };
  const refuse = (error: ApiError) => {
    lose();
    return error;
  };
  return {
    isLive: () => feeds > 0,

    /**
     * The token, if it may be sent now. @throws UnknownServerError, ApiError if there is no answer
     */
    token: async (): Promise<string> => {
      // The page has no service worker. One of an earlier program on this port would see every
      // request.
      if (!(await isUnobserved())) throw refuse(new UnknownServerError());
      if (feeds > 0 || (!CAN_CHECK && !isLost)) return token;
      const proof = CAN_CHECK ? await askForProof(token) : "refused";
      if (proof === "no answer")
        throw refuse(new ApiError(0, "listen does not respond: check that it is running"));
      if (proof === "refused") throw refuse(new UnknownServerError());
      return token;
    },

    opened: () => {
      feeds++;
      isLost = false;
      keepToken(token);
    },

    /** A live feed ended; `wanted` if the page itself closed it. */
    ended: (wanted: boolean) => {
      feeds--;
      if (feeds === 0 && !wanted) lose();
    },
  };
}

/** Whether no service worker can see this page's requests. Removes those of other programs. */
export async function isUnobserved(): Promise<boolean> {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (workers === undefined) return true; // as over plain HTTP from another machine
  const found = await workers.getRegistrations();
  for (const registration of found) void registration.unregister();
  return workers.controller === null && found.length === 0;
}
