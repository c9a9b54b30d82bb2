/**
 * The file name of a saved delivery: its names sort by arrival, and hold nothing a file system or shell trips over.
 *
 * @param order - tells deliveries of one millisecond apart
 */
export function fixtureName(receivedAt: number, order: number, kind: string | null, eventId: string): string {
  const time = new Date(receivedAt).toISOString().replaceAll(/[-:]/g, "");
  const parts = [time, String(order).padStart(6, "0"), kind ?? "rejected", eventId.slice(0, 20)];
  return `${parts.map((part) => part.replaceAll(/[^A-Za-z0-9._-]/g, "_").slice(0, 60)).join("-")}.json`;
}
