import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type RememberedSubscription,
  remember,
  rememberedSubscriptions,
  SUBSCRIPTIONS_FILE,
} from "../../../src/cli/service/subscription-memory.ts";
import { tempFolder } from "../fake-io.ts";

function sample(number: number): RememberedSubscription {
  return {
    id: `wh_${number}`,
    url: `https://app.example/${number}`,
    events: ["lead.created"],
    baseUrl: "https://api.example",
    environment: "test",
    secretFingerprint: "0123456789ab",
    tunnel: null,
    createdAt: "2026-01-15T10:00:00.000Z",
  };
}

it("subscriptions are remembered in order of creation, beside those of version 0.2 that count, in a file that may be edited by hand", () => {
  const cwd = tempFolder();
  expect(rememberedSubscriptions(cwd)).toEqual([]);
  remember(cwd, sample(1));
  const format = "hookporter-subscription/1";
  const line = (change: string, number: number, state: string) =>
    JSON.stringify({ format, change, subscription: { ...sample(number), state } });
  const lines = [
    line("add", 2, "created"),
    line("add", 3, "unconfirmed"),
    line("add", 4, "created"),
    line("forget", 2, "created"),
  ];
  appendFileSync(join(cwd, SUBSCRIPTIONS_FILE), `\n${lines.join("\n")}`);
  remember(cwd, sample(5));
  expect(rememberedSubscriptions(cwd)).toEqual([1, 4, 5].map(sample));
});
