import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { memoryInbox } from "../../../src/inbox/memory.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { numberedEntry } from "../../inbox/entries.ts";
import { gate } from "../../receiver/sample.ts";
import { openInspector, until, untilCounts } from "../open.ts";
import { AXE, axe } from "./axe.ts";
import { CHROMIUM, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();
  const ask = async (page: Page, button = "Retry or drop these…") => {
    await page.getByRole("button", { name: button, exact: true }).click();
    return page.getByRole("dialog", { name: "Retry or drop entries" });
  };

  it("twelve received entries of the filter are counted and asked for, run again, and the result is said in the dialog", async () => {
    const handled: string[] = [];
    const { inspector, receiver, deliver } = await openInspector();
    for (let count = 0; count < 12; count++) await deliver("payment.received");
    await deliver("lead.created");
    await untilCounts(receiver, { received: 13 });
    receiver.replaceHandlers((registry) => {
      registry.on("*", ({ kind }) => void handled.push(kind));
    });
    const page = await newPage.at(inspector.url, "/?kind=payment.*");
    const dialog = await ask(page);
    await dialog.getByText("12 received: their handlers run").waitFor();
    await dialog.getByText("Entries of kind payment.*").waitFor();
    await page.evaluate(AXE);
    expect(await axe(page)).toEqual([]);
    expect(handled).toEqual([]);
    await dialog.getByRole("button", { name: "Run 12" }).click();
    await dialog.getByRole("status").getByText("12 entries run again.").waitFor();
    await until(() => expect(handled).toEqual(Array(12).fill("payment.received")));
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await until(async () => expect(await page.locator(".line .state.handled").count()).toBe(12));
    const focused = "document.activeElement.textContent";
    expect([await page.getByRole("dialog").count(), await page.evaluate(focused)]).not.toEqual([
      1,
      "",
    ]);
    expect(await inboxOf(receiver).counts()).toMatchObject({ handled: 12, received: 1 });
    expect(page.troubles).toEqual([]);
  });

  it("a closed dialog has changed nothing", async () => {
    const inbox = memoryInbox();
    for (const number of [1, 2])
      await inbox.append(numberedEntry(number, number, { state: "dead", reason: "too_old" }));
    const { inspector } = await openInspector({ inbox });
    const page = await newPage.at(inspector.url);
    const dialog = await ask(page);
    await dialog.getByRole("radio", { name: "Drop 2" }).check();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await inbox.list({})).toMatchObject([{ reason: "too_old" }, { reason: "too_old" }]);
  });

  it("dropped entries run again only if that is asked for, and running ones are left to their run", async () => {
    const inbox = memoryInbox();
    await inbox.append(numberedEntry(1, 1, { state: "dead", reason: "dropped" }));
    await inbox.append(numberedEntry(2, 2, { state: "dead", reason: "too_old" }));
    const held = gate();
    const { inspector, deliver } = await openInspector({ inbox, handler: () => held.opened });
    await deliver("lead.created");
    await until(async () => expect(await inbox.counts()).toMatchObject({ running: 1 }));
    const page = await newPage.at(inspector.url);
    const dialog = await ask(page);
    await dialog.getByText("1 running: left to its run.").waitFor();
    await dialog.getByRole("button", { name: "Retry 1" }).waitFor();
    await dialog.getByRole("checkbox", { name: "Also the 1 dropped before" }).check();
    await dialog.getByRole("button", { name: "Retry 2" }).click();
    await dialog
      .getByRole("status")
      .getByText("2 entries run again; 1 was already running.")
      .waitFor();
    held.open();
  });

  it("dead letters are dropped from the overview", async () => {
    const inbox = memoryInbox();
    for (const number of [1, 2, 3])
      await inbox.append(numberedEntry(number, number, { state: "dead", reason: "too_old" }));
    const { inspector } = await openInspector({ inbox });
    const page = await newPage.at(inspector.url, "/overview");
    const dialog = await ask(page, "Retry or drop all…");
    await dialog.getByRole("radio", { name: "Drop 3" }).check();
    await dialog.getByRole("button", { name: "Drop 3" }).click();
    await dialog.getByRole("status").getByText("3 entries dropped.").waitFor();
    expect(new Set((await inbox.list({})).map(({ reason }) => reason))).toEqual(
      new Set(["dropped"]),
    );
  });

  it("an error is said in the dialog, in the accessibility tree, and the action can be repeated", async () => {
    const inbox = memoryInbox();
    await inbox.append(numberedEntry(1, 1, { state: "dead", reason: "too_old" }));
    const { inspector } = await openInspector({ inbox });
    const page = await newPage.at(inspector.url);
    const dialog = await ask(page);
    const drop = inbox.drop.bind(inbox);
    inbox.drop = async () => {
      throw new Error("the disk is full");
    };
    await dialog.getByRole("radio", { name: "Drop 1" }).check();
    await dialog.getByRole("button", { name: "Drop 1" }).click();
    await dialog.getByRole("alert").getByText(/./).waitFor();
    const said = await dialog.getByRole("alert").textContent();
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const names = nodes.filter(({ ignored }) => !ignored).map(({ name }) => name?.value);
    expect(names).toContain(said);
    inbox.drop = drop;
    await dialog.getByRole("button", { name: "Drop 1" }).click();
    await dialog.getByRole("status").getByText("1 entry dropped.").waitFor();
  });
});
