/** Next.js calls this once when the server starts, before the first request. */
export async function register() {
  // The Edge runtime has no inbox. In this form, the build for it leaves the block out.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { startReceiver } = await import("./receiver.js");
    await startReceiver();
  }
}
