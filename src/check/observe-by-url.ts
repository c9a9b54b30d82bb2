import { describeError, HookporterError } from "../errors.ts";
import { timerDelay } from "../options/timer-delay.ts";
import { askForEach, EVENT_ID, MARKER, type Observer, readCount } from "./observer.ts";

/** Observes with GET: the marker replaces `{marker}`, or is added as the parameter `marker`. 404 counts as 0. */
export function observeByUrl(template: string, timeout: number): Observer {
  return {
    count: (event) =>
      askForEach(template, event, async (fill) => {
        const url = new URL(fill(template));
        if (!template.includes(MARKER) && !template.includes(EVENT_ID))
          url.searchParams.set("marker", event.marker);
        try {
          const answer = await fetch(url, {
            redirect: "error",
            signal: AbortSignal.timeout(timerDelay(timeout)),
          });
          const text = await answer.text();
          if (answer.status === 404) return 0;
          if (!answer.ok) throw new Error(`the URL answered ${answer.status}`);
          return readCount(text);
        } catch (thrown) {
          throw new HookporterError("usage", `--observe ${url.origin}: ${describeError(thrown)}`, {
            cause: thrown,
          });
        }
      }),
  };
}
