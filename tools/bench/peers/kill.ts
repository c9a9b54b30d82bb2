import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ContestantName } from "../contestants/all.ts";
import { bodySource, type SignedBody } from "../events.ts";
import type { Stage } from "../stage.ts";

const SECONDS = 2;
const CONNECTIONS = 64;

/** What became of the deliveries that were acknowledged before `kill -9`. */
export interface Killed {
  readonly acknowledged: number;
  /** Handled in the seconds after the restart, or before. */
  readonly handled: number;
  readonly seconds: number;
}

/**
 * Kills a receiver under load together with its database, starts both again, and waits until all is
 * handled.
 */
export async function killUnderLoad(
  stage: Stage,
  { contestant, inbox }: { contestant: ContestantName; inbox: string },
  { crash, seconds }: { crash: () => Promise<void>; seconds: number },
): Promise<Killed> {
  const ranFile = join(stage.folder, "ran");
  writeFileSync(ranFile, "");
  const server = await stage.server(contestant, { inbox, ranFile });
  const sending = acknowledgedBy(server.port);
  await wait(SECONDS * 1000);
  await Promise.all([server.kill(), crash()]);
  const acknowledged = await sending;
  const again = await stage.server(contestant, { inbox, ranFile });
  const end = performance.now() + seconds * 1000;
  let left = acknowledged;
  while (left.length > 0 && performance.now() < end) {
    await wait(100);
    const ran = new Set(readFileSync(ranFile, "latin1").split("\n").map(Number));
    left = left.filter((index) => !ran.has(index));
  }
  await again.kill();
  rmSync(ranFile);
  return { acknowledged: acknowledged.length, handled: acknowledged.length - left.length, seconds };
}

/** Sends until a connection fails; resolves to the numbers of the bodies that were answered 200. */
async function acknowledgedBy(port: number): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const bodyOf = bodySource(600, Date.now());
  const acknowledged: number[] = [];
  let next = 0;
  let failed = false;
  const keepSending = async () => {
    while (!failed) {
      const index = next++;
      if (await isAcknowledged(bodyOf(index), { agent, port })) acknowledged.push(index);
      else failed = true;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, keepSending));
  agent.destroy();
  return acknowledged;
}

function isAcknowledged(
  { body, signature }: SignedBody,
  { agent, port }: { agent: Agent; port: number },
): Promise<boolean> {
  const headers = {
    "content-type": "application/json",
    "content-length": body.byteLength,
    "x-service-signature": signature,
  };
  return new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, path: "/webhooks", method: "POST", agent, headers };
    request(options, (response) => {
      response
        .on("error", () => resolve(false))
        .resume()
        .once("close", () => resolve(response.statusCode === 200));
    })
      .on("error", () => resolve(false))
      .end(body);
  });
}
