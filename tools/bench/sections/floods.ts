import { Agent, request } from "node:http";
import type { ContestantName } from "../contestants/all.ts";
import type { Form } from "../form.ts";
import { median } from "../numbers.ts";
import type { Server } from "../server/server.ts";
import type { Stage } from "../stage.ts";

const CONTESTANTS = [
  "hookporter node, received only",
  "express plain",
] as const satisfies readonly ContestantName[];
const CONNECTIONS = 32;
/** Bytes of a body, and requests of a round. */
const SIZES = [
  { size: 300, requests: 3000 },
  { size: 64 * 1024, requests: 3000 },
  { size: 900_000, requests: 600 },
] as const;

/** What requests without a signature cost a server. */
export interface Flood {
  readonly name: ContestantName;
  /** Bytes of a body. */
  readonly size: number;
  /** Median of the rounds: microseconds of processor time for a request. */
  readonly cpu: number;
  /** Most megabytes at the end of a round. */
  readonly rss: number;
  /** The share of requests that got an answer, and not only the end of their connection. */
  readonly answered: number;
}

/** Measures floods of unsigned requests, which all have to be answered 401. */
export async function measureFloods(
  stage: Stage,
  { rounds }: Form,
  tell: (line: string) => void,
): Promise<readonly Flood[]> {
  const floods: Flood[] = [];
  for (const { size, requests } of SIZES) {
    tell(`unsigned floods, bodies of ${size} bytes`);
    const servers = await Promise.all(CONTESTANTS.map((name) => stage.server(name)));
    const used = servers.map(() => ({ cpu: [] as number[], rss: [] as number[], answered: 0 }));
    for (let round = -1; round < rounds; round++) {
      for (const [index, server] of servers.entries()) {
        await server.measure();
        const answered = await flood(server, size, requests);
        const { cpu, rss } = await server.measure();
        const own = used[index];
        if (round < 0 || own === undefined) continue; // it warms up
        own.cpu.push((cpu / requests) * 1e6);
        own.rss.push(rss);
        own.answered += answered / requests / rounds;
      }
    }
    for (const [index, name] of CONTESTANTS.entries()) {
      const { cpu = [], rss = [], answered = 0 } = used[index] ?? {};
      floods.push({ name, size, cpu: median(cpu), rss: Math.max(...rss), answered });
    }
    await stage.clear();
  }
  return floods;
}

/** How many were answered. */
async function flood({ port }: Server, size: number, requests: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const body = Buffer.alloc(size, "x");
  let left = requests;
  let answered = 0;
  const keepSending = async () => {
    while (left-- > 0) if (await send({ port, agent, body })) answered++;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, keepSending));
  agent.destroy();
  return answered;
}

/** Whether it was answered, rather than its connection closed before. */
function send({
  port,
  agent,
  body,
}: {
  port: number;
  agent: Agent;
  body: Buffer;
}): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.byteLength };
    const options = { host: "127.0.0.1", port, path: "/webhooks", method: "POST", agent, headers };
    const sending = request(options, (response) => {
      if (response.statusCode !== 401)
        reject(new Error(`expected 401, got ${response.statusCode}`));
      response.resume().once("close", () => resolve(true));
    });
    sending.on("error", () => resolve(false)).end(body);
  });
}
