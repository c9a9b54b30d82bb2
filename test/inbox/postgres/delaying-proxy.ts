import { type ServerProxy, startProxy } from "./proxy.ts";

/**
 * A proxy in front of a server that delays everything, in both directions, as a distant network
 * does.
 */
export function startDelayingProxy(url: string, delayMs: number): Promise<ServerProxy> {
  return startProxy(
    () => url,
    (client, upstream) => {
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        socket.on("data", (chunk) => setTimeout(() => other.write(chunk), delayMs));
        socket.on("end", () => setTimeout(() => other.end(), delayMs));
        // a server that is killed resets its connections
        socket.on("close", (isBroken) => {
          if (isBroken) setTimeout(() => other.destroy(), delayMs);
        });
      }
    },
    true,
  );
}
