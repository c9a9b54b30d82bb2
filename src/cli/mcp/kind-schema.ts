import * as z from "zod";
import { ownCommand } from "../../base/package/own-command.ts";
import { envelopeSchema } from "../../event/envelope.ts";
import { EVENT_KINDS, type EventKind } from "../../event/kinds.ts";
import { sampleEvent } from "../../event/sample.ts";
import { documentedSchema } from "../../event/schemas.ts";
import type { CliContext } from "../context.ts";
import { findLearnedData } from "../learn/learned-data.ts";
import { placeOf } from "../types/data-type.ts";
import { type JsonSchema, jsonSchema } from "../types/json-schema.ts";
import { restsOn } from "../types/schemas-file.ts";

const DOCUMENTED =
  "The fields that the service documents. Only `id` is always there; it may add fields within a version.";
const notShown = () =>
  `The service documents no fields of this kind, and those of the sample are invented. \`${ownCommand("types")}\` learns them from received events.`;

/**
 * The JSON Schema of a kind's events, with a sample: `data` as learned in this folder, else as
 * documented, else any object.
 */
export async function kindSchema(kind: EventKind, context: CliContext): Promise<JsonSchema> {
  const found = await findLearnedData({}, context);
  const known = found?.learned.get(kind);
  const documented = documentedSchema(kind);
  const data = documented?.describe(DOCUMENTED) ?? z.looseObject({}).describe(notShown());
  const envelope = z.toJSONSchema(envelopeSchema.extend({ event: z.literal(kind), data }), {
    io: "input",
  });
  const learned = known && {
    ...jsonSchema(placeOf(known.shape), false),
    description: restsOn(kind, known),
  };
  const madeUp = found?.data(kind, 1);
  const sample = sampleEvent(kind, { timestamp: context.clock() });
  return {
    ...envelope,
    description: EVENT_KINDS[kind].meaning,
    properties: { ...envelope.properties, ...(learned && { data: learned }) },
    examples: [madeUp === undefined ? sample : { ...sample, data: JSON.parse(madeUp) }],
  };
}
