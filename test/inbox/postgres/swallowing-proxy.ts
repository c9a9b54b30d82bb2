import type { Socket } from "node:net";
import { startProxy } from "./proxy.ts";

/**
 * A proxy in front of a server that can fall silent: connections stay open, new ones are accepted,
 * and nothing passes in either direction, not even the end of one, as if the server hung. What was
 * swallowed stays lost; later connections work again.
 */
export async function startSwallowingProxy(url: string) {
  let isSilent = false;
  const wire = (client: Socket, upstream: Socket) => {
    let isLost = false;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on("data", (chunk) => {
        isLost ||= isSilent;
        if (!isLost) other.write(chunk);
      });
      socket.on("end", () => {
        isLost ||= isSilent;
        if (!isLost) other.end();
      });
      socket.on("close", () => other.destroy());
    }
  };
  const { url: proxied, stop } = await startProxy(() => url, wire, true);
  return {
    url: proxied,
    stop,
    beSilent: (silent: boolean) => {
      isSilent = silent;
    },
  };
}
