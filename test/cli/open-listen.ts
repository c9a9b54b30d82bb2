import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";
import { startCli, tempFolder } from "./fake-io.ts";

/** Starts `listen` on a free port and waits until it is ready; it ends with the test. */
export async function listening(
  argv: readonly string[] = [],
  cwd = tempFolder(),
  env: Readonly<Record<string, string>> = {},
) {
  const listen = startCli(["listen", "--port", "0", "--json", ...argv], { cwd, env });
  const stop = async () => {
    listen.signal("SIGINT");
    return listen.finished;
  };
  onTestFinished(async () => void (await stop()));
  const ready = await vi.waitFor(() => {
    const record = listen.now().records.find(({ type }) => type === "ready");
    if (record === undefined) throw new Error(`not ready: ${listen.now().stderr}`);
    return record;
  }, 40_000);
  const url = String(ready.url);
  const records = (type: string) => listen.now().records.filter((record) => record.type === type);
  return { ...listen, url, cwd, records, stop };
}

/** A target that sends the given answers; it ends with the test. */
export async function startTarget(
  answer: (body: string, headers: Record<string, unknown>) => number,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(answer(Buffer.concat(chunks).toString("utf8"), request.headers)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
}
