import { timeText } from "../../base/text/time-text.ts";
import { noAuthentic } from "../../inbox/senders.ts";
import { mismatchedSources } from "../../receiver/mismatch-text.ts";
import { type DoctorCheck, fail, ok, warn } from "./finding.ts";

const FIX =
  "compare the secret with the sender's, and restart the receiver with both while it is changed: " +
  'see "Everything is 401" in docs/operations.md';

/**
 * Whether the deliveries that come are still authentic, as far as the receivers have noted it in
 * the inbox.
 */
export const signatures: DoctorCheck = {
  name: "signatures",
  run: async ({ facts, context }) => {
    const now = context.clock();
    const { senders: records = [] } = await facts();
    const findings = mismatchedSources(records, now).map(({ record, text }) =>
      (noAuthentic(record, now) ? fail : warn)(text, FIX),
    );
    const times = records.flatMap(({ authenticAt }) => authenticAt ?? []);
    if (findings.length > 0 || times.length === 0) return findings;
    return [ok(`the latest authentic delivery came at ${timeText(Math.max(...times), now)}`)];
  },
};
