import type { AnswerSet, ProbeAnswer } from "../answer.ts";
import type { Expectation } from "../check-case.ts";

/** An answer in a word: its status, or why there is none. */
export function answerText(answer: ProbeAnswer): string {
  if (answer.type === "status") return String(answer.status);
  if (answer.type === "endless") return `endless ${answer.status}`;
  return { closed: "closed", silent: "no answer", unreachable: "no connection" }[answer.type];
}

/** Several answers in brief, such as `200, 409` or `401, 5 × 200`. */
export function answersText(answers: readonly ProbeAnswer[]): string {
  const parts: { text: string; times: number }[] = [];
  for (const text of answers.map(answerText)) {
    const last = parts.at(-1);
    if (last?.text === text) last.times++;
    else parts.push({ text, times: 1 });
  }
  const inWords = ({ text, times }: { text: string; times: number }) =>
    times > 2 ? `${times} × ${text}` : Array.from({ length: times }, () => text).join(", ");
  return parts.map(inWords).join(", ");
}

/** What is expected, such as `4xx, best 401` or `200, runs once`. */
export function expectedText({ answers, best, runs }: Expectation): string {
  const parts = [anyOf(answers)];
  // That 4xx is better than other refusals goes without saying.
  if (best !== undefined && best.join() !== "4xx" && best !== answers)
    parts.push(`best ${anyOf(best)}`);
  if (runs !== undefined)
    parts.push(runs === 0 ? "never runs" : runs === 1 ? "runs once" : `runs ${runs} times`);
  return parts.join(", ");
}

/** Answers in words, such as `200, 400 or 422`, or `refused` for all but 2xx. */
export function anyOf(set: AnswerSet): string {
  const listed = set.join(", ").replace(/, ([^,]+)$/, " or $1");
  return listed.replace(/^2xx, 3xx.*/, "any answer").replace("3xx, 4xx, 5xx or closed", "refused");
}
