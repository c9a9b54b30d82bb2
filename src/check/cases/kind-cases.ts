import type { EventKind } from "../../event/kinds.ts";
import { type CaseDefinition, casesOf } from "../check-case.ts";

/** The kinds whose `data` the description does not show, by the case that sends one. */
export const UNDESCRIBED = {
  "KIND-02": "property.updated",
  "KIND-03": "property.deleted",
  "KIND-04": "tenant.created",
  "KIND-05": "tenant.updated",
  "KIND-06": "lease.expired",
  "KIND-07": "payment.received",
  "KIND-08": "payment.overdue",
  "KIND-09": "expense.created",
  "KIND-10": "lead.created",
  "KIND-11": "deal.status_changed",
  "KIND-12": "contact.created",
} as const satisfies Readonly<Record<string, EventKind>>;

const ADVISED = { severity: "recommended", crash: "kind_failed" } as const;

/** One valid delivery of each kind, and unexpected kinds and data. */
export const KIND_CASES = {
  "KIND-01": {
    expects: { answers: ["200"] },
    severity: "required",
    why: "confirm",
    about: "header",
    cause: "valid_refused",
    crash: "valid_failed",
    send: (probe) => probe.post(probe.body()), // of the kind that was given, if one was
  },
  ...casesOf<keyof typeof UNDESCRIBED, EventKind>(
    {
      expects: { answers: ["200", "4xx"], best: ["200"] },
      severity: "required",
      why: "made_up_data",
      cause: "kind_refused",
      crash: "kind_failed",
    },
    (probe, kind) => probe.post(probe.bodyOf(kind)),
    UNDESCRIBED,
  ),
  "KIND-13": {
    ...ADVISED,
    expects: { answers: ["200"] },
    why: "unknown_kind",
    cause: "unknown_kind_refused",
    send: (probe) => probe.post(probe.bodyOf("property.inspected")),
  },
  "KIND-14": {
    ...ADVISED,
    expects: { answers: ["200", "4xx"] },
    why: "no_failure",
    cause: "kind_failed",
    crash: "inherited_handler_found",
    send: (probe) => probe.post(probe.bodyOf("constructor")),
  },
  "KIND-15": {
    ...ADVISED,
    expects: { answers: ["200", "4xx"] },
    why: "other_data",
    cause: "kind_failed",
    send: (probe) =>
      probe.post(probe.body({ data: { id: probe.marker, surface: "large", owner: null } })),
  },
  "KIND-16": {
    ...ADVISED,
    expects: { answers: ["200"] },
    why: "added_fields",
    cause: "added_fields_refused",
    send: (probe) => {
      const added = { added_later: { nested: [1, null] } };
      const make = () => {
        const { data, webhook } = probe.event();
        return probe.body({
          ...added,
          data: { ...data, ...added },
          webhook: { ...webhook, ...added },
        });
      };
      return probe.post(probe.untilDigest(make));
    },
  },
} satisfies Readonly<Record<string, CaseDefinition>>;

/** The case that runs first in every run: a completely valid delivery. */
export const CONTROL = "KIND-01" satisfies keyof typeof KIND_CASES;
