import type { client } from "../client.ts";
import { isUnobserved } from "./connection.ts";
import { CAN_CHECK, sha256 } from "./server-proof.ts";

/**
 * Any page of this origin can listen and write here, so neither a token nor a ticket is ever sent
 * on it.
 */
const CHANNEL = "hookporter-inspector";
/**
 * Milliseconds to wait for another tab. A tab in the background of a busy machine is slow to
 * answer.
 */
const WAIT = 5000;
/**
 * Milliseconds after which they are asked again: a tab that is connecting just then does not
 * answer.
 */
const ASK_AGAIN = 500;

/** A message: the hash of a new tab's ticket, and whether another tab has admitted it. */
interface Message {
  readonly ticket: string;
  readonly admitted: boolean;
}

/**
 * Gets the token for a new tab. Shows the other tabs the hash of the ticket that the server wrote
 * into this page; if one of them admits it, exchanges the ticket itself for the token. Returns
 * `undefined` if no other tab is connected.
 */
export async function askOtherTabs(): Promise<string | undefined> {
  const text = document.querySelector<HTMLMetaElement>('meta[name="ticket"]')?.content ?? "";
  if (text === "" || !CAN_CHECK || !(await isUnobserved())) return undefined;
  const ticket = toHex(await sha256(text));
  if (!(await isAdmitted(ticket))) return undefined;
  try {
    const headers = { authorization: `Bearer ${text}`, "content-type": "application/json" };
    const { token } = await (
      await fetch("/api/enter", { method: "POST", headers, redirect: "error" })
    ).json();
    return typeof token === "string" && /^[A-Za-z0-9_-]+$/.test(token) ? token : undefined;
  } catch {
    return undefined;
  }
}

function isAdmitted(ticket: string): Promise<boolean> {
  const channel = new BroadcastChannel(CHANNEL);
  const admitted = new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), WAIT);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = readMessage(data);
      if (message?.admitted === true && message.ticket === ticket) resolve(true);
    };
  });
  const ask = () => channel.postMessage({ ticket, admitted: false } satisfies Message);
  ask();
  const asking = setInterval(ask, ASK_AGAIN);
  return admitted.finally(() => {
    clearInterval(asking);
    channel.close();
  });
}

/** Admits new tabs while this one is connected; returns a function that stops it. */
export function admitTabs(own: Pick<typeof client, "live" | "admit">): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = async ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(data);
    if (message === undefined || message.admitted || !own.live) return;
    const { ticket } = message;
    try {
      await own.admit(ticket);
      channel.postMessage({ ticket, admitted: true } satisfies Message);
    } catch {
      // The server did not issue this ticket, or another tab was faster.
    }
  };
  return () => channel.close();
}

function readMessage(data: unknown): Message | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { ticket, admitted } = data as Partial<Message>;
  if (typeof ticket !== "string" || !/^[\da-f]{64}$/.test(ticket)) return undefined;
  return { ticket, admitted: admitted === true };
}

function toHex(raw: Uint8Array): string {
  return Array.from(raw, (number) => number.toString(16).padStart(2, "0")).join("");
}
