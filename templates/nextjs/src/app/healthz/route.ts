import { connection } from "next/server";

/** Whether the process lives: restart it if this fails. */
export async function GET(): Promise<Response> {
  await connection(); // never the answer of the build
  return Response.json({ alive: true });
}
