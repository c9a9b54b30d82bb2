import * as z from "zod";
import { isRecord } from "../base/guards.ts";
import type { OpenObject } from "./schemas.ts";

/**
 * The JSON object in a delivery's body (service description, section "Body envelope"). All objects
 * are open: unknown fields are kept, since the service may add fields within a version.
 */
export const envelopeSchema = z.looseObject({
  /** Event kind. Any string is allowed here: an unknown kind is kept, not refused. */
  event: z.string(),
  /** ISO 8601 UTC timestamp; `parseTimestamp` checks the format. */
  timestamp: z.string(),
  /** The resource that the event is about. */
  data: z.custom<OpenObject>(isRecord),
  /** The subscription this delivery was made for. */
  webhook: z.looseObject({ id: z.string().startsWith("wh_"), url: z.string() }),
});

/** A validated envelope, including unknown fields. */
export type Envelope = z.infer<typeof envelopeSchema>;
