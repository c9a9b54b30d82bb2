import { expect, it } from "vitest";
import { readEnvelope } from "../../src/event/read-envelope.ts";
import known from "./known-keys.json" with { type: "json" };

/**
 * A body as text, or as hex if it is not UTF-8; and what it was read as when the rule of ids got
 * its number.
 */
interface Known {
  readonly title: string;
  readonly text?: string;
  readonly hex?: string;
  readonly eventId?: string;
  readonly content?: string;
  readonly timestamp?: number;
  readonly reason?: string;
  readonly field?: string;
}

// Inboxes have entries under these ids: if one changes without a new rule number, their duplicates
// run again.
it.each(known as readonly Known[])(
  "reads $title as ever",
  ({ title: _, text, hex, ...expected }) => {
    const read = readEnvelope(
      hex === undefined ? Buffer.from(text ?? "") : Buffer.from(hex, "hex"),
    );
    if (!read.ok) {
      const { reason, field } = read.rejection;
      expect({ reason, field }).toEqual({ reason: expected.reason, field: expected.field });
    } else {
      const { eventId, content, timestamp } = read;
      expect({ eventId, content, timestamp }).toEqual(expected);
    }
  },
);
