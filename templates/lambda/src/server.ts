import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { loadEnvFile } from "./env-file.ts";
import { log } from "./log.ts";

/** The functions on this machine, for development: a function URL on a port, and the schedule as a timer of a second. */
loadEnvFile(".env");

const port = Number(process.env.PORT || 3000);
const host = process.env.HOST || "127.0.0.1";

const { drain, webhooks } = await import("./functions.ts"); // only now, since it reads the variables

const server = createServer(async (request, response) => {
  try {
    const answer = await webhooks(await toEvent(request));
    const { statusCode, headers, body } = answer;
    response.writeHead(statusCode, headers).end(body);
  } catch (error) {
    log.error({ error: String(error) }, "the function failed");
    response.writeHead(502).end();
  }
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

server.listen(port, host, () => {
  const address = server.address(); // has the actual port if PORT is 0
  const bound = typeof address === "object" && address !== null ? address.port : port;
  log.info({ url: `http://${host}:${bound}/webhooks` }, "listening");
});

let draining: Promise<unknown> = Promise.resolve();
const schedule = setInterval(() => {
  draining = draining
    .then(() => drain())
    .catch((error) => log.error({ error: String(error) }, "the drain failed"));
}, 1000);

async function close(signal: string): Promise<void> {
  log.info({ signal }, "closing");
  clearInterval(schedule);
  server.close();
  server.closeIdleConnections();
  await draining;
  process.exit();
}

// `once`, so that a second Ctrl-C ends the process at once.
process.once("SIGTERM", close);
process.once("SIGINT", close);
