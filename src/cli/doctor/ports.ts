import { createServer } from "node:net";
import { DEFAULT_PATH, DEFAULT_PORT } from "../../http/default-endpoint.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";
import { portUser } from "./port-user.ts";
import type { Setup } from "./setup.ts";
import { DOCTOR_AGENT } from "./user-agent.ts";

const HOST = "127.0.0.1";
/** Milliseconds that whatever is on a port may take to answer. */
const ANSWER = 2000;

export const ports: DoctorCheck = {
  name: "port",
  run: async (setup) => {
    const { port = DEFAULT_PORT, healthPort, inspectPort } = setup.options;
    const others = [
      ["--health-port", healthPort],
      ["--inspect-port", inspectPort],
    ] as const;
    const findings = [await endpointPort(port, setup)];
    for (const [flag, other] of others)
      if (other !== undefined && other !== 0) findings.push(await otherPort(other, flag, setup));
    return findings;
  },
};

async function endpointPort(port: number, setup: Setup): Promise<Finding> {
  const why = port === 0 ? undefined : await whyTaken(port);
  if (port === 0) return ok("any free port");
  if (why === undefined) return ok(`${port} is free`);
  const flag = setup.isProject ? "PORT" : "--port";
  const fix = `stop that program, or choose another port with ${flag}`;
  if (why !== "EADDRINUSE") return refused(port, why, flag);
  const isReceiver = await answersAsReceiver(port, setup.options.path ?? DEFAULT_PATH);
  if (!isReceiver) return fail(`${port} is in use by ${portUser(port) ?? "another program"}`, fix);
  if (((await setup.facts()).processes ?? []).length > 0)
    return ok(`${port}: a receiver answers there, and this inbox is in use`);
  return warn(`${port}: a receiver answers there, but none uses this inbox`, fix);
}

/** These servers answer nothing that others do not: the process with the inbox open counts as their owner. */
async function otherPort(port: number, flag: string, setup: Setup): Promise<Finding> {
  const why = await whyTaken(port);
  if (why === undefined) return ok(`${port} (${flag}) is free`);
  if (why !== "EADDRINUSE") return refused(port, why, flag);
  if (((await setup.facts()).processes ?? []).length > 0)
    return ok(`${port} (${flag}) is in use while a receiver runs`);
  const by = portUser(port) ?? "another program";
  return fail(
    `${port} (${flag}) is in use by ${by}`,
    `stop that program, or choose another port with ${flag}`,
  );
}

function refused(port: number, why: string, flag: string): Finding {
  if (why === "EACCES")
    return fail(`this user may not listen on ${port}`, `choose a port from 1024 with ${flag}`);
  return fail(`${port} cannot be opened (${why})`, `choose another port with ${flag}`);
}

/** The error with which a port cannot be opened; `undefined` if it can. It is closed at once. */
function whyTaken(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code = "" }: NodeJS.ErrnoException) => resolve(code));
    server.listen({ port, host: HOST, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Whether a receiver of ours has the endpoint: it refuses GET in the service's format. */
async function answersAsReceiver(port: number, path: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${HOST}:${port}${path}`, {
      redirect: "manual",
      headers: { "user-agent": DOCTOR_AGENT },
      signal: AbortSignal.timeout(ANSWER),
    });
    const body = (await response.json()) as { error?: { type?: unknown } } | null;
    return response.headers.get("allow") === "POST" && typeof body?.error?.type === "string";
  } catch {
    return false;
  }
}
