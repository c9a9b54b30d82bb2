import { createServer } from "node:net";
import { DEFAULT_PATH, DEFAULT_PORT } from "../../http/default-endpoint.ts";
import { fetchByName } from "../../http/fetch-by-name.ts";
import { runningListen } from "../ready/running-listen.ts";
import { DOCTOR_AGENT } from "./doctor-options.ts";
import { type DoctorCheck, type Finding, fail, ok, warn } from "./finding.ts";
import { portUser } from "./port-user.ts";
import type { Setup } from "./setup.ts";

const HOST = "127.0.0.1";
/** Milliseconds that whatever is on a port may take to answer. */
const ANSWER = 2000;

export const ports: DoctorCheck = {
  name: "port",
  run: async (setup) => {
    const { port = DEFAULT_PORT, healthPort, inspectPort } = setup.options;
    const findings = [port === 0 ? ok("any free port") : await look(port, setup)];
    if (healthPort) findings.push(await look(healthPort, setup, "--health-port"));
    if (inspectPort) findings.push(await look(inspectPort, setup, "--inspect-port"));
    return findings;
  },
};

/**
 * Looks at the endpoint's port, or at one of a flag's own, which answers nothing that others do
 * not.
 */
async function look(port: number, setup: Setup, own?: string): Promise<Finding> {
  const shown = own === undefined ? `${port}` : `${port} (${own})`;
  const flag = own ?? (setup.isProject ? "PORT" : "--port");
  const why = await whyTaken(port);
  if (why === undefined) return ok(`${shown} is free`);
  if (why !== "EADDRINUSE") return refused(port, why, flag);
  const fix = `stop that program, or choose another port with ${flag}`;
  const runs = async () => ((await setup.facts()).processes ?? []).length > 0;
  const isReceiver =
    own === undefined
      ? await answersAsReceiver(port, setup.options.path ?? DEFAULT_PATH)
      : await runs();
  if (!isReceiver && runningListen(setup.context.io.cwd)?.port === port)
    return fail(
      `${port}: listen of this folder does not answer there`,
      "see what keeps it busy, or restart it",
    );
  if (!isReceiver) return fail(`${shown} is in use by ${portUser(port) ?? "another program"}`, fix);
  if (own !== undefined) return ok(`${shown} is in use while a receiver runs`);
  if (await runs()) return ok(`${port}: a receiver answers there, and this inbox is in use`);
  return warn(`${port}: a receiver answers there, but none uses this inbox`, fix);
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
    server.listen({ port, host: HOST, exclusive: true }, () =>
      server.close(() => resolve(undefined)),
    );
  });
}

/** Whether a receiver of ours has the endpoint: it refuses GET in the service's format. */
async function answersAsReceiver(port: number, path: string): Promise<boolean> {
  try {
    const response = await fetchByName(`http://${HOST}:${port}${path}`, {
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
