import { describe, expect, it } from "vitest";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { openInspector, until, untilCounts } from "../open.ts";
import { CHROMIUM, openPage, useBrowser } from "./chromium.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("a kind is paused in a dialog, said on every page, and resumed there", async () => {
    const { inspector, receiver } = await openInspector({});
    const page = await newPage.at(inspector.url, "/overview");
    await page.getByRole("button", { name: "Pause…" }).click();
    await page.getByRole("combobox").selectOption("kind");
    await page.getByRole("textbox", { name: "Name" }).fill("lead.*");
    await page.getByRole("dialog").getByRole("button", { name: "Pause", exact: true }).click();
    await page.getByText("Paused, in every process").waitFor();
    expect((await inboxOf(receiver).pauses?.())?.paused).toMatchObject([
      { scope: "kind", name: "lead.*" },
    ]);
    await page.keyboard.press("Escape");
    await openPage(page, inspector.url, "/");
    await page.getByText(/^kind lead\.\* has been paused for .* by the inspector$/).waitFor();
    await page.getByRole("button", { name: "Resume kind lead.*" }).click();
    await until(async () => expect((await inboxOf(receiver).pauses?.())?.paused).toEqual([]));
  });

  it("the overview's bars fit the session, show what became of deliveries, and link to them", async () => {
    const never = new Promise<void>(() => {});
    const handler = ({ kind }: { kind: string }) => {
      if (kind === "payment.overdue") return never;
      if (kind === "contact.created") throw new Error("the ledger is down");
      return undefined;
    };
    const { inspector, deliver, receiver } = await openInspector({ handler });
    for (const kind of ["lead.created", "payment.overdue", "contact.created"] as const)
      await deliver(kind);
    await deliver("lead.created", "another secret that is wrong");
    await untilCounts(receiver, { handled: 1, running: 1, dead: 1 });
    const page = await newPage.at(inspector.url, "/overview");
    const bar = (label: string) =>
      page.getByRole("link", { name: new RegExp(`: 1 delivery ${label}$`) });
    const error = page.locator(".failures li", { hasText: "the ledger is down" });
    await error.getByText("1 event · contact.created").waitFor();
    expect(await page.locator("svg[role=group] .hover").count()).toBeLessThan(10);
    for (const [label, name, fill] of [
      ["handled", "lead.created", "handled"],
      ["waiting or failing", "payment.overdue", "waiting"],
      ["dead", "contact.created", "dead"],
      [
        "refused",
        "the signature does not match these bytes under any configured secret",
        "refused",
      ],
    ] as const) {
      await bar(label).waitFor();
      expect(await bar(label).locator(`.bar-${fill}`).count(), label).toBe(1);
      await bar(label).focus();
      await page.keyboard.press("Enter");
      await until(async () =>
        expect(await page.locator(".line-name").allTextContents(), label).toEqual([name]),
      );
      expect(page.url()).toMatch(/since=\d+&until=\d+&state=/);
      await page.goBack();
    }
    expect(page.troubles).toEqual([]);
  });
});
