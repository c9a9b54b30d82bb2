import { describe, expect, it } from "vitest";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, openPage, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("a sample with a wrong signature is sent from the form, and why it was refused opens", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage.at(inspector.url, "/trigger");
    await page
      .getByRole("combobox", { name: "What is wrong with it" })
      .selectOption("Wrong signature");
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await page.getByRole("button", { name: "Send payment.received" }).dblclick();
    await page.getByText("unauthorized").first().waitFor();
    expect(page.url()).toContain("#/refusal/r1");
    expect(await inboxOf(receiver).list({})).toEqual([]);
  });

  it("all 12 kinds are sent twice from the form, each with what became of it", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage.at(inspector.url, "/trigger");
    await page.getByRole("radio", { name: "all 12 kinds" }).check();
    await page.getByRole("spinbutton", { name: "Count" }).fill("2");
    await page.getByRole("button", { name: "Send all 12 kinds" }).click();
    await page.getByRole("status").getByText("24 deliveries sent: 24 accepted.").waitFor();
    expect(await page.getByRole("list", { name: "What was sent" }).getByRole("link").count()).toBe(
      24,
    );
    expect(await inboxOf(receiver).list({})).toHaveLength(24);
  });

  it("a lost answer is said, and what to do then", async () => {
    const { inspector, receiver } = await openInspector();
    // Node, which sends the request here, may not find the page's name.
    const page = await newPage.at(inspector.loopbackUrl, "/trigger");
    await page.route("**/api/trigger", async (route) => {
      await route.fetch();
      await route.fulfill({ status: 200, contentType: "application/json", body: "[{" });
    });
    await page.getByRole("button", { name: "Send payment.received" }).click();
    await page
      .getByRole("alert")
      .getByText("look whether it arrived before you send it again")
      .waitFor();
    expect(await inboxOf(receiver).list({})).toHaveLength(1);
  });

  it("the count is limited by what is chosen, which the form says, and Send is in sight on a small screen", async () => {
    const { inspector } = await openInspector();
    const page = await newPage();
    for (const [width, height] of [
      [1024, 700],
      [360, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      await openPage(page, inspector.url, "/trigger");
      const send = page.getByRole("button", { name: "Send payment.received" });
      const box = await send.boundingBox();
      expect((box?.y ?? height) + (box?.height ?? 0), String(width)).toBeLessThanOrEqual(height);
    }
    await page.getByRole("spinbutton", { name: "Count" }).fill("100");
    await page.getByRole("radio", { name: "all 12 kinds" }).check();
    expect(await page.getByRole("textbox", { name: "data" }).count()).toBe(0);
    const count = page.getByRole("spinbutton", { name: "Count, at most 16" });
    await count.fill("100");
    expect(await count.inputValue()).toBe("16");
  });
});
