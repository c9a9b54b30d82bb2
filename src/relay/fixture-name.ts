/**
 * The file name of a saved delivery. Names sort by arrival and are safe for file systems and shells.
 *
 * @param order - distinguishes deliveries of the same millisecond
 */
export function fixtureName(receivedAt: number, order: number, kind: string | null, eventId: string): string {
  const time = new Date(receivedAt).toISOString().replaceAll(/[-:]/g, "");
  const parts = [time, String(order).padStart(6, "0"), kind ?? "rejected", eventId.slice(0, 20)];
  return `${parts.map((part) => part.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 60)).join("-")}.json`;
}
