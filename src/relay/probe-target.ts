import { Exchange } from "./exchange.ts";
import { explainPlainHttp, whyUnreachable } from "./unreachable.ts";

/** The most of an answer that is read. */
const MAX_ANSWER = 4096;

/**
 * Finds out whether a target answers, without a delivery: sends `OPTIONS`, which no app treats as
 * an event. If it does not answer, says why in one line, with the fix. With `insecure`, any
 * certificate will do, unless the address is public.
 */
export async function probeTarget(
  target: URL,
  { insecure, timeout }: { insecure: boolean; timeout: number },
) {
  const nothing = { headers: {}, body: new Uint8Array(0) };
  const exchange = new Exchange({
    method: "OPTIONS",
    target,
    insecure,
    ...nothing,
    maxAnswer: MAX_ANSWER,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    exchange.stop();
  }, timeout);
  try {
    const { status, bytes } = await exchange.answered;
    const why = explainPlainHttp(target, status, bytes.toString("latin1"));
    return why === undefined ? { status } : { why };
  } catch (thrown) {
    if (!isLate) return { why: (await whyUnreachable(thrown, target)).why };
    if (!exchange.connected)
      return { why: (await whyUnreachable({ code: "ETIMEDOUT" }, target)).why };
    return {
      why: `it accepts connections, but did not answer in ${timeout / 1000} s: check the app's log`,
    };
  } finally {
    clearTimeout(timer);
  }
}
