import { connection } from "next/server";
import { receiver } from "../../receiver.ts";

/**
 * Whether it accepts deliveries: send none if this fails, but do not restart it, which frees no
 * disk and mends no database.
 */
export async function GET(): Promise<Response> {
  await connection(); // never the answer of the build, which has no secret
  const refusing = await receiver().checkReady(); // reads the inbox, too
  return Response.json(
    { status: refusing ?? "ok" },
    { status: refusing === undefined ? 200 : 503 },
  );
}
