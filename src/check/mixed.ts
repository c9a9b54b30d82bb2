import { isIn, mayBeSignature, type ProbeAnswer } from "./answer.ts";
import type { PostOptions } from "./delivery.ts";
import type { Probe } from "./probe.ts";

/** What tells the valid deliveries that are accepted from those that are refused. */
export type Division =
  /** The deliveries of one connection are all answered alike, those of others otherwise. */
  | { readonly by: "connection" }
  /** The same answer comes every `of` requests. */
  | { readonly by: "turn"; readonly of: number }
  /** The digests that begin, or end, with these digits are refused. */
  | { readonly by: "first_digit" | "last_digit"; readonly digits: readonly string[] };

/** That a receiver accepts some valid deliveries and refuses others. */
export interface MixedAnswers {
  readonly accepted: number;
  readonly sent: number;
  /** What divides them; `undefined` if nothing does that was looked at. */
  readonly division?: Division | undefined;
}

/** How often a delivery is sent again before its refusal counts. */
const AGAIN = 5;
const CONNECTIONS = 4;
const PER_CONNECTION = 4;
/** Deliveries in a row, for a receiver whose instances take turns. */
const IN_A_ROW = 20;
const MOST_IN_TURN = 4;
const DIGITS = [..."0123456789abcdef"];
/** Deliveries for each digit: all that are refused by chance would be as rare as 1 of 65 000. */
const PER_DIGIT = 2;

/** Whether an answer confirms a delivery. */
const isTaken = (answer: ProbeAnswer): boolean => isIn(answer, ["2xx"]);

/**
 * Sends a refused delivery several times more, exactly as it was. Returns whether one of them was
 * accepted: then nothing about the delivery is why it was refused.
 */
export async function isTakenAgain(
  probe: Probe,
  body: Uint8Array,
  { agent: _, ...options }: PostOptions = {},
): Promise<boolean> {
  for (let sent = 0; sent < AGAIN; sent++) {
    const answer = await probe.post(body, options);
    if (isTaken(answer)) return true;
    if (!mayBeSignature(answer)) return false;
  }
  return false;
}

/** What tells the valid deliveries that a receiver accepts from those that it refuses. */
export async function howMixed(probe: Probe): Promise<MixedAnswers> {
  const sending = new Sending(probe);
  const division =
    (await sending.byTurn()) ??
    (await sending.byConnection()) ??
    (await sending.byDigit("first_digit")) ??
    (await sending.byDigit("last_digit"));
  const { accepted, sent } = sending;
  return { accepted, sent, division };
}

/** Valid deliveries, each of which differs from the others in one thing alone. */
class Sending {
  accepted = 0;
  sent = 0;
  readonly #probe: Probe;

  constructor(probe: Probe) {
    this.#probe = probe;
  }

  async byTurn(): Promise<Division | undefined> {
    const body = this.#probe.body();
    const taken: boolean[] = [];
    for (let sent = 0; sent < IN_A_ROW; sent++) taken.push(await this.#take(body));
    for (let of = 2; of <= MOST_IN_TURN; of++) {
      const isRepeated = taken.every((one, at) => at < of || one === taken[at - of]);
      if (isRepeated && taken.includes(!taken[0])) return { by: "turn", of };
    }
    return undefined;
  }

  async byConnection(): Promise<Division | undefined> {
    const body = this.#probe.body();
    const perConnection: boolean[][] = [];
    for (let opened = 0; opened < CONNECTIONS; opened++) {
      const taken = await this.#probe.onOneConnection(async (agent) => {
        const answers: boolean[] = [];
        for (let sent = 0; sent < PER_CONNECTION; sent++)
          answers.push(await this.#take(body, { agent }));
        return answers;
      });
      perConnection.push(taken);
    }
    const isUniform = perConnection.every((taken) => new Set(taken).size === 1);
    const firsts = new Set(perConnection.map(([first]) => first));
    return isUniform && firsts.size === 2 ? { by: "connection" } : undefined;
  }

  async byDigit(by: "first_digit" | "last_digit"): Promise<Division | undefined> {
    const refused: string[] = [];
    for (const digit of DIGITS) {
      const fits = (hex: string) => hex.at(by === "first_digit" ? 0 : -1) === digit;
      const taken: boolean[] = [];
      for (let sent = 0; sent < PER_DIGIT; sent++)
        taken.push(await this.#take(this.#probe.another(fits)));
      if (new Set(taken).size === 2) return undefined;
      if (taken[0] === false) refused.push(digit);
    }
    const divides = refused.length > 0 && refused.length < DIGITS.length;
    return divides ? { by, digits: refused } : undefined;
  }

  async #take(body: Buffer, options?: PostOptions): Promise<boolean> {
    const isAccepted = isTaken(await this.#probe.post(body, options));
    this.sent++;
    if (isAccepted) this.accepted++;
    return isAccepted;
  }
}
