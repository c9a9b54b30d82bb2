import type { MessagePort } from "node:worker_threads";
import type { DeliveryHeaders } from "../../event/delivery.ts";
import { type Diagnosis, diagnoseSignature } from "../../signature/diagnose/diagnose.ts";
import type { NamedSecret } from "../../signature/diagnose/keyings.ts";
import { readHeader } from "../../signature/header.ts";
import type { Secret } from "../../signature/secrets.ts";

/** What the thread knows from its start. */
export interface DiagnosisStart {
  readonly secrets: readonly Secret[];
  /** Secrets that are set here, but not in use. */
  readonly others: readonly NamedSecret[];
  readonly signatureHeader: string;
}

export interface DiagnosisQuestion {
  readonly body: Uint8Array;
  readonly headers: DeliveryHeaders;
  readonly target: string;
  /** The maximum work, in bytes hashed. */
  readonly work: number;
}

/** Messages of the thread. */
export type DiagnosisMessage =
  | { readonly type: "ready" }
  | {
      readonly type: "diagnosis";
      readonly diagnosis: Diagnosis;
      /** Milliseconds that it took. */
      readonly ms: number;
    };

/** Answers questions, one after the other, for as long as the thread runs. */
export function answerQuestions(port: MessagePort, start: DiagnosisStart): void {
  const { secrets, others, signatureHeader } = start;
  const send = (message: DiagnosisMessage) => port.postMessage(message);
  port.on("message", ({ body, headers, target, work }: DiagnosisQuestion) => {
    const begun = performance.now();
    const header = readHeader(headers, signatureHeader);
    const diagnosis = diagnoseSignature(body, header, secrets, { others, headers, target, work });
    send({ type: "diagnosis", diagnosis, ms: performance.now() - begun });
  });
  send({ type: "ready" });
}
