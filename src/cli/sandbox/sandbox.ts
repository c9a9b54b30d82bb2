import { NO_CHAOS } from "../../sandbox/chaos.ts";
import type { SandboxOptions } from "../../sandbox/options.ts";
import { type Sandbox, startSandbox } from "../../sandbox/start.ts";
import { createCliLogger } from "../cli-logger.ts";
import type { CliContext } from "../context.ts";
import { outliveOutput } from "../end/outlive-output.ts";
import { type Stop, stopOnSignal } from "../end/stop.ts";
import { findApiKey } from "../secrets/api-key.ts";
import { SandboxTally } from "./tally.ts";
import { showInSandbox } from "./view.ts";

/** The options of `sandbox`. */
export interface SandboxCommandOptions {
  readonly port?: number;
  readonly properties?: number;
  readonly seed?: number;
  readonly onlyKeyEnv?: string;
  readonly envFile?: string;
  readonly rateLimit?: number;
  readonly attempts?: number;
  readonly retryDelay?: number;
  readonly answerTimeout?: number;
  readonly targetHosts?: readonly string[];
  readonly signatureHeader?: string;
  readonly duplicates?: number;
  readonly reorder?: number;
  readonly delay?: readonly [number, number];
  readonly wrongSignature?: number;
  readonly burst?: number;
  readonly outage?: number;
  readonly pageParameter?: string;
  readonly perPageParameter?: string;
  readonly fieldsSeparator?: string;
}

/** Runs the sandbox until it is stopped. */
export async function runSandbox(options: SandboxCommandOptions, context: CliContext): Promise<void> {
  const { output } = context;
  outliveOutput(context);
  const sandbox = await startSandbox(libraryOptions(options, context));
  const tally = new SandboxTally();
  sandbox.observe((observation) => {
    tally.count(observation);
    showInSandbox(observation, output, context.clock());
  });
  let forget = () => {};
  let stopped: Stop;
  try {
    const stopping = new Promise<Stop>((resolve) => {
      forget = stopOnSignal(undefined, tally, context, resolve);
    });
    announce(sandbox, options, context);
    stopped = await stopping;
  } finally {
    await sandbox.close();
    forget(); // last, since a second signal must be heard while closing
  }
  const { reason, exitCode } = stopped;
  output.talk(`${reason}: ${tally.line}`);
  output.record("stopped", { reason, exitCode, ...tally.fields });
  context.exitCode = exitCode;
}

function libraryOptions(options: SandboxCommandOptions, context: CliContext): SandboxOptions {
  const {
    port,
    properties,
    seed,
    rateLimit,
    attempts,
    retryDelay,
    answerTimeout,
    targetHosts,
    signatureHeader,
  } = options;
  const { duplicates, reorder, delay, wrongSignature, burst, outage } = options;
  const { pageParameter, perPageParameter, fieldsSeparator, onlyKeyEnv } = options;
  return {
    ...{ port, properties, seed, rateLimit, answerTimeout, targetHosts, signatureHeader },
    retry: { attempts, delay: retryDelay },
    apiKey: onlyKeyEnv === undefined ? undefined : findApiKey({ ...options, apiKeyEnv: onlyKeyEnv }, context),
    chaos: { duplicates, reorder, delay, wrongSignature, burst, outage },
    assumptions: { pageParameter, perPageParameter, fieldsSeparator },
    log: createCliLogger(context.output),
    clock: context.clock,
  };
}

function announce(sandbox: Sandbox, options: SandboxCommandOptions, { output }: CliContext): void {
  const { url, streamUrl } = sandbox;
  const { onlyKeyEnv, targetHosts = [] } = options;
  const chaos = Object.entries(options).filter(([name]) => Object.hasOwn(NO_CHAOS, name));
  output.talk(`simulated service on ${url.origin}`);
  output.talk(
    `  API key: ${onlyKeyEnv === undefined ? "any key that begins with sk_test_" : `the one in ${onlyKeyEnv}`}`,
  );
  output.talk(`  stream on ${streamUrl.href} (experimental)`);
  output.talk(
    `  delivers ${targetHosts.length === 0 ? "only to this machine" : `to this machine and to ${targetHosts.join(", ")}`}`,
  );
  if (chaos.length > 0)
    output.talk(`  chaos: ${chaos.map(([name, value]) => `${name} ${value}`).join(", ")}`);
  const key =
    onlyKeyEnv === undefined
      ? "export HOOKPORTER_API_KEY=sk_test_sandbox"
      : "export that key as HOOKPORTER_API_KEY";
  output.talk(`try it: ${key}, then in one terminal`);
  output.talk(`  npx hookporter listen --subscribe --base-url ${url.origin}`);
  output.talk("and in another");
  output.talk(`  npx hookporter trigger payment.received --url ${url.port}/_sandbox/events`);
  output.record("sandbox", {
    ...{ url: url.origin, stream: streamUrl.href, pid: process.pid, targetHosts },
    chaos: Object.fromEntries(chaos),
  });
}
