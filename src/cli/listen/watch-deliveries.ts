import { resolve } from "node:path";
import { describeError } from "../../errors.ts";
import { matchesKind } from "../../event/kind-pattern.ts";
import type { Observation } from "../../receiver/observation.ts";
import type { Receiver } from "../../receiver/receiver.ts";
import type { CliContext } from "../context.ts";
import type { Goal } from "../end/goal.ts";
import type { Stop } from "../end/stop.ts";
import type { Tally } from "../end/tally.ts";
import type { DiagnoseRefusal } from "../live/diagnosis-limit.ts";
import type { LiveGate } from "../live/gate.ts";
import { RepeatedErrors } from "../live/repeated-errors.ts";
import type { TargetOutages } from "../live/target-outages.ts";
import { showAttempt, showDelivery, wordsOf } from "../live/view.ts";
import type { ListenOptions } from "./options.ts";
import { openSaveFolder } from "./save-folder.ts";

/** Where observations are shown and counted. */
export interface Watching {
  readonly goal: Goal | undefined;
  readonly tally: Tally;
  readonly diagnose: DiagnoseRefusal;
  readonly gate: LiveGate;
  readonly outages: TargetOutages;
}

/** Counts, shows and saves what happens; calls `stop` when the goal is reached. */
export function watchDeliveries(
  receiver: Receiver,
  { goal, tally, diagnose, gate, outages }: Watching,
  { events = ["*"], saveDir }: ListenOptions,
  { output, clock, io }: CliContext,
  stop: (stop: Stop) => void,
): void {
  const save = saveDir === undefined ? undefined : openSaveFolder(resolve(io.cwd, saveDir));
  const errors = new RepeatedErrors();
  receiver.observe((observation) => {
    tally.count(observation);
    const kind = kindOf(observation);
    if (kind === null || events.some((pattern) => matchesKind(pattern, kind))) {
      const words = wordsOf(observation);
      if (observation.type === "attempt") {
        const now = clock();
        const repeats = errors.note(observation);
        // A target that is away is told of once, not for each event that waits for it; records are printed for all.
        const shown = outages.note(observation) ? { ...output, data: () => {} } : output;
        gate.pass(words, () => showAttempt(observation, shown, now, repeats));
      } else {
        if (observation.outcome.type === "accepted") outages.kept(observation.outcome.seq);
        const show = () => {
          const diagnosis = diagnose(observation);
          gate.pass(words, () => showDelivery(observation, output, diagnosis));
        };
        // A signature is diagnosed after the sender has its answer, so that the answer's timing reveals nothing.
        if (observation.diagnose === undefined) show();
        else setImmediate(show);
        try {
          save?.(observation);
        } catch (thrown) {
          output.talk(`could not save a delivery: ${describeError(thrown)}`); // it is still in the inbox
        }
      }
    }
    if (goal?.reached(observation) !== true) return;
    const exitCode = goal.failed ? 1 : 0;
    stop({
      reason: `goal reached: ${goal.progress}${goal.failed ? ", but not all were handled" : ""}`,
      exitCode,
    });
  });
}

function kindOf(observation: Observation): string | null {
  if (observation.type === "attempt") return observation.kind;
  return observation.outcome.type === "accepted" ? observation.outcome.kind : null;
}
