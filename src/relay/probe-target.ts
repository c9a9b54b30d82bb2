import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isLocalhost, lookupBothFamilies } from "./localhost.ts";
import { lookupPrivate } from "./private-lookup.ts";
import { wantsTls, whyUnreachable } from "./unreachable.ts";

/** What a target did with a request that asks for nothing. */
export type Probed = { readonly status: number } | { readonly why: string };

/** The most of an answer that is read. */
const MAX_ANSWER = 4096;

/** How to probe. */
export interface ProbeTerms {
  /** Whether any certificate will do, provided that the address is not public. */
  readonly insecure: boolean;
  /** Milliseconds that the answer may take. */
  readonly timeoutMs: number;
}

/**
 * Finds out whether a target answers, without a delivery: sends `OPTIONS`, which no app treats as an event. If it does not
 * answer, says why in one line, with the fix.
 */
export async function probeTarget(target: URL, { insecure, timeoutMs }: ProbeTerms): Promise<Probed> {
  try {
    const { status, text } = await ask(target, insecure, timeoutMs);
    const why = wantsTls(target, status, text);
    return why === undefined ? { status } : { why };
  } catch (thrown) {
    if (thrown === LATE) {
      return {
        why: `it accepts connections, but did not answer in ${timeoutMs / 1000} s: check the app's log`,
      };
    }
    return { why: await whyUnreachable(thrown, target) };
  }
}

const LATE = new Error("no answer in time");

function ask(target: URL, insecure: boolean, timeoutMs: number): Promise<{ status: number; text: string }> {
  const secure = target.protocol === "https:";
  return new Promise((resolve, reject) => {
    let connected = false;
    const request = (secure ? httpsRequest : httpRequest)(target, {
      ...{ method: "OPTIONS", agent: false },
      ...(secure && insecure && { rejectUnauthorized: false, lookup: lookupPrivate }),
      ...(isLocalhost(target) && { lookup: lookupBothFamilies, autoSelectFamily: true }),
    });
    const timer = setTimeout(() => request.destroy(connected ? LATE : timedOut()), timeoutMs);
    const end = () => clearTimeout(timer);
    request.on("socket", (socket) =>
      socket.once("connect", () => {
        connected = true;
      }),
    );
    request.on("error", (thrown) => {
      end();
      reject(thrown);
    });
    request.on("response", (response) => {
      let text = "";
      const answer = () => {
        end();
        resolve({ status: response.statusCode ?? 0, text });
        response.destroy();
      };
      response.setEncoding("latin1").on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MAX_ANSWER) answer();
      });
      response.on("end", answer).on("error", answer).on("close", answer);
    });
    request.end();
  });
}

function timedOut(): Error {
  return Object.assign(new Error("no connection in time"), { code: "ETIMEDOUT" });
}
