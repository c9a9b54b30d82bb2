import { parentPort, workerData } from "node:worker_threads";
import { answerQuestions } from "../src/cli/live/diagnosis-program.ts";

// Started by `listen` as a thread; by itself it ends at once.
if (parentPort !== null) answerQuestions(parentPort, workerData);
