import { casesOf } from "../check-case.ts";
import type { CauseCode } from "../codes.ts";
import type { Probe } from "../probe.ts";
import { bodyWithReplacement, text, withBadByte } from "./event-bodies.ts";

const ADVISED = { severity: "recommended", crash: "content_failed" } as const;

/** Matches the field that holds the placeholder `@@`; its first group is the name. */
const PLACEHOLDER_FIELD = /"(\w+)":"@@"/;

/** Correctly signed bytes that are not quite an event. */
export const CONTENT_CASES = {
  ...notEvents("envelope_not_checked", {
    "BODY-24": (probe) => text(`[${probe.body()}]`),
    "BODY-25": () => text("null"),
    "BODY-26": (probe) => probe.body({ event: undefined }),
    "BODY-27": (probe) => probe.body({ event: 12 }),
    "BODY-28": (probe) => probe.body({ data: null }),
    "BODY-29": (probe) => probe.body({ webhook: undefined }),
  }),
  ...notEvents("unparsable_body_confirmed", {
    "BODY-22": (probe) => text(`not JSON ${probe.marker}`),
  }),
  ...notEvents("empty_body_confirmed", {
    "BODY-23": () => Buffer.alloc(0),
  }),
  ...notEvents("invalid_utf8_confirmed", {
    "BODY-30": withBadByte,
  }),
  // Correctly signed JSON that has broken receivers.
  ...casesOf(
    {
      ...ADVISED,
      expects: { answers: ["200", "4xx"] },
      why: "no_failure",
      cause: "content_failed",
    },
    (probe, made: string) =>
      probe.post(
        probe.untilDigest(() => bodyWithReplacement(probe, "rooms", PLACEHOLDER_FIELD, made)),
      ),
    {
      "BODY-31": '"$1":1,"$1":3',
      "BODY-32": '"__proto__":{"admin":true},"$1":3',
      "BODY-33": `"$1":${"[".repeat(5000)}${"]".repeat(5000)}`,
      "BODY-34": '"$1":"\\u0000\\ud800"',
      // Most languages read it as another number, or as infinite, which JSON then cannot print.
      "BODY-37": '"$1":1e400',
    },
  ),
};

/** Correctly signed bodies that are not events. */
function notEvents<Id extends string>(
  cause: CauseCode,
  rows: Readonly<Record<Id, (probe: Probe) => Buffer>>,
) {
  return casesOf(
    { ...ADVISED, expects: { answers: ["4xx"] }, why: "validate", cause },
    (probe, make: (probe: Probe) => Buffer) => probe.post(make(probe)),
    rows,
  );
}
