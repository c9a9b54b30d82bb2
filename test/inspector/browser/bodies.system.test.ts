import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";
import { LONGEST_FRAME, WATCH_FRAMES, type WatchedFrames } from "./frames.ts";

/** An event whose data is this JSON text. */
function eventWith(data: string): Buffer {
  const event = JSON.stringify({ ...sampleEvent("payment.received"), data: "DATA" });
  return Buffer.from(event.replace('"DATA"', () => data));
}

/** An event of nearly 1 MiB: half a million numbers. */
const NUMBERS = eventWith(`{"id": "pay_1", "numbers": [${"1,".repeat(524_000)}2]}`);

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();
  const click = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();
  const tree = (page: Page) => page.getByRole("tree", { name: "Body as JSON" });
  const elements = (page: Page) => page.evaluate<number>("document.querySelectorAll('*').length");
  const clipboard = (page: Page) => page.evaluate<string>("navigator.clipboard.readText()");

  /** A page that shows the body of a delivery. */
  async function showBody(body: Uint8Array, options = {}) {
    const opened = await openInspector({ handler: () => {} });
    await opened.deliver(body);
    const page = await newPage.at(opened.inspector.url, "/entry/1", {
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    return { ...opened, page };
  }

  it("1 MiB of numbers opens and scrolls without a frozen page, with few elements", async () => {
    const { page } = await showBody(NUMBERS);
    await page.evaluate(WATCH_FRAMES);
    await tree(page).getByText('"data"').waitFor();
    expect(await page.locator(".body-line").allTextContents()).toContainEqual(
      '▸"data": { 2 items },',
    );
    await click(page, "Unfold all");
    await page.locator(".body-line", { hasText: "numbers" }).waitFor();
    await page.evaluate(`(async () => {
      for (let count = 0; count < 60; count++) {
        document.querySelector("[role=tree]").scrollTop += 700;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    })()`);
    await tree(page).focus();
    await page.keyboard.press("End");
    await page.locator(".body-line.active", { hasText: "url" }).waitFor();
    expect(await elements(page)).toBeLessThan(800);
    expect(await page.locator(".body-line").count()).toBeLessThan(60);
    const { longest, time, frames } = await page.evaluate<WatchedFrames>("window.watched");
    expect(longest).toBeLessThan(time * LONGEST_FRAME);
    expect(frames).toBeGreaterThan(40);
    expect(page.troubles).toEqual([]);
  });

  it("a text of 1 MiB that is not JSON is shown as it was received, with few elements", async () => {
    const { page } = await showBody(Buffer.from(`${"no JSON ".repeat(130_000)}\nthe end`));
    const box = page.getByRole("group", { name: "Body as text" });
    await box.waitFor();
    await expect
      .poll(async () => {
        await page.evaluate("document.querySelector('.body.text').scrollTop = 1e9");
        return page.locator(".body-line").allTextContents();
      })
      .toContain("the end");
    expect(await page.locator(".body-line").count()).toBeLessThan(60);
  });

  it("values are folded, searched and copied with the keyboard alone", async () => {
    const data =
      '{"id": "pay_1", "big": 12345678901234567890.10, "list": [1, {"Needle": "\\u00e9"}]}';
    const body = eventWith(data);
    const { page } = await showBody(body);
    const active = page.locator(".body-line.active");
    await tree(page).focus();
    await page.keyboard.press("f");
    await page.keyboard.type("needle");
    await page.getByText("1 of 1").waitFor();
    expect(await page.locator(".body mark").allTextContents()).toEqual(["Needle"]);
    expect(await page.locator(".json-path").textContent()).toBe("Path: data.list[1].Needle");
    await tree(page).focus();
    await page.keyboard.press("c");
    await expect.poll(() => clipboard(page)).toBe('"\\u00e9"');
    await page.keyboard.press("p");
    await expect.poll(() => clipboard(page)).toBe("data.list[1].Needle");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await active.getAttribute("aria-expanded")).toBe("false");
    expect(await active.textContent()).toBe("▸{ 1 item }");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    expect(await active.textContent()).toBe(
      '"big": 12345678901234567890.10,← sent 12345678901234567890.10, read as 12345678901234567000',
    );
    expect(await tree(page).getAttribute("aria-activedescendant")).toBe(
      await active.getAttribute("id"),
    );
    await page.keyboard.press("Control+c");
    await expect.poll(() => clipboard(page)).toBe("12345678901234567890.10");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await active.textContent()).toBe('▸"list": [ 2 items ]');
    await page.keyboard.press("Home");
    await page.keyboard.press("c");
    await expect.poll(() => clipboard(page)).toBe(String(body));
  });

  it("a match in a large folded body is unfolded, and the whole is copied as it was received", async () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => `{ "id":${id}, "name":"n" }`);
    const body = eventWith(`[${rows.join(",")}]`);
    const { page } = await showBody(body);
    await tree(page).getByText('"data"').waitFor();
    await page.getByRole("searchbox", { name: "Search the body" }).fill("29999");
    await page.getByText("1 of 1").waitFor();
    expect(await page.locator(".json-path").textContent()).toBe("Path: data[29999].id");
    await page.locator(".body-line.active", { hasText: "29999" }).waitFor();
    await click(page, "Copy body");
    await expect.poll(() => clipboard(page)).toBe(String(body));
    await click(page, "Fold all");
    expect(await page.locator(".body-line").count()).toBeLessThan(15);
  });

  it("a large body has no problems for axe, and fits on a narrow screen", async () => {
    const { page } = await showBody(NUMBERS, { viewport: { width: 360, height: 740 } });
    await tree(page).getByText('"data"').waitFor();
    await click(page, "Unfold all");
    await page.getByRole("searchbox", { name: "Search the body" }).fill("numbers");
    await page.getByText("1 of 1").waitFor();
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });
});
