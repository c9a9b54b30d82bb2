import { randomBytes } from "node:crypto";
import { NewestMap } from "../../base/newest-map.ts";
import { hashToken } from "./token.ts";

/** Milliseconds for which a ticket is valid. */
export const VALID = 30_000;
const KEPT = 100; // the maximum number of tickets; the oldest are dropped

interface Ticket {
  readonly until: number;
  /** The token of the tab that admitted the bearer. */
  token?: string;
}

export type Tickets = ReturnType<typeof tickets>;

/**
 * Tickets let a new tab in without a token ever being sent between tabs: the server writes a ticket
 * into the page, the new tab shows only its hash to the others, one of them admits that hash, and
 * the new tab exchanges the ticket for the token. Other pages of the same origin see hashes at
 * most, which are of no use to them.
 */
export function tickets(clock: () => number) {
  /** By hash, oldest first. */
  const issued = new NewestMap<string, Ticket>(KEPT);
  const find = (hash: string) => {
    const ticket = issued.get(hash);
    if (ticket === undefined || ticket.until > clock()) return ticket;
    issued.delete(hash);
    return undefined;
  };
  return {
    issue: () => {
      const text = randomBytes(32).toString("base64url");
      issued.set(hashToken(text), { until: clock() + VALID });
      return text;
    },
    /** Admits the bearer of the ticket with this hash; false if there is none. */
    admit: (hash: string, token: string) => {
      const ticket = find(hash);
      if (ticket !== undefined) ticket.token ??= token;
      return ticket !== undefined;
    },
    /** Exchanges a ticket for a token, once, if its bearer was admitted. */
    redeem: (text: string) => {
      const hash = hashToken(text);
      const token = find(hash)?.token;
      if (token !== undefined) issued.delete(hash);
      return token;
    },
  };
}
