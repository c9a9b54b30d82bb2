/** Next.js calls this once when the server starts, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return; // the Edge runtime has no inbox
  const { startReceiver } = await import("./receiver.ts");
  await startReceiver();
}
