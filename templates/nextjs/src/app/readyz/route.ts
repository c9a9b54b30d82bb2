import { connection } from "next/server";
import { receiver } from "../../receiver.ts";

/** Whether it accepts deliveries: send none if this fails, but do not restart it, which frees no disk and mends no database. */
export async function GET(): Promise<Response> {
  await connection(); // never the answer of the build, which has no secret
  const { inbox, ready, refusing } = receiver();
  try {
    await inbox.nextRunAt(); // fails unless the inbox is open and readable
    return Response.json({ status: refusing ?? "ok" }, { status: ready ? 200 : 503 });
  } catch {
    return Response.json({ status: "unavailable" }, { status: 503 });
  }
}
