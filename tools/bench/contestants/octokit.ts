import { createServer } from "node:http";
import { createNodeMiddleware, Webhooks } from "@octokit/webhooks";
import { SECRET } from "../events.ts";
import { type Contestant, onLoopback } from "./contestant.ts";
import { quiet } from "./quiet.ts";

/**
 * GitHub's own library on `node:http`, with one handler: signature and parse. No dedup, no store.
 */
export const octokit: Contestant = {
  dialect: "github",
  start: () => {
    const webhooks = new Webhooks({ secret: SECRET, log: quiet });
    webhooks.onAny(() => {});
    const middleware = createNodeMiddleware(webhooks, { path: "/webhooks", log: quiet });
    return onLoopback(
      createServer(async (request, response) => {
        if (!(await middleware(request, response))) response.writeHead(404).end();
      }),
    );
  },
};
