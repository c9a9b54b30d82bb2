import { seededRandom } from "../../relay/random.ts";

/**
 * Random numbers from 0 up to 1 that depend only on a seed and a place, whatever was drawn
 * elsewhere.
 */
export function seededRandomAt(seed: number, ...place: readonly number[]): () => number {
  let mixed = seed >>> 0;
  for (const step of place) mixed = Math.imul(mixed ^ (step + 0x9e3779b9), 0x85ebca6b) >>> 0;
  return seededRandom(mixed);
}

/** A whole number from `low` to `high`, both included. */
export function drawInteger(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}
