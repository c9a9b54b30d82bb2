import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { HookporterError } from "../../../src/entries/index.ts";
import { sampleEvent } from "../../../src/entries/testing.ts";
import { inboxOf } from "../../../src/receiver/inbox-view.ts";
import { openInspector, untilCounts } from "../open.ts";
import { CHROMIUM, openPage, useBrowser } from "./chromium.ts";

const MARKUP =
  "<img src=x onerror=\"window.owned='img'\"><script>window.owned='script'</script><svg onload=\"window.owned='svg'\">";
/** The heading of the detail; the list has one too, for screen readers. */
const DETAIL_TITLE = ".detail-head h1, .page h1";

const REORDERED = "\u202egnp.exe\u0007\u001b[31m";

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  // A foreign name leads to this machine, as after DNS rebinding.
  const newPage = useBrowser(["--host-resolver-rules=MAP evil.example 127.0.0.1"]);

  it("hostile input 84: hostile input 84: shows markup in every field as text, and never runs it", async () => {
    const handler = () => {
      throw new HookporterError("target_refused", `answered 500: ${MARKUP}`);
    };
    const { inspector, endpoint, deliver, receiver } = await openInspector({
      handler,
      attempts: 1,
    });
    const sample = sampleEvent("property.updated");
    const data = {
      id: MARKUP,
      [MARKUP]: MARKUP,
      link: "javascript:window.owned='link'",
      reordered: REORDERED,
    };
    await deliver({
      ...sample,
      data,
      webhook: { id: `wh_${MARKUP}`, url: "javascript:window.owned='url'" },
    });
    await deliver({ ...sample, event: MARKUP, id: `id ${MARKUP}`, data });
    await deliver({ ...sampleEvent("property.updated"), data: { ...data, more: MARKUP } });
    await deliver(Buffer.from(MARKUP));
    const headers = { "x-markup": MARKUP, "x-service-signature": `sha256=${MARKUP}` };
    await fetch(endpoint, { method: "POST", headers, body: MARKUP });
    await fetch(`${endpoint.origin}/<img/src=x/onerror=window.owned=1>?${encodeURI(MARKUP)}`);
    await untilCounts(receiver, { dead: 4 });
    const page = await newPage.at(inspector.url);
    const views = [
      "/",
      "/entry/1",
      "/entry/2",
      "/entry/3",
      "/entry/4",
      "/refusal/r1",
      "/refusal/r2",
      "/overview",
      "/trigger",
    ];
    for (const view of views) {
      await page.goto(`${inspector.url.origin}/#${view}`);
      const settled = view === "/" ? ".line" : DETAIL_TITLE;
      await page.locator(settled).first().waitFor();
      if (view === "/entry/3") await page.getByText("Changes since #1").click();
      for (const fold of view.startsWith("/entry") ? ["Headers", "Raw", "Record"] : [])
        await page.getByRole("heading", { name: fold, exact: true }).click();
      expect(await page.evaluate("window.owned"), view).toBeUndefined();
      expect(
        await page
          .locator("#app :is(img, script, iframe, object, embed, [onerror], [onload])")
          .count(),
        view,
      ).toBe(0);
      expect(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count(), view).toBe(
        0,
      );
      // lines of a stack
      const text = (await page.locator("#app").textContent())?.replaceAll("\n", "");
      expect(text, view).not.toMatch(/[\p{Bidi_Control}\p{Cc}]/u);
    }
    await page.goto(`${inspector.url.origin}/#/entry/2`);
    expect(await page.locator(DETAIL_TITLE).textContent()).toBe(MARKUP);
    await page.locator(".run .headline", { hasText: "<script>" }).waitFor();
    await page.goto(`${inspector.url.origin}/#/refusal/r1`);
    await page.locator(".headers dd", { hasText: "<img src=x" }).first().waitFor();
    expect(page.troubles).toEqual([]);
  });

  it("hostile inputs 81 to 83: lets a hostile page read nothing, change nothing and frame nothing", async () => {
    const { receiver, deliver, token, port } = await openInspector({ handler: () => {} });
    await deliver("payment.received");
    const attacker = await startAttacker(port, token);
    const before = await inboxOf(receiver).list({});
    for (const origin of [`http://evil.example:${attacker}`, `http://127.0.0.1:${attacker}`]) {
      const page = await newPage();
      await page.goto(`${origin}/`);
      const result = await page.waitForFunction("window.result");
      expect(await result.jsonValue(), origin).toEqual({ read: [], scripts: [], streamed: [] });
      const framed = page.frames().filter((frame) => frame !== page.mainFrame());
      expect(framed.length).toBeGreaterThan(10);
      for (const frame of framed)
        expect(await frame.locator("#app, pre").count(), frame.url()).toBe(0);
    }
    expect(await inboxOf(receiver).list({})).toEqual(before);
  });

  it("hostile input 81: refuses a page whose name was pointed to this machine (DNS rebinding)", async () => {
    const { port, token, deliver } = await openInspector();
    await deliver("payment.received");
    const page = await newPage();
    const opened = await page.goto(`http://evil.example:${port}/#token=${token}`);
    expect(opened?.status()).toBe(403);
    const statuses = await page.evaluate<number[]>(`Promise.all(
      ["/api/entries", "/api/entries/1/body", "/api/live"].map(async (path) =>
        (await fetch(path, { headers: { authorization: "Bearer ${token}" } })).status))`);
    expect(statuses).toEqual([403, 403, 403]);
  });

  it("the token is not kept where another page, a cookie jar or the history could find it", async () => {
    const { inspector, token } = await openInspector();
    const page = await newPage.at(inspector.url);
    expect(page.url()).not.toContain(token);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
    await page.goto("about:blank");
    await page.goBack();
    expect(page.url()).not.toContain(token);
  });

  it("the page requests nothing from other hosts", async () => {
    const { inspector, deliver } = await openInspector();
    await deliver("payment.received");
    const page = await newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    await openPage(page, inspector.url);
    for (const view of ["/entry/1", "/overview", "/trigger"]) {
      await page.goto(`${inspector.url.origin}/#${view}`);
      await page.locator(DETAIL_TITLE).waitFor();
    }
    expect(new Set(asked)).toEqual(new Set([inspector.url.origin]));
    expect(asked.length).toBeGreaterThan(5);
  });
});

