/**
 * The milliseconds a handler's error asks to wait before its entry runs again: its `retryAfterMs`, where that is a number.
 * Never throws, whatever was thrown.
 */
export function retryAfterOf(thrown: unknown): number | undefined {
  try {
    const asked: unknown = (thrown as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
    return typeof asked === "number" && !Number.isNaN(asked) ? Math.max(0, asked) : undefined;
  } catch {
    return undefined;
  }
}
