import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { sampleEvent, signedRequest } from "../../../src/entries/testing.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { openInspector, SECRET, untilCounts } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, choose, useBrowser } from "./chromium.ts";
import { editorIn } from "./editor.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();
  const pick = async (page: Page, menu: string, item: RegExp) => {
    await page.getByRole("button", { name: menu, exact: true }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };

  it("an edited body is shown beside the one it was made from, with what became of both", async () => {
    const handler = ({ data }: { data: unknown }) => {
      if (JSON.stringify(data).includes("1450.00")) throw new Error("the amount is wrong");
    };
    const { inspector, receiver, deliver } = await openInspector({ handler, attempts: 1 });
    await deliver("payment.received");
    await untilCounts(receiver, { dead: 1 });
    const page = await newPage.at(inspector.url, "/entry/1", {
      viewport: { width: 1440, height: 900 },
    });
    await choose(page, "Send again", "Edit and send…");
    const body = editorIn(page, "Body");
    await expect.poll(() => body.text()).toContain("1450.00");
    await body.fill((await body.text()).replace("1450.00", "99.00"));
    await page.getByRole("button", { name: "Sign and send" }).dblclick();
    const both = page.getByRole("region", { name: "Sent again from #1" });
    await both.getByText("the amount is wrong").waitFor();
    await both.locator(".state.handled").waitFor();
    expect(await both.locator(".state").allTextContents()).toEqual(["dead", "handled"]);
    expect(await both.locator(".change.added").allTextContents()).toContainEqual(
      expect.stringContaining('"99.00"'),
    );
    expect(await both.locator(".change.removed").allTextContents()).toContainEqual(
      expect.stringContaining('"1450.00"'),
    );
    expect(await inboxOf(receiver).list({})).toHaveLength(2); // a double click sends once
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    await page.reload();
    await both.waitFor();
    await both.getByRole("button", { name: "Close the comparison" }).click();
    await both.waitFor({ state: "hidden" });
    expect(page.troubles).toEqual([]);
  });

  it("a double click on an action of an entry acts once", async () => {
    const { inspector, receiver, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page
      .getByRole("menuitem", { name: "Send again as new" })
      .evaluate((item: { click: () => void }) => {
        item.click();
        item.click();
      });
    await page.getByRole("heading", { name: "Sent again from #1" }).waitFor();
    expect(await inboxOf(receiver).list({})).toHaveLength(2);
  });

  it("an answer that refuses an edited body is said in the dialog, for screen readers too, and the draft stays", async () => {
    const { inspector, deliver } = await openInspector();
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    await page.getByRole("checkbox", { name: "Set timestamp to now" }).uncheck();
    const body = editorIn(page, "Body");
    await body.fill('{"event":"payment.received"}');
    await page.getByRole("button", { name: "Sign and send" }).click();
    const alert = page.getByRole("dialog").getByRole("alert");
    await alert.getByText("answered 400").waitFor();
    const said = await alert.textContent();
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    expect(nodes.filter(({ ignored }) => !ignored).map(({ name }) => name?.value)).toContain(said);
    expect(await body.text()).toBe('{"event":"payment.received"}');
  });

  it("hidden headers are copied and saved only on request, after a question", async () => {
    const { inspector, endpoint } = await openInspector();
    const { headers, body } = signedRequest(sampleEvent("lead.created"), { secret: SECRET });
    await fetch(endpoint, { method: "POST", body, headers: { ...headers, "x-api-key": "CANARY" } });
    const page = await newPage.at(inspector.url, "/entry/1", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    await pick(page, "Copy", /^Copy as curl a command.*without x-api-key/);
    await page.getByText("The curl command was copied, without x-api-key.").waitFor();
    expect(await copied()).not.toContain("CANARY");
    await pick(page, "Copy", /with credentials/);
    await page
      .getByRole("dialog", { name: "Copy with credentials?" })
      .getByText("x-api-key")
      .waitFor();
    expect(await copied()).not.toContain("CANARY");
    await page.getByRole("button", { name: "Copy with credentials" }).click();
    await page.getByRole("dialog").getByRole("status").getByText("Copied").waitFor();
    expect(await copied()).toContain("'x-api-key: CANARY'");
    await page.keyboard.press("Escape");
    const saved = async (act: () => Promise<unknown>) => {
      const [download] = await Promise.all([page.waitForEvent("download"), act()]);
      return readFileSync(await download.path(), "utf8");
    };
    expect(
      await saved(() => pick(page, "More actions", /^Save fixture a file.*without x-api-key/)),
    ).not.toContain("CANARY");
    await pick(page, "More actions", /with credentials/);
    const withThem = page.getByRole("button", { name: "Save with credentials" });
    expect(await saved(() => withThem.click())).toContain("CANARY");
  });
});
