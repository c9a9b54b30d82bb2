import { useRef, useState } from "preact/hooks";
import type { Triggered } from "../../api.ts";
import type { ApiClient } from "../client.ts";
import { useOutcome } from "../parts/outcome.tsx";
import { showSent } from "./show-sent.ts";
import { sentText, stepsOf } from "./trigger-steps.ts";

/** A press of the button, as far as it got. */
interface Press {
  /** What was chosen. */
  readonly content: string;
  readonly sent: readonly Triggered[];
  /** How many rounds each request still sends. */
  readonly left: readonly number[];
}

/** Sends what was chosen in steps, until it is stopped. If an answer is lost, the next press goes on from there. */
export function useTrigger(client: ApiClient) {
  const [sent, setSent] = useState<readonly Triggered[]>([]);
  const [progress, setProgress] = useState<{ readonly done: number; readonly of: number }>();
  const { result, setResult, isBusy, run } = useOutcome();
  const broken = useRef<Press | undefined>(undefined);
  const isStopped = useRef(false);
  const send = (fields: object, rounds: number, perRound: number) =>
    run(async () => {
      isStopped.current = false;
      const content = JSON.stringify([fields, rounds]);
      const fresh: Press = { content, sent: [], left: stepsOf(rounds, perRound) };
      let press = broken.current?.content === content ? broken.current : fresh;
      while (press.left.length > 0 && !isStopped.current) {
        const [count = 0, ...left] = press.left;
        setSent(press.sent);
        setProgress({ done: press.sent.length, of: rounds * perRound });
        broken.current = press;
        const more = await client.trigger({ ...fields, count });
        press = { content, sent: [...press.sent, ...more], left };
      }
      broken.current = undefined;
      setSent(press.sent);
      setResult({ isGood: true, text: sentText(press.sent, press.left.length > 0) });
      const [only] = press.sent;
      if (rounds * perRound === 1 && only !== undefined) showSent(only);
    });
  const stop = () => {
    isStopped.current = true;
  };
  return { sent, progress: isBusy ? progress : undefined, result, isBusy, send, stop };
}
