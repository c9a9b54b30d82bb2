import { CONTENT_CASES } from "./cases/content-cases.ts";
import { DIGEST_CASES } from "./cases/digest-cases.ts";
import { DUPLICATE_CASES } from "./cases/duplicate-cases.ts";
import { FORGED_AFTER_CASES } from "./cases/forged-after-cases.ts";
import { FORGED_DIGEST_CASES } from "./cases/forged-digest-cases.ts";
import { FORGED_KIND_CASES } from "./cases/forged-kind-cases.ts";
import { GATE_CASES } from "./cases/gate-cases.ts";
import { KIND_CASES } from "./cases/kind-cases.ts";
import { REQUEST_CASES } from "./cases/request-cases.ts";
import { SIGNATURE_CASES } from "./cases/signature-cases.ts";
import { SPELLING_CASES } from "./cases/spelling-cases.ts";
import { TAMPERING_CASES } from "./cases/tampering-cases.ts";
import { TIME_CASES } from "./cases/time-cases.ts";
import { type CaseDefinition, GROUPS, groupOf } from "./check-case.ts";

export { CONTROL } from "./cases/kind-cases.ts";

const TABLES = [
  KIND_CASES,
  SIGNATURE_CASES,
  DIGEST_CASES,
  FORGED_DIGEST_CASES,
  FORGED_KIND_CASES,
  FORGED_AFTER_CASES,
  GATE_CASES,
  TAMPERING_CASES,
  SPELLING_CASES,
  CONTENT_CASES,
  REQUEST_CASES,
  TIME_CASES,
  DUPLICATE_CASES,
] as const;

type KeyOf<Table> = Table extends unknown ? keyof Table : never;

/** The id of a case. It is stable: a number is never reused for another case. */
export type CaseId = KeyOf<(typeof TABLES)[number]>;

export interface CheckCase extends CaseDefinition {
  readonly id: CaseId;
}

/**
 * All cases, in the order in which they are shown. A test compares them with
 * `docs/reference/check.md`.
 */
export const CATALOGUE: readonly CheckCase[] = TABLES.flatMap((table) =>
  Object.entries<CaseDefinition>(table).map(([id, definition]) => ({
    ...definition,
    id: id as CaseId,
  })),
).toSorted((a, b) => placeOf(a) - placeOf(b));

function placeOf(checkCase: CheckCase): number {
  return (
    1000 * Object.keys(GROUPS).indexOf(groupOf(checkCase)) + Number(checkCase.id.split("-")[1])
  );
}
