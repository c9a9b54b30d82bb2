import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { collectMetrics, type MeasuredReceiver } from "hookporter/metrics";
import { collectDefaultMetrics, Registry } from "prom-client";
import { log } from "./log.ts";

/** The running server of `/metrics`. */
interface Metrics {
  /** Its address; `undefined` if the port is in use. The receiver works without metrics. */
  readonly url: string | undefined;
  close(): void;
}

/**
 * Serves `/metrics` for Prometheus on a port of its own, which the internet must not reach: it
 * names your handlers, and shows how much arrives.
 */
export async function serveMetrics(
  receiver: MeasuredReceiver,
  port: string | number = process.env.METRICS_PORT || 9464,
  host = process.env.METRICS_HOST || "127.0.0.1",
): Promise<Metrics> {
  const registry = new Registry();
  // memory, CPU and garbage collection of the process
  collectDefaultMetrics({ register: registry });
  const stop = collectMetrics(receiver, { registry });
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics") return response.writeHead(404).end();
    try {
      const text = await registry.metrics();
      response.writeHead(200, { "Content-Type": registry.contentType }).end(text);
    } catch (error) {
      log.error({ error: String(error) }, "the metrics could not be read");
      response.writeHead(500).end();
    }
  });
  const bound = await new Promise<AddressInfo | undefined>((resolve) => {
    server.once("error", (error) => {
      log.warn({ error: String(error) }, "no metrics: set METRICS_PORT to a free port");
      resolve(undefined);
    });
    server.listen({ port, host }, () => resolve(server.address() as AddressInfo));
  });
  return {
    url: bound && `http://${host}:${bound.port}/metrics`,
    close: () => {
      stop();
      server.close();
      server.closeAllConnections();
    },
  };
}
