import { createNodeMiddleware, Webhooks } from "@octokit/webhooks";
import { type AtEnd, type ReceiverUnderTest, SECRET, serve } from "./under-test.ts";

/**
 * GitHub's own library; the shim only renames the header and adds the two that GitHub sends with
 * it.
 */
export async function octokit(atEnd?: AtEnd): Promise<ReceiverUnderTest> {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const middleware = createNodeMiddleware(new Webhooks({ secret: SECRET, log: quiet }), {
    path: "/webhooks",
    log: quiet,
  });
  const url = await serve(async (request, response) => {
    const { "x-service-signature": signature, ...others } = request.headers;
    request.headers = { ...others, "x-github-event": "ping", "x-github-delivery": "1" };
    if (signature !== undefined) request.headers["x-hub-signature-256"] = signature;
    if (!(await middleware(request, response))) response.writeHead(404).end();
  }, atEnd);
  return { url };
}
