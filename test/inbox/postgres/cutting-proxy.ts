import { startProxy } from "./proxy.ts";

/**
 * What happens to a commit: `answer` passes it on and loses the answer, `request` loses it and both
 * connections, `silence` loses it and leaves the server's connection open, as if a machine had
 * vanished.
 */
export type Cut = "answer" | "request" | "silence";

/** A proxy in front of PostgreSQL that cuts connections at the commit of a transaction. */
export async function startCuttingProxy(url: string) {
  let armed: Cut | undefined;
  let cuts = 0;
  const proxy = await startProxy(
    () => url,
    (client, upstream) => {
      let isMarked = false;
      let isLost = false;
      client.on("data", (chunk: Buffer) => {
        const text = chunk.toString("latin1");
        if (text.includes("INSERT INTO effect")) isMarked = true;
        if (isMarked && armed !== undefined && /COMMIT[;\0]/.test(text)) {
          const cut = armed;
          armed = undefined;
          cuts++;
          isLost = true;
          if (cut === "answer") upstream.write(chunk);
          if (cut === "request") upstream.destroy();
          // Only once the server has committed, so that the answer is lost and nothing else.
          setTimeout(() => client.destroy(), cut === "answer" ? 100 : 0);
          return;
        }
        upstream.write(chunk);
      });
      upstream.on("data", (chunk: Buffer) => {
        if (!isLost) client.write(chunk);
      });
      upstream.on("close", () => client.destroy());
      client.on("close", () => {
        if (!isLost) upstream.destroy();
      });
    },
  );
  return {
    url: proxy.url,
    /** Cuts the next commit of a transaction that wrote an effect. */
    arm: (cut: Cut) => {
      armed = cut;
    },
    get cuts() {
      return cuts;
    },
    stop: proxy.stop,
  };
}
