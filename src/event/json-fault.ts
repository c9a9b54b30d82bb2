/** What is wrong with a text that `JSON.parse` accepts, and where (`data.amount`). */
export interface JsonFault {
  readonly reason: "duplicate_key" | "forbidden_key" | "too_deep";
  readonly path: string;
}

/** Thrown where reading cannot go on. */
export class Fault extends Error {
  readonly fault: JsonFault;
  constructor(fault: JsonFault) {
    super(fault.reason);
    this.fault = fault;
  }
}
