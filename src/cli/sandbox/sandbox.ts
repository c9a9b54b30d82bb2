import { ownCommand } from "../../base/package/own-command.ts";
import { durationText } from "../../base/text/duration-text.ts";
import { NO_CHAOS } from "../../service/sandbox/chaos.ts";
import type { SandboxOptions } from "../../service/sandbox/sandbox-options.ts";
import { type Sandbox, startSandbox } from "../../service/sandbox/start.ts";
import { createCliLogger } from "../cli-logger.ts";
import type { CliContext } from "../context.ts";
import { outliveOutput } from "../end/outlive-output.ts";
import { type Stop, stopOnSignal } from "../end/stop.ts";
import { showInSandbox } from "./view.ts";

/** The library's options; those in its `retry` and `chaos` are flags beside the others. */
export interface SandboxCommandOptions
  extends Omit<SandboxOptions, "apiKey" | "retry" | "chaos" | "log" | "clock">,
    NonNullable<SandboxOptions["chaos"]> {
  readonly attempts?: number;
  readonly retryDelay?: number;
}

export async function runSandbox(
  options: SandboxCommandOptions,
  context: CliContext,
): Promise<void> {
  const { output, clock } = context;
  outliveOutput(context);
  const { port, properties, seed, rateLimit, answerTimeout, targetHosts, signatureHeader } =
    options;
  const { attempts, retryDelay, duplicates, delay, wrongSignature, outage } = options;
  const sandbox = await startSandbox({
    port,
    properties,
    seed,
    rateLimit,
    answerTimeout,
    targetHosts,
    signatureHeader,
    retry: { attempts, delay: retryDelay },
    chaos: { duplicates, delay, wrongSignature, outage },
    log: createCliLogger(output),
    clock,
  });
  const counts = { answered: 0, subscribed: 0, attempted: 0, delivered: 0, failed: 0 };
  const tally = {
    get line() {
      return Object.entries(counts)
        .map(([word, count]) => `${count} ${word}`)
        .join(", ");
    },
    fields: { counts },
  };
  sandbox.observe((observation) => {
    const { type } = observation;
    if (type === "request") counts.answered++;
    if (type === "subscription" && observation.change === "created") counts.subscribed++;
    if (type === "attempt") {
      const { state } = observation.delivery;
      counts.attempted++;
      if (state === "delivered" || state === "failed") counts[state]++;
    }
    showInSandbox(observation, output, clock());
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

function announce(sandbox: Sandbox, options: SandboxCommandOptions, { output }: CliContext): void {
  const { url, streamUrl } = sandbox;
  const { targetHosts = [] } = options;
  const chaos = Object.entries(options).filter(([name]) => Object.hasOwn(NO_CHAOS, name));
  output.talk(`simulated service on ${url.origin}`);
  output.talk("  API key: any key that begins with sk_test_");
  output.talk(`  stream on ${streamUrl.href} (experimental)`);
  output.talk(
    `  delivers ${targetHosts.length === 0 ? "only to this machine" : `to this machine and to ${targetHosts.join(", ")}`}`,
  );
  const faults = chaos.map(([name, value]) => {
    const isTime = name === "delay" || name === "outage";
    return `${name} ${isTime ? [value].flat().map(durationText).join(" to ") : value}`;
  });
  if (faults.length > 0) output.talk(`  chaos: ${faults.join(", ")}`);
  output.talk("try it: export HOOKPORTER_API_KEY=sk_test_sandbox, then in one terminal");
  output.talk(`  ${ownCommand(`listen --subscribe --base-url ${url.origin}`)}`);
  output.talk("and in another");
  output.talk(`  ${ownCommand(`trigger payment.received --url ${url.port}/_sandbox/events`)}`);
  output.record("sandbox", {
    url: url.origin,
    stream: streamUrl.href,
    pid: process.pid,
    targetHosts,
    chaos: Object.fromEntries(chaos),
  });
}
