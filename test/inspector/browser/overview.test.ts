import { describe, expect, it, vi } from "vitest";
import { openInspector } from "../open.ts";
import { CHROMIUM, openPage, useBrowser } from "./chromium.ts";

const WAIT = { timeout: 10_000, interval: 20 };

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("the overview's bars fit the session, and link to their deliveries", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("lead.created");
    await deliver(Buffer.from("not JSON"));
    await deliver("lead.created", "another secret that is wrong");
    const page = await newPage();
    await openPage(page, inspector.url, "/overview");
    const bar = (label: string) => page.getByRole("link", { name: new RegExp(`: 1 delivery ${label}$`) });
    await bar("refused at the door").waitFor();
    expect(await page.locator("svg[role=group] .hover").count()).toBeLessThan(10);
    for (const [label, rows] of [
      ["failed on arrival", ["not an event"]],
      ["refused at the door", ["POST /webhooks"]],
      ["received or duplicate", ["POST /webhooks", "not an event", "lead.created"]],
    ] as const) {
      await bar(label).focus();
      await page.keyboard.press("Enter");
      await vi.waitFor(
        async () => expect(await page.locator(".line-name").allTextContents(), label).toEqual(rows),
        WAIT,
      );
      expect(page.url()).toMatch(/since=\d+&until=\d+/);
      await page.goBack();
    }
    expect(page.troubles).toEqual([]);
  });
});
