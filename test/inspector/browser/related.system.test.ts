import { describe, expect, it } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("the events of one resource are a timeline, before and after the one that is open", async () => {
    const { inspector, deliver, api } = await openInspector({ handler: () => {} });
    const payments = ["payment.received", "payment.overdue"] as const;
    const start = Date.now() - 60_000;
    for (const [index, id] of ["pay_1", "pay_2", "pay_1", "pay_1", "pay_12"].entries()) {
      const sample = sampleEvent(payments[index % 2] ?? "payment.received", {
        timestamp: start + index,
      });
      await deliver({ ...sample, data: { id, note: "pay_1" } });
    }
    await deliver({ ...sampleEvent("lead.created"), data: { id: "pay_1" } });
    const { json } = await api("/api/entries/3/related");
    expect(json.resource).toBe("pay_1");
    expect(json.rows.map(({ seq }: { seq: number }) => seq)).toEqual([1, 3, 4]);
    expect((await api("/api/entries/6/related")).json.rows).toHaveLength(1);
    const page = await newPage.at(inspector.url, "/entry/3");
    const related = page.locator(".related");
    await related.locator("summary", { hasText: /Same resource.*#1 #3 #4/ }).click();
    const events = related.locator(".related-event");
    await events.first().waitFor();
    expect(await events.evaluateAll((all) => all.map((one) => one.textContent))).toEqual([
      expect.stringMatching(/#1 payment.received.*handled/),
      expect.stringMatching(/#3 payment.received.*handled/),
      expect.stringMatching(/#4 payment.overdue.*handled/),
    ]);
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await related.getByRole("link", { name: "#4 payment.overdue" }).click();
    await page.getByRole("heading", { name: "payment.overdue", level: 1 }).waitFor();
    expect(page.troubles).toEqual([]);
  });
});
