import { describe, expect, it } from "vitest";
import { openInspector } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, openPage, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("a sample with a wrong signature is sent from the form, and why it was refused opens", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage();
    await openPage(page, inspector.url, "/trigger");
    await page.getByRole("combobox", { name: "What is wrong with it" }).selectOption("Wrong signature");
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await page.getByRole("button", { name: "Send payment.received" }).dblclick();
    await page.getByText("unauthorized").first().waitFor();
    expect(page.url()).toContain("#/refusal/r1");
    expect(await receiver.inbox.list({})).toEqual([]);
  });

  it("all 12 kinds are sent twice from the form, each with what became of it", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage();
    await openPage(page, inspector.url, "/trigger");
    await page.getByRole("checkbox", { name: /All 12 kinds/ }).check();
    await page.getByRole("spinbutton", { name: "Count" }).fill("2");
    await page.getByRole("button", { name: "Send all 12 kinds" }).click();
    await page.getByRole("status").getByText("24 deliveries sent: 24 accepted.").waitFor();
    expect(await page.getByRole("list", { name: "What was sent" }).getByRole("link").count()).toBe(24);
    expect(await receiver.inbox.list({})).toHaveLength(24);
  });

  it("a delivery whose answer was lost is not sent twice, and the next press is a new one", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage();
    await openPage(page, inspector.url, "/trigger");
    let losing = true;
    await page.route("**/api/trigger", async (route) => {
      if (!losing) return route.fallback();
      losing = false;
      await route.fetch();
      await route.abort("connectionreset");
    });
    const send = page.getByRole("button", { name: "Send payment.received" });
    await send.click();
    await page.getByRole("alert").getByText("listen does not respond").waitFor();
    expect(await receiver.inbox.list({})).toHaveLength(1);
    await send.click();
    await page.waitForURL(/#\/entry\/1$/);
    expect(await receiver.inbox.list({})).toHaveLength(1);
    await page.goBack();
    await send.click();
    await page.waitForURL(/#\/entry\/2$/);
    expect(await receiver.inbox.list({})).toHaveLength(2);
  });

  it("the count is limited by what is chosen, which the form says, and a run can be stopped", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage();
    await openPage(page, inspector.url, "/trigger");
    const count = page.getByRole("spinbutton", { name: "Count" });
    await count.fill("100");
    await page.getByRole("checkbox", { name: /All 12 kinds/ }).check();
    expect(await count.inputValue()).toBe("16");
    await page.getByText("At most 16, since each sends 12 deliveries, and 200 are the most.").waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let requests = 0;
    await page.route("**/api/trigger", async (route) => {
      if (++requests === 2) await held;
      await route.fallback();
    });
    await page.getByRole("button", { name: "Send all 12 kinds" }).click();
    const bar = page.getByRole("progressbar", { name: "Sent" });
    await page.locator('progress[value="12"]').waitFor();
    expect(await bar.getAttribute("max")).toBe("192");
    await page.getByRole("button", { name: "Stop" }).click();
    release();
    await page.getByRole("status").getByText("Stopped: 24 deliveries sent: 24 accepted.").waitFor();
    expect(await receiver.inbox.list({})).toHaveLength(24);
  });

  it("a run whose answer was lost in the middle goes on from there", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage();
    await openPage(page, inspector.url, "/trigger");
    await page.getByRole("spinbutton", { name: "Count" }).fill("30");
    let requests = 0;
    await page.route("**/api/trigger", async (route) => {
      if (++requests !== 2) return route.fallback();
      await route.fetch();
      await route.abort("connectionreset");
    });
    const send = page.getByRole("button", { name: "Send payment.received" });
    await send.click();
    await page.getByRole("alert").getByText("listen does not respond").waitFor();
    await send.click();
    await page.getByRole("status").getByText("30 deliveries sent: 30 accepted.").waitFor();
    expect(await receiver.inbox.list({})).toHaveLength(30);
  });
});
