// Stands in for the thread that diagnoses: a body that says so never ends, or ends the thread. The
// advice repeats any other.
import { parentPort } from "node:worker_threads";

parentPort.on("message", ({ body, work }) => {
  const text = Buffer.from(body).toString();
  if (text === "endless") for (;;);
  if (text === "crash") throw new Error("out of memory");
  const nothing = { code: "unexplained", meaning: "", fix: "", explanations: [], printedBy: [] };
  const diagnosis = { ...nothing, advice: [text], tried: work, complete: true };
  parentPort.postMessage({ type: "diagnosis", diagnosis, ms: 1 });
});
parentPort.postMessage({ type: "ready" });
