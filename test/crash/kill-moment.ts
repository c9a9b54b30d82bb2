import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { ListenProcess } from "./listen-process.ts";

/**
 * The event before a kill: the process started, it is ready, bytes sent, an answer received, an
 * effect in progress.
 */
export type Trigger = "spawned" | "ready" | "sent" | "answered" | "effect";

/** The time of a kill. */
export interface KillMoment {
  readonly trigger: Trigger;
  /**
   * Milliseconds from readiness (for `spawned`, from the spawn) until waiting for the trigger
   * starts.
   */
  readonly wait: number;
  /** Milliseconds from the trigger to the kill. */
  readonly delay: number;
}

/** Longest wait for a trigger; after it, the process is killed anyway. Milliseconds. */
const PATIENCE = 500;

/** Draws a random kill time: seven in ten are close to an important event. */
export function drawKillMoment(random: () => number): KillMoment {
  const draw = random();
  const few = (most: number) => Math.floor(random() * (most + 1));
  if (draw < 0.1) return { trigger: "spawned", wait: few(900), delay: 0 };
  if (draw < 0.2) return { trigger: "ready", wait: 0, delay: few(20) };
  if (draw < 0.4) return { trigger: "ready", wait: 0, delay: few(400) };
  if (draw < 0.6) return { trigger: "sent", wait: few(300), delay: few(3) };
  if (draw < 0.8) return { trigger: "answered", wait: few(300), delay: few(2) };
  return { trigger: "effect", wait: few(300), delay: few(6) };
}

/** Resolves at that time, or as soon as the process ends by itself. */
export async function reach(
  { trigger, wait, delay }: KillMoment,
  listen: ListenProcess,
  files: Readonly<Record<"sent" | "answered" | "effect", string>>,
): Promise<void> {
  if (trigger === "spawned") return sleep(wait);
  await listen.ready;
  if (wait > 0) await sleep(wait);
  if (trigger !== "ready") await growth(files[trigger]);
  if (delay > 0) await sleep(delay);
}

async function growth(file: string): Promise<void> {
  const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  for (const end = Date.now() + PATIENCE; size() === before && Date.now() < end; ) await sleep(1);
}
