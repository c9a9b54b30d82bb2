import { describe, expect, it } from "vitest";
import { openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("a menu opens, moves and closes with the keyboard alone, and returns the focus to its button", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    const button = page.getByRole("button", { name: "Send again", exact: true });
    const focused = () => page.evaluate("document.activeElement.textContent");
    await button.focus();
    await page.keyboard.press("ArrowUp");
    await page.locator("[role=menuitem]:focus", { hasText: "Forward to…" }).waitFor();
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toMatch(/^Send again as new/);
    await page.keyboard.press("e");
    expect(await focused()).toMatch(/^Edit and send/);
    await page.keyboard.press("Escape");
    expect(await focused()).toBe("Send again ▾");
    expect(await page.getByRole("menu").count()).toBe(0);
    expect(page.url()).toContain("/entry/1");
    await page.keyboard.press("Enter");
    await page.locator("[role=menuitem]:focus", { hasText: "Send again as new" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".message", { hasText: "answered 200" }).waitFor();
  });

  it("a menu closes with a click beside it, and stays inside a narrow window", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1", {
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole("button", { name: "More actions" }).click();
    const box = await page.getByRole("menu").boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 360)).toBeLessThanOrEqual(360);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await page.getByRole("heading", { level: 1 }).click();
    expect(await page.getByRole("menu").count()).toBe(0);
  });
});
