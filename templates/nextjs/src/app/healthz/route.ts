export const dynamic = "force-dynamic"; // never the answer of the build

/** Whether the process lives: restart it if this fails. */
export function GET(): Response {
  return Response.json({ alive: true });
}
