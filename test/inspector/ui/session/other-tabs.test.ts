import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { withoutTimers } from "../../../frozen-timers.ts";

// Not checked by its types, which are those of a browser.
const module: string = "../../../../src/inspector/ui/session/other-tabs.ts";
const { admitTabs, askOtherTabs } = await import(module);

const TICKET = "a-ticket";

beforeEach(() => {
  vi.stubGlobal("document", { querySelector: () => ({ content: TICKET }) });
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("fetch", async () => new Response('{"token":"a-token"}'));
});
afterEach(() => void vi.unstubAllGlobals());

/** A tab that admits others while it is live. */
function openTab(live: boolean) {
  const admitted: string[] = [];
  const client = { live, admit: async (hash: string) => void admitted.push(hash) };
  onTestFinished(admitTabs(client));
  return { client, admitted };
}

it("a tab that is connecting when it is asked admits the new one once it is connected", async () => {
  const { client, admitted } = openTab(false);
  const asked = askOtherTabs();
  setTimeout(() => {
    client.live = true;
  }, 200);
  expect(await asked).toBe("a-token");
  expect(new Set(admitted)).toEqual(new Set([createHash("sha256").update(TICKET).digest("hex")]));
});

it("a tab that is connected admits the new one at once, and only once", async () => {
  const { admitted } = openTab(true);
  expect(await withoutTimers(() => askOtherTabs())).toBe("a-token");
  expect(admitted).toHaveLength(1);
});
