import * as z from "zod";

/** The error object (service description, "Errors"). Every part is optional, since a response may lack it. */
const errorBodySchema = z.looseObject({
  error: z.looseObject({
    type: z.string().optional().catch(undefined),
    message: z.string().optional().catch(undefined),
    field: z.string().optional().catch(undefined),
  }),
});

/** The content of an error response. */
export interface ErrorObject {
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

/** Reads the error object from a response's body; a response without one still has its status. */
export function readErrorObject(body: Uint8Array | undefined): ErrorObject {
  try {
    const parsed = errorBodySchema.safeParse(JSON.parse(Buffer.from(body ?? []).toString("utf8")));
    return parsed.success ? parsed.data.error : {};
  } catch {
    return {}; // not JSON, such as a proxy's error page
  }
}
