import { z } from "zod";
import { defineHandlers } from "../../src/entries/index.ts";

/** The numbers of the events that were handled, by their order key. */
export const handled = new Map<string, number[]>();

const data = z.object({ key: z.string(), number: z.number(), fails: z.number().optional() });

/** A module of handlers as a user has it, which knows nothing of where the inbox is. */
export const handlers = defineHandlers({
  schemas: { "payment.received": data, "payment.overdue": data, "lead.created": data },
  handlers: {
    "payment.received": async (
      { data: { key, number, fails = 0 } },
      { attempt, note, orderKey },
    ) => {
      await new Promise((resolve) => setTimeout(resolve, number % 3));
      if (attempt <= fails) throw new Error(`not at attempt ${attempt}`);
      handled.set(key, [...(handled.get(key) ?? []), number]);
      note(`order key ${orderKey}`);
    },
    "payment.*": () => {},
    "lead.created": () => {
      throw Object.assign(new Error("never"), { cause: new Error("since it is a lead") });
    },
  },
});
