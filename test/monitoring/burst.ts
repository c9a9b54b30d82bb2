import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { bytes, freshEnvelope, signedHeaders } from "../receiver/sample.ts";

/** How many deliveries are events, and how many are signed but are none. */
interface Burst {
  readonly good: number;
  readonly broken: number;
}

/**
 * Sends deliveries to `listen`, 20 at a time, signed with the secret that it made in its folder.
 */
export async function sendBurst(url: string, cwd: string, { good, broken }: Burst): Promise<void> {
  const secret = readFileSync(join(cwd, ".hookporter", "secret"), "utf8").trim();
  const post = async (content: object | string): Promise<number> => {
    const body = bytes(content);
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: signedHeaders(body, secret),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const event = () => freshEnvelope({ timestamp: new Date().toISOString() });
  for (let sent = 0; sent < good; sent += 20) {
    const statuses = await Promise.all(
      Array.from({ length: Math.min(20, good - sent) }, () => post(event())),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  }
  for (let sent = 0; sent < broken; sent++) expect(await post("no JSON")).toBe(400);
}
