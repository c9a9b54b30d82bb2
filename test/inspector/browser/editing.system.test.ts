import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { deadLetter, openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, choose, openPage, useBrowser } from "./chromium.ts";
import { editorIn } from "./editor.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();
  const click = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();
  const editor = (page: Page) => editorIn(page, "Body");
  const problem = (page: Page) => page.locator(".editor-problem [role=status]");

  it("a body of 600 kB is edited whole, not only its beginning, and keeps its carriage returns", async () => {
    const { inspector, receiver, deliver } = await openInspector({ handler: () => {} });
    const rows = Array.from({ length: 24_000 }, (_, id) => `{"id": ${id}, "n": 1.50}`);
    const body = JSON.stringify({ ...sampleEvent("payment.received"), data: "DATA" })
      .replace('"DATA"', () => `{\r\n"rows": [${rows.join(",\r\n")}]}`)
      .concat("  ");
    expect(body.length).toBeGreaterThan(600_000);
    await deliver(Buffer.from(body));
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    await editor(page).box.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type(" ");
    await click(page, "Sign and send");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await vi.waitFor(async () => expect(await inboxOf(receiver).delivery(2)).toBeDefined(), 10_000);
    const sent = String(Buffer.from((await inboxOf(receiver).delivery(2))?.body ?? []));
    const undated = (text: string) => text.replace(/"timestamp":"[^"]*"/, "");
    // a message of 600 kB would help nobody
    expect(undated(sent) === undated(`${body} `)).toBe(true);
    expect(page.troubles).toEqual([]);
  });

  it("a body that is too large to edit is offered as a download instead", async () => {
    const inbox = memoryInbox();
    await inbox.append(deadLetter(1, JSON.stringify("x".repeat(2_100_000)), Date.now()));
    const { inspector } = await openInspector({ inbox });
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    await page.getByText("can be edited here").waitFor();
    expect(await editor(page).box.count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      click(page, "Download it"),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.json$/);
  });

  it("what is not JSON is announced with its place and selected on demand, and axe finds no problems", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1", {
      viewport: { width: 360, height: 740 },
    });
    await choose(page, "Send again", "Edit and send…");
    await editor(page).fill('{\n"data": {"id": oops}}');
    await expect
      .poll(() => problem(page).textContent())
      .toBe("Not JSON: line 2, column 16: expected a value");
    expect(await editor(page).box.getAttribute("aria-invalid")).toBe("true");
    await click(page, "Show it");
    await page.keyboard.type("4");
    expect(await editor(page).text()).toBe('{\n"data": {"id": 4}}');
    await editor(page).fill('{\n"data": {"id": oops}}');
    await page.getByRole("button", { name: "Show it" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
    expect(page.troubles).toEqual([]);
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await editor(page).fill('{"data": {}}');
    await expect.poll(() => problem(page).textContent()).toBe("");
  });

  it("Tab leaves the editor, and Escape closes the dialog", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    await editor(page).fill("{}");
    await page.keyboard.type("jkr? and more, as fast as it goes");
    await page.keyboard.press("Enter");
    expect(await editor(page).text()).toBe("{}jkr? and more, as fast as it goes\n");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Tab");
    const focused = "document.activeElement.tagName";
    expect(await page.evaluate(focused)).toMatch(/BUTTON|INPUT/);
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate(focused)).toBe("TEXTAREA");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it("a draft stays after Escape and a reload, ends with the tab, and is dropped when it is sent", async () => {
    const { inspector, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    const draft = JSON.stringify({ ...sampleEvent("lead.created"), id: "evt_draft" });
    await editor(page).fill(draft);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.reload();
    await choose(page, "Send again", "Edit and send…");
    await page.getByText("This is your draft").waitFor();
    await expect.poll(() => editor(page).text()).toBe(draft);
    const other = await page.context().newPage();
    await openPage(other, inspector.url, "/entry/1");
    await choose(other, "Send again", "Edit and send…");
    await expect.poll(() => editor(other).text()).toContain("payment.received");
    await click(page, "Sign and send");
    await page.getByRole("heading", { name: "Sent again from #1" }).waitFor();
    await page.goto(`${inspector.url.origin}/#/entry/1`);
    await page.getByRole("heading", { name: "payment.received", level: 1 }).waitFor();
    await choose(page, "Send again", "Edit and send…");
    await expect.poll(() => editor(page).text()).toContain("payment.received");
    expect(
      await page.evaluate("Object.keys(sessionStorage).filter((key) => /draft/.test(key))"),
    ).toEqual([]);
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
  });

  it("the data of each sample keeps its draft while another kind is chosen", async () => {
    const { inspector } = await openInspector();
    const page = await newPage.at(inspector.url, "/trigger");
    const data = editorIn(page, "data");
    await data.fill('{"id": "mine"}');
    await page.getByRole("radio", { name: "lead.created" }).check();
    await expect.poll(() => data.text()).not.toContain("mine");
    await page.getByRole("radio", { name: "payment.received" }).check();
    await expect.poll(() => data.text()).toBe('{"id": "mine"}');
    await click(page, "Reset");
    await expect.poll(() => data.text()).toContain("amount");
  });
});
