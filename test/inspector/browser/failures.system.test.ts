import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openInspector, untilCounts } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";

/** Forty dead letters of one cause and one of another, and a way to mend the first. */
async function fortyDead() {
  let broken = true;
  const handler = ({ kind }: { kind: string }) => {
    if (kind === "lead.created") throw new Error("another error");
    if (broken) throw new Error("connect ECONNREFUSED 127.0.0.1:5432");
  };
  const opened = await openInspector({ handler, attempts: 1 });
  for (let count = 0; count < 20; count++) {
    await opened.deliver("payment.received");
    await opened.deliver("tenant.created");
  }
  await opened.deliver("lead.created");
  const mend = () => {
    broken = false;
  };
  await untilCounts(opened.receiver, { dead: 41 });
  return { ...opened, mend };
}

async function retryAll(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Retry 40" }).click();
  await dialog.getByText("40 of 40 handled.").waitFor();
}

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("forty dead letters of one cause are one line of the overview, and retried from there", async () => {
    const { inspector, mend } = await fortyDead();
    const page = await newPage.at(inspector.url, "/overview");
    const error = page.locator(".failures li", { hasText: "ECONNREFUSED 127.0.0.1:5432" });
    await error.getByText("40 events · 2 kinds").waitFor();
    expect(await page.locator(".failures li").count()).toBe(2);
    mend();
    await error.getByRole("button", { name: "Retry or drop 40…" }).click();
    await retryAll(page);
    await page.keyboard.press("Escape");
    await error.waitFor({ state: "detached" });
    expect(page.troubles).toEqual([]);
  });

  it("an open dead letter leads to all that failed alike, and stays true once they are handled", async () => {
    const { inspector, mend } = await fortyDead();
    const page = await newPage.at(inspector.url, "/entry/7?state=dead");
    await page.getByRole("link", { name: "39 others failed alike" }).click();
    await expect.poll(() => page.locator(".line").count()).toBeGreaterThan(5);
    await page.getByText("Failed like #7").waitFor();
    const others = page.locator(".line-name", { hasText: "lead.created" });
    await expect.poll(() => others.count()).toBe(0); // once the list is filtered
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    mend();
    await page.getByRole("button", { name: "Retry or drop all 40…" }).click();
    await retryAll(page);
    await page.keyboard.press("Escape");
    await page.locator(".detail-head .state.handled").waitFor();
    expect(page.troubles).toEqual([]);
  });

  it("a dialog begins with what it is about, so that the keyboard alone retries all", async () => {
    const { inspector, mend } = await fortyDead();
    const page = await newPage.at(inspector.url, "/overview");
    mend();
    await page.getByRole("button", { name: "Retry or drop 40…" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Retry 40" }).waitFor();
    await page.keyboard.press("Enter");
    await dialog.getByText("40 of 40 handled.").waitFor();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
  });

  it("the keys e, R and Enter lead to the errors and retry all of them", async () => {
    const { inspector, mend } = await fortyDead();
    const page = await newPage.at(inspector.url);
    await page.keyboard.press("e");
    await page.locator(".failures li", { hasText: "40 events · 2 kinds" }).waitFor();
    mend();
    await page.keyboard.press("R");
    await page.getByRole("dialog").getByRole("button", { name: "Retry 41" }).waitFor();
    const focused = "document.activeElement.closest('dialog, [role=dialog]') !== null";
    await expect.poll(() => page.evaluate(focused)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("40 of 41 handled").waitFor();
  });

  it("Enter in the search opens the first hit, and the key R asks what to do with all that failed like it", async () => {
    const { inspector } = await fortyDead();
    const page = await newPage.at(inspector.url, "/?text=payment.received");
    await expect.poll(() => page.locator(".line").count()).toBeGreaterThan(5);
    await page.locator("#text-filter").focus();
    await page.keyboard.press("Enter");
    await page.locator(".detail-head h1", { hasText: "payment.received" }).waitFor();
    await page.getByRole("button", { name: "Retry or drop all 40…" }).waitFor();
    await page.keyboard.press("R");
    await page.getByRole("dialog").getByRole("button", { name: "Retry 40" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
  });

  it("the open entry is true although it no longer fits the filter", async () => {
    let broken = true;
    const handler = () => {
      if (broken) throw new Error("no");
    };
    const { inspector, deliver, receiver } = await openInspector({ handler, attempts: 1 });
    await deliver("payment.received");
    await untilCounts(receiver, { dead: 1 });
    const page = await newPage.at(inspector.url, "/entry/1?state=dead");
    await page.locator(".detail-head .state.dead").waitFor();
    broken = false;
    await page.locator(".detail").getByRole("button", { name: "Retry", exact: true }).click();
    await page.locator(".detail-head .state.handled").waitFor();
    expect(page.url()).toContain("state=dead");
  });
});
