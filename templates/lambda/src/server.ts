import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { readProject, runServer } from "hookporter/config";
import { log } from "./log.ts";

/**
 * The functions on this machine, for development: a function URL on a port, and the schedule as a
 * timer of a second.
 */
await runServer(async () => {
  const { host, port } = readProject();
  // only now, since it starts the receiver
  const { drain, webhooks } = await import("./functions.ts");
  const server = createServer(async (request, response) => {
    try {
      const { statusCode, headers, body } = await webhooks(await toEvent(request));
      response.writeHead(statusCode, headers).end(body);
    } catch (error) {
      log.error({ error: String(error) }, "the function failed");
      response.writeHead(502).end();
    }
  });
  await once(server.listen(port, host), "listening");
  const { port: bound } = server.address() as AddressInfo; // the actual port if PORT is 0
  log.info({ url: `http://${host}:${bound}/webhooks` }, "listening");

  let draining: Promise<unknown> = Promise.resolve();
  const schedule = setInterval(() => {
    draining = draining
      .then(() => drain())
      .catch((error) => log.error({ error: String(error) }, "the drain failed"));
  }, 1000);

  return async (signal) => {
    log.info({ signal }, "closing");
    clearInterval(schedule);
    server.close();
    server.closeIdleConnections();
    await draining;
  };
});

/** A request as the URL of a function passes it on. */
async function toEvent(request: IncomingMessage) {
  const { method = "GET", url = "/" } = request;
  const [rawPath, rawQueryString = ""] = url.split(/\?(.*)/s);
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(",")]),
  );
  const body = (await buffer(request)).toString("base64");
  return {
    rawPath,
    rawQueryString,
    headers,
    body,
    isBase64Encoded: true,
    requestContext: { http: { method } },
  };
}
