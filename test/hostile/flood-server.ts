import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startServer } from "../../src/adapters/server.ts";
import { createReceiver, SIGNATURE_HEADER } from "../../src/entries/index.ts";

/**
 * A server in a child process: `flood-server.ts KIND INBOX`. KIND is `ours`, the server of `listen`
 * with an inbox file, or `bare`, a typical hand-written server that keeps nothing. It reads its
 * secret from the environment, sends its URL to its parent, and replies to every message with its
 * memory use.
 */
const [kind = "ours", inbox = ""] = process.argv.slice(2);
const secret = process.env.HOOKPORTER_SECRET ?? "";

async function ours(): Promise<string> {
  const receiver = createReceiver({ secret, inbox });
  receiver.on("*", () => {});
  receiver.observe(() => {}); // as `listen` does
  await receiver.start();
  return (await startServer(receiver, { port: 0, host: "127.0.0.1", path: "/webhooks" })).url.href;
}

async function bare(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const expected = createHmac("sha256", secret).update(body).digest();
      const given = Buffer.from(
        String(request.headers[SIGNATURE_HEADER]).slice("sha256=".length),
        "hex",
      );
      const good = given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
      if (good) JSON.parse(body.toString("utf8"));
      const text = good ? '{"received":true}' : '{"error":"signature"}';
      response.writeHead(good ? 200 : 401, {
        "Content-Type": "application/json",
        "Content-Length": text.length,
      });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
}

process.on("message", () =>
  process.send?.({ rss: process.memoryUsage.rss(), most: process.resourceUsage().maxRSS * 1024 }),
);
process.on("disconnect", () => process.exit());
process.send?.(await (kind === "bare" ? bare() : ours()));