/** A page of another origin that tries everything, even with a leaked token. Returns its port. */
async function startAttacker(port: number, token: string): Promise<number> {
  const script = `
    const read = [], scripts = [], streamed = [];
    const targets = ["http://127.0.0.1:${port}", "http://localhost:${port}"];
    const routes = ["/", "/api/status", "/api/entries", "/api/entries/1", "/api/entries/1/body", "/api/live"];
    const effects = ["/api/entries/1/replay", "/api/entries/1/retry", "/api/trigger", "/api/send", "/api/change"];
    const body = JSON.stringify({ kind: "payment.received", body: "{}", exact: false });
    const tokens = [undefined, "Bearer ${token}"];
    const attempt = async (work) => { try { await work(); } catch {} };
    (async () => {
      for (const base of targets) {
        for (const path of routes) for (const authorization of tokens) await attempt(async () => {
          const response = await fetch(base + path, { headers: authorization ? { authorization } : {} });
          read.push([base + path, response.status, (await response.text()).slice(0, 50)]);
        });
        for (const path of effects) {
          for (const type of ["text/plain", "application/json"]) for (const mode of ["cors", "no-cors"]) await attempt(async () => {
            const headers = mode === "cors" ? { "content-type": type, authorization: tokens[1] } : { "content-type": type };
            const response = await fetch(base + path, { method: "POST", mode, headers, body, credentials: "include" });
            if (response.type !== "opaque") read.push([base + path, response.status]);
          });
          const frame = Object.assign(document.createElement("iframe"), { name: "f" + Math.random() });
          const form = Object.assign(document.createElement("form"), { method: "POST", action: base + path, enctype: "text/plain", target: frame.name });
          form.append(Object.assign(document.createElement("input"), { name: body.slice(0, -1) + ',"x":"', value: '"}' }));
          document.body.append(frame, form);
          await attempt(async () => form.submit());
        }
        await Promise.all(routes.map((path) => new Promise((resolve) => {
          const frame = Object.assign(document.createElement("iframe"), { src: base + path, onload: resolve });
          setTimeout(resolve, 500);
          document.body.append(frame);
        })));
        for (const path of routes) await new Promise((resolve) => {
          const tag = Object.assign(document.createElement("script"), { src: base + path, onload: () => { scripts.push(path); resolve(); }, onerror: resolve });
          document.body.append(tag);
        });
        await new Promise((resolve) => {
          const stream = new EventSource(base + "/api/live");
          stream.onopen = () => { streamed.push("sse"); resolve(); };
          stream.onerror = () => { stream.close(); resolve(); };
        });
        await new Promise((resolve) => {
          const socket = new WebSocket(base.replace("http", "ws") + "/api/live");
          socket.onopen = () => { streamed.push("ws"); resolve(); };
          socket.onerror = resolve;
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
      window.result = { read, scripts, streamed };
    })();`;
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<!doctype html><title>prizes</title><body><script>${script}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
