import { type EventKind, eventKinds } from "../../event/kinds.ts";
import type { CheckCase } from "../check-case.ts";
import { WHY } from "../reasons.ts";

const DESCRIBED: EventKind = "property.created";
const FAILED =
  "its code fails on this, so the sender retries the same bytes for ever: catch the error, and answer 200 or 400";

/** One valid delivery of each kind, and unexpected kinds and data. */
export const KIND_CASES: readonly CheckCase[] = [
  ...eventKinds.map((kind, index): CheckCase => {
    const common = {
      id: `KIND-${index + 1 < 10 ? "0" : ""}${index + 1}` as CheckCase["id"],
      sent: `a valid ${kind}`,
      severity: "required",
      run: (probe) => probe.post(probe.bodyOf(kind)),
    } satisfies Partial<CheckCase>;
    if (kind === DESCRIBED)
      return {
        ...common,
        run: (probe) => probe.post(probe.body()), // of the kind that was given, if one was
        right: ["200"],
        why: WHY.confirm,
        about: "header",
        fix: "it refuses a completely valid delivery: compare the secret, the header's name and the path",
        crash: "it fails on a completely valid delivery: see its own log",
      };
    return {
      ...common,
      right: ["200", "4xx"],
      best: ["200"],
      why: WHY.madeUpData,
      crash: FAILED,
      fix: `it does not accept ${kind}: answer 200 to all 12 kinds (the sample's \`data\` is invented; see the receiver's log if it validates \`data\`)`,
    };
  }),
  {
    id: "KIND-13",
    sent: "an unknown kind",
    right: ["200"],
    severity: "recommended",
    why: WHY.unknownKind,
    crash: FAILED,
    fix: "it refuses an unknown kind: answer 200 and keep or ignore the event",
    run: (probe) => probe.post(probe.bodyOf("property.inspected")),
  },
  {
    id: "KIND-14",
    sent: "a kind named `constructor`",
    right: ["200", "4xx"],
    severity: "recommended",
    why: WHY.noFailure,
    fix: FAILED,
    crash: "it looks handlers up in a plain object and finds an inherited property: use a Map",
    run: (probe) => probe.post(probe.bodyOf("constructor")),
  },
  {
    id: "KIND-15",
    sent: "property.created with other `data` than described",
    right: ["200", "4xx"],
    severity: "recommended",
    why: WHY.otherData,
    crash: FAILED,
    fix: FAILED,
    run: (probe) =>
      probe.post(probe.body({ data: { id: probe.marker, surface: "large", owner: null } })),
  },
  {
    id: "KIND-16",
    sent: "additional fields",
    right: ["200"],
    severity: "recommended",
    why: WHY.addedFields,
    crash: FAILED,
    fix: "it refuses unknown fields: ignore them",
    run: (probe) => {
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
];
