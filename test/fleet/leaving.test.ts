import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { sign } from "../../src/entries/index.ts";
import { sampleEvent } from "../../src/event/sample.ts";
import { Balancer } from "./balancer.ts";
import { Fleet } from "./fleet.ts";

const SECRET = "a-secret-made-up-for-the-fleet";

it("a receiver of the example that leaves ends the connections that its balancer would go on using", async () => {
  const fleet = new Fleet({ DATABASE_URL: "memory:", HOOKPORTER_SECRET: SECRET }, new Balancer());
  onTestFinished(() => fleet.killAll());
  const port = await fleet.start("receiver-1");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const body = Buffer.from(JSON.stringify(sampleEvent("lead.created", { timestamp: Date.now() })));
  const headers = { "x-service-signature": sign(body, SECRET) };
  const untilTold = async () => {
    for (;;) {
      const asked = request({
        host: "127.0.0.1",
        port,
        path: "/webhooks",
        agent,
        headers,
        method: "POST",
      });
      const [answer]: IncomingMessage[] = await once(asked.end(body), "response");
      const ended = once(answer?.resume() as IncomingMessage, "end");
      if (answer?.headers.connection === "close") return answer.statusCode;
      await ended;
    }
  };
  expect(await Promise.all([untilTold(), fleet.stop("receiver-1")])).toEqual([200, 0]);
});
