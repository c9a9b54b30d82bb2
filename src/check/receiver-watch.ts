import { tryToConnect } from "../http/try-to-connect.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckResult } from "./check-result.ts";
import type { ProbeExchange } from "./delivery.ts";
import type { Probe } from "./probe.ts";
import { type Absence, absenceAfterBrokenConnection } from "./reachable.ts";
import type { Stop } from "./stop.ts";

/**
 * After this many cases in a row without an answer, or without the end of one, the receiver is
 * considered stuck.
 */
export const MAX_SILENT_CASES = 3;
export const MAX_RESTART_TIME = 3000;

/** Notices a receiver that answers no more. */
export class ReceiverWatch {
  readonly #options: CheckOptions;
  readonly #extraProbe: () => Probe;
  #silent = 0;
  #endless = 0;

  constructor(options: CheckOptions, extraProbe: () => Probe) {
    this.#options = options;
    this.#extraProbe = extraProbe;
  }

  /** Counts cases without an answer, or without the end of one; why the run ends if too many. */
  count(result: CheckResult): Stop | undefined {
    const by = result.checkCase.id;
    const last = result.answers.at(-1)?.type;
    if (last === "status") this.#silent = 0;
    if (last !== "endless") this.#endless = 0;
    const isStuck =
      (isSilent(result) && ++this.#silent >= MAX_SILENT_CASES) ||
      (last === "endless" && ++this.#endless >= MAX_SILENT_CASES);
    if (!isStuck) return undefined;
    return { code: last === "endless" ? "endless" : "silent", cases: MAX_SILENT_CASES, by };
  }

  /**
   * How the receiver is away after a connection of a case ended without an answer; `undefined` if
   * it still answers.
   */
  async absenceAfter(result: CheckResult): Promise<Absence | undefined> {
    const { url, patience = MAX_RESTART_TIME } = this.#options;
    // A receiver that is silent, but there, would be silent again.
    if (isSilent(result) && (await tryToConnect(url, this.#options)) === undefined)
      return undefined;
    const probe = this.#extraProbe();
    return absenceAfterBrokenConnection(this.#options, patience, () => probe.post(probe.body()));
  }
}

/** Whether a case got no answer that should have got one. */
function isSilent({ checkCase, answers }: CheckResult): boolean {
  return answers.at(-1)?.type === "silent" && checkCase.silence === undefined;
}

/** Whether only a holder of the secret can send that. */
export function isSigned({ body, options }: ProbeExchange, probe: Probe): boolean {
  const { header, signature } = options;
  return header === undefined && (signature === undefined || signature === probe.sign(body));
}
