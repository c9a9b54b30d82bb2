import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventKinds } from "../../../src/entries/index.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { parseFixture } from "../../../src/relay/fixture.ts";
import { forwardTo } from "../../../src/relay/forward.ts";
import { openInspector, until, untilCounts } from "../open.ts";
import { CHROMIUM, choose, openPage, useBrowser } from "./chromium.ts";
import { editorIn } from "./editor.ts";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  const click = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();
  const told = (page: Page, text: RegExp) =>
    page.locator(".message", { hasText: text }).first().waitFor();

  it("an entry is replayed as a new event, and with exact bytes as a duplicate", async () => {
    const { inspector, receiver, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Send again as new");
    await told(page, /answered 200/);
    await until(async () => expect(await inboxOf(receiver).list({})).toHaveLength(2));
    await page.getByRole("heading", { name: "Sent again from #1" }).waitFor();
    await page.getByText("#2", { exact: true }).first().waitFor();
    await page.goto(`${inspector.url.origin}/#/entry/1`);
    await choose(page, "Send again", "Resend identical bytes");
    await told(page, /duplicate/i);
    await until(async () =>
      expect(await inboxOf(receiver).list({ seq: 1 })).toMatchObject([{ duplicates: 1 }]),
    );
    await page.getByRole("heading", { name: "Duplicates" }).waitFor();
    expect(page.troubles).toEqual([]);
  });

  it("an edited body is sent, signed, as a new event", async () => {
    const { inspector, receiver, deliver } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Edit and send…");
    const body = editorIn(page, "Body");
    await click(page, "Indent");
    await expect.poll(() => body.text()).toContain('\n    "amount": "1450.00",');
    await body.fill((await body.text()).replace("1450.00", "12345678901234567890.50"));
    await click(page, "Sign and send");
    await told(page, /answered 200/);
    const sent = await inboxOf(receiver).delivery(2);
    expect(String(Buffer.from(sent?.body ?? []))).toContain('"amount": "12345678901234567890.50"');
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  it("a dead letter is retried once its handler is fixed, and shown as handled", async () => {
    let broken = true;
    const handler = () => {
      if (broken) throw new Error("the ledger is down");
    };
    const { inspector, receiver, deliver } = await openInspector({ handler });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await page.locator(".detail .state.dead").waitFor();
    expect(await page.locator(".why .headline").allTextContents()).toEqual(["the ledger is down"]);
    expect(await page.locator(".run .headline").allTextContents()).toEqual(["the ledger is down"]);
    await page.getByText("the same error as in attempt 2").waitFor();
    broken = false;
    await click(page, "Retry");
    await page.locator(".detail .state.handled").waitFor();
    expect(await inboxOf(receiver).list({})).toMatchObject([{ state: "handled" }]);
    await page.locator(".line .state.handled").waitFor();
  });

  it("the same bytes are forwarded to a target, and its answer is shown as text", async () => {
    const got: { body: Buffer; signature: unknown }[] = [];
    const target = await startTarget((body, headers) => {
      got.push({ body, signature: headers["x-service-signature"] });
      return [418, "<b>short and stout</b>"];
    });
    const { inspector, receiver, deliver } = await openInspector();
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await choose(page, "Send again", "Forward to…");
    await page.getByRole("combobox", { name: "Target" }).fill(target);
    await click(page, "Forward");
    await page.getByRole("dialog").getByRole("alert").getByText("answered 418").waitFor();
    const kept = await inboxOf(receiver).delivery(1);
    expect(got).toHaveLength(1);
    expect(got[0]?.body.equals(kept?.body ?? new Uint8Array())).toBe(true);
    expect(got[0]?.signature).toBe(kept?.headers["x-service-signature"]);
    expect(await page.locator("dialog .said").textContent()).toBe("<b>short and stout</b>");
    await page.getByRole("combobox", { name: "Target" }).fill("http://192.0.2.1/");
    await click(page, "Forward");
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText("expected a target on this machine")
      .waitFor();
    expect(got).toHaveLength(1);
  });

  it.each([
    [
      "with status and body",
      [500, "<b>no</b>\nledger.js:42"],
      ["500 Internal Server Error\n<b>no</b>\nledger.js:42"],
    ],
    [
      "explained if it can be",
      [401, "bad signature"],
      [
        expect.stringContaining("answered 401: bad signature; the app's own secret may differ"),
        "401 Unauthorized\nbad signature",
      ],
    ],
  ] as const)("a target's answer to each attempt is shown once, %s", async (_, first, shown) => {
    const answers: (readonly [number, string])[] = [first];
    const target = await startTarget(() => answers.shift() ?? [200, "fine"]);
    const { inspector, deliver } = await openInspector({ handler: forwardTo(new URL(target)) });
    await deliver("payment.received");
    const page = await newPage.at(inspector.url, "/entry/1");
    await page.locator(".run.ok").waitFor();
    expect(await page.locator(".run .headline, .run > .said").allTextContents()).toEqual([
      "200 OK\nfine",
      ...shown,
    ]);
  });

  it("a copied curl command sends the same bytes and signature again", async () => {
    const { inspector, receiver, deliver } = await openInspector();
    const awkward = Buffer.from(
      '{"event":"payment.received","timestamp":"BAD","data":{"quote":"it\'s $HOME `id` \\\\ é"}}\n',
    );
    await deliver(awkward);
    const page = await newPage.at(inspector.url, "/entry/1", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await choose(page, "Copy", "Copy as curl");
    await told(page, /was copied/);
    const command = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(command).toContain("--data-binary '@-'");
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    expect(stdout.trim()).toMatch(/400$/);
    expect(await inboxOf(receiver).list({})).toMatchObject([{ duplicates: 1 }]);
  });

  it("the fixture and the body are saved, byte for byte", async () => {
    const { inspector, receiver, deliver } = await openInspector();
    await deliver(Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x22, 0x0d, 0x0a]));
    const kept = await inboxOf(receiver).delivery(1);
    const page = await newPage.at(inspector.url, "/entry/1");
    for (const button of ["Save fixture", "Download body"]) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        choose(page, "More actions", button),
      ]);
      const bytes = readFileSync(await download.path());
      const fixture = button === "Save fixture" ? parseFixture(bytes, "saved") : undefined;
      const body = fixture?.type === "delivery" ? fixture.delivery.body : bytes;
      expect(Buffer.from(body).equals(kept?.body ?? new Uint8Array())).toBe(true);
      expect(download.suggestedFilename()).toMatch(/^[\w.-]+\.json$/);
    }
  });

  it("each of the 12 samples can be triggered from the form, edited or not", async () => {
    const { inspector, receiver } = await openInspector();
    const page = await newPage.at(inspector.url);
    await click(page, "Trigger a sample");
    for (const kind of eventKinds) {
      await page.getByRole("radio", { name: kind }).check();
      if (kind === "lead.created") await editorIn(page, "data").fill('{"id": "mine", "n": 1.50}');
      await click(page, `Send ${kind}`);
      await page.getByRole("heading", { name: kind, level: 1 }).waitFor();
      await page.goto(`${inspector.url.origin}/#/trigger`);
    }
    await until(async () => expect(await inboxOf(receiver).list({})).toHaveLength(12));
    const kinds = (await inboxOf(receiver).list({})).map(({ kind }) => kind);
    expect([...kinds].sort()).toEqual([...eventKinds].sort());
    const [lead] = await inboxOf(receiver).list({ kinds: ["lead.created"] });
    const body = (await inboxOf(receiver).delivery(lead?.seq ?? 0))?.body ?? [];
    expect(String(Buffer.from(body))).toContain('"data":{"id": "mine", "n": 1.50}');
  });

  it("the keyboard works: j and k open, r twice sends again, / searches, Escape goes back", async () => {
    const { inspector, receiver, deliver } = await openInspector({ handler: () => {} });
    for (const kind of ["payment.received", "lead.created", "contact.created"] as const)
      await deliver(kind);
    await untilCounts(receiver, { handled: 3 });
    const page = await newPage.at(inspector.url);
    const chosen = page.locator('.line[aria-selected="true"] .line-name');
    const chooses = (kind: string) =>
      until(async () => expect(await chosen.textContent()).toBe(kind));
    await page.keyboard.press("j");
    await chooses("contact.created");
    await page.getByRole("heading", { name: "contact.created", level: 1 }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await chooses("lead.created");
    await page.getByRole("heading", { name: "lead.created", level: 1 }).waitFor();
    await page.keyboard.press("r");
    await told(page, /Press r again to send #2 again as a new event/);
    expect(await inboxOf(receiver).list({})).toHaveLength(3);
    await page.keyboard.press("r");
    await page.getByRole("heading", { name: "Sent again from #2" }).waitFor();
    expect(await inboxOf(receiver).list({ kinds: ["lead.created"] })).toHaveLength(2);
    await told(page, /answered 200/);
    expect(await page.locator(".message").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.getByText("Select a delivery").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("contact_sample");
    await page.locator(".list[aria-label*=' 1 loaded']").waitFor();
    expect(await page.locator(".line-name").allTextContents()).toEqual(["contact.created"]);
  });

  it("r counts as pressed again for as long as the page asks for it, and not if it is held down", async () => {
    const { inspector, receiver, deliver } = await openInspector({ handler: () => {} });
    await deliver("lead.created");
    await untilCounts(receiver, { handled: 1 });
    const page = await newPage();
    await page.clock.install();
    await openPage(page, inspector.url);
    const asks = /Press r again to send #1 again as a new event/;
    await page.keyboard.press("j");
    await page.keyboard.down("r");
    await page.keyboard.down("r"); // as a key repeats that is held down
    await page.keyboard.up("r");
    await told(page, asks);
    const question = page.getByRole("status").filter({ hasText: asks });
    await page.clock.fastForward(9000);
    await question.waitFor({ state: "detached" });
    await page.keyboard.press("r");
    await question.waitFor();
    await page.clock.fastForward(6000);
    await question.waitFor();
    expect(await inboxOf(receiver).list({})).toHaveLength(1);
    await page.keyboard.press("r");
    await told(page, /answered 200/);
    expect(await inboxOf(receiver).list({})).toHaveLength(2);
  });

  it("the list is filtered by state, kind, time and text, also live, and says if nothing matches", async () => {
    const { inspector, deliver, endpoint } = await openInspector();
    await deliver("payment.received");
    await deliver("contact.created");
    await fetch(endpoint, { method: "POST", body: "x" });
    const page = await newPage.at(inspector.url);
    const names = async (wanted: readonly string[]) =>
      until(async () => expect(await page.locator(".line-name").allTextContents()).toEqual(wanted));
    await names(["the delivery has no signature header", "contact.created", "payment.received"]);
    const chip = (name: string) => page.getByRole("button", { name: new RegExp(` ${name}$`) });
    await chip("refused").click();
    await names(["the delivery has no signature header"]);
    await chip("received").click({ modifiers: ["Control"] });
    await names(["the delivery has no signature header", "contact.created", "payment.received"]);
    await chip("received").click();
    await names(["contact.created", "payment.received"]);
    await page.getByRole("combobox", { name: "Kind" }).selectOption("payment.*");
    await names(["payment.received"]);
    await deliver("lead.created");
    await deliver("payment.overdue");
    await names(["payment.overdue", "payment.received"]);
    await page.getByRole("combobox", { name: "Time" }).selectOption("3600000");
    await names(["payment.overdue", "payment.received"]);
    await chip("dead").click();
    await page.getByText("No matching deliveries").waitFor();
    await click(page, "Show all");
    await until(async () => expect(await page.locator(".line").count()).toBe(5));
  });

  it("a refused delivery, and the changes since the previous event, are explained on the page", async () => {
    const { inspector, deliver } = await openInspector();
    await deliver("property.updated");
    await deliver("property.updated");
    await deliver("property.updated", "another secret that is wrong");
    const page = await newPage.at(inspector.url);
    await page.locator(".line", { hasText: "unauthorized" }).click();
    await page.locator(".step.failed", { hasText: "Signature" }).waitFor();
    expect(await page.locator(".step.failed dd").nth(1).textContent()).toMatch(
      /^sha256=[0-9a-f]{8}… \(only 8 of 64/,
    );
    await page.locator(".line", { hasText: "#2" }).click();
    await page.getByText("Changes since #1").click();
    await page.locator(".change:not(.same)").first().waitFor();
    const changed = await page.locator(".change:not(.same)").allTextContents();
    expect(changed).toHaveLength(2);
    expect(changed.join()).toMatch(/removed: .*"timestamp".*added: .*"timestamp"/);
    await page.getByRole("link", { name: "#1 property.updated" }).click();
    await page.locator(".detail-sub", { hasText: "#1" }).waitFor();
  });

  it("the page says what to do before the first delivery, without a token, and when listen is gone", async () => {
    const { inspector, endpoint } = await openInspector();
    const page = await newPage.at(inspector.url);
    await page.getByText(`npx hookporter trigger --all --url ${endpoint.href}`).waitFor();
    expect(page.url()).not.toContain("token");
    await page.reload();
    await page.locator(".feed-state.live").waitFor();
    const stranger = await newPage();
    await stranger.goto(inspector.url.origin);
    await stranger.getByText("This page needs the token").waitFor();
    await stranger.goto(`${inspector.url.origin}/#token=wrong`);
    await stranger.getByText("This page needs the token").waitFor();
    await inspector.close();
    await page.getByText("listen does not respond").waitFor();
  });
});

/** A target that sends the given answers; it ends with the test. */
async function startTarget(
  answer: (body: Buffer, headers: Record<string, unknown>) => readonly [number, string],
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [status, text] = answer(Buffer.concat(chunks), request.headers);
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
}
