import { type EventKind, eventKinds } from "../../event/kinds.ts";
import type { CheckCase } from "../check-case.ts";
import { WHY } from "../reasons.ts";

const DESCRIBED: EventKind = "property.created";
const FAILED =
  "its code fails on it, so the same bytes come again and again: catch the error, and answer 200 or 400";

/** One valid delivery of each kind, and kinds and data that were not foreseen. */
export const KIND_CASES: readonly CheckCase[] = [
  ...eventKinds.map((kind, index): CheckCase => {
    const common = {
      id: `KIND-${index + 1 < 10 ? "0" : ""}${index + 1}` as CheckCase["id"],
      sent: `a valid ${kind}`,
      severity: "required",
      run: (probe) => probe.post(probe.bodyOf(kind)),
    } satisfies Partial<CheckCase>;
    if (kind === DESCRIBED) {
      return {
        ...{ ...common, right: ["200"], why: WHY.confirm },
        fix: "it refuses a delivery that is valid in every way: compare the secret, the header's name and the path",
      };
    }
    return {
      ...{ ...common, right: ["200", "4xx"], best: ["200"], why: WHY.madeUpData, crash: FAILED },
      fix: `it does not take ${kind}: answer 200 to all 12 kinds (the sample's \`data\` is made up; see its log if it checks it)`,
    };
  }),
  {
    ...{ id: "KIND-13", sent: "a kind that is none of the 12", right: ["200"], severity: "recommended" },
    ...{ why: WHY.unknownKind, crash: FAILED },
    fix: "it refuses a kind it does not know: answer 200 and keep or ignore the event",
    run: (probe) => probe.post(probe.bodyOf("property.inspected")),
  },
  {
    ...{ id: "KIND-14", sent: "a kind named `constructor`", right: ["200", "4xx"], severity: "recommended" },
    ...{
      why: WHY.noFailure,
      crash: "it looks handlers up in a plain object and finds what every object has: use a Map",
    },
    fix: FAILED,
    run: (probe) => probe.post(probe.bodyOf("constructor")),
  },
  {
    ...{ id: "KIND-15", sent: "property.created with other `data` than described" },
    ...{ right: ["200", "4xx"], severity: "recommended", why: WHY.otherData, crash: FAILED, fix: FAILED },
    run: (probe) => probe.post(probe.body({ data: { id: probe.marker, surface: "large", owner: null } })),
  },
  {
    ...{ id: "KIND-16", sent: "fields beyond those described", right: ["200"], severity: "recommended" },
    ...{ why: WHY.addedFields, crash: FAILED },
    fix: "it refuses fields it does not know: ignore them",
    run: (probe) => {
      const { data, webhook } = probe.event();
      const added = { added_later: { nested: [1, null] } };
      return probe.post(
        probe.body({ ...added, data: { ...data, ...added }, webhook: { ...webhook, ...added } }),
      );
    },
  },
];
