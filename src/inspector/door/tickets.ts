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

/**
 * Tickets let a new tab in without a token ever being sent between tabs: the server writes a ticket into the page, the new
 * tab shows only its hash to the others, one of them admits that hash, and the new tab exchanges the ticket for the token.
 * Other pages of the same origin see hashes at most, which are of no use to them.
 */
export class Tickets {
  /** By hash, oldest first. */
  readonly #tickets = new NewestMap<string, Ticket>(KEPT);
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  issue(): string {
    const text = randomBytes(32).toString("base64url");
    this.#tickets.set(hashToken(text), { until: this.#clock() + VALID });
    return text;
  }

  /** Admits the bearer of the ticket with this hash; false if there is none. */
  admit(hash: string, token: string): boolean {
    const ticket = this.#find(hash);
    if (ticket === undefined) return false;
    ticket.token ??= token;
    return true;
  }

  /** Exchanges a ticket for a token, once, if its bearer was admitted. */
  redeem(text: string): string | undefined {
    const hash = hashToken(text);
    const token = this.#find(hash)?.token;
    if (token !== undefined) this.#tickets.delete(hash);
    return token;
  }

  #find(hash: string): Ticket | undefined {
    const ticket = this.#tickets.get(hash);
    if (ticket === undefined || ticket.until > this.#clock()) return ticket;
    this.#tickets.delete(hash);
    return undefined;
  }
}
