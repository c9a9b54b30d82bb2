import * as z from "zod";

/** The error object (service description, "Errors"); each part is taken where it is there, since an answer may lack it. */
const errorBodySchema = z.looseObject({
  error: z.looseObject({
    type: z.string().optional().catch(undefined),
    message: z.string().optional().catch(undefined),
    field: z.string().optional().catch(undefined),
  }),
});

/** What an error answer says of itself. */
export interface ErrorObject {
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

/** Reads the error object out of an answer's body; an answer without one still has its status. */
export function readErrorObject(body: Uint8Array | undefined): ErrorObject {
  try {
    const parsed = errorBodySchema.safeParse(JSON.parse(Buffer.from(body ?? []).toString("utf8")));
    return parsed.success ? parsed.data.error : {};
  } catch {
    return {}; // not JSON: a proxy's own page, for example
  }
}
