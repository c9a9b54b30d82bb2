import { createServer, type IncomingMessage } from "node:http";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { hashToken } from "../../../src/inspector/auth/token.ts";
import { listening } from "../../cli/open-listen.ts";
import { openInspector, recordsInMemory } from "../open.ts";
import { CHROMIUM, choose, openPage, useBrowser } from "./chromium.ts";
import { editorIn } from "./editor.ts";

const UNKNOWN = "[role=status]:has-text('The server on this port does not know this tab')";
const DAY = 24 * 60 * 60 * 1000;

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const newPage = useBrowser();

  it("three tabs keep their place, filter and draft when listen starts again", async () => {
    const first = await openInspector({ tokenRecords: recordsInMemory() });
    await first.close();
    const { tokenRecords, port, inspector, close } = await lived();
    const page = await newPage.at(inspector.url, "/entry/2?state=received");
    const trigger = await openTab(page, `${inspector.url.origin}/#/trigger`);
    await editorIn(trigger, "data").fill('{"draft":1}');
    const edit = await openTab(page, `${inspector.url.origin}/#/entry/1`);
    await choose(edit, "Send again", "Edit and send…");
    await editorIn(edit, "Body").fill('{"draft":2}');
    await close();
    for (const tab of [page, trigger, edit]) await tab.locator(".feed-state.offline").waitFor();
    const again = await lived({ tokenRecords, port });
    for (const tab of [page, trigger, edit]) await tab.locator(".feed-state.live").waitFor();
    expect(new URL(page.url()).hash).toBe("#/entry/2?state=received");
    await page.locator(".detail-head h1").waitFor();
    const chip = page.locator(".chip", { hasText: "received" });
    expect(await chip.getAttribute("aria-pressed")).toBe("true");
    expect(await editorIn(trigger, "data").text()).toBe('{"draft":1}');
    expect(await editorIn(edit, "Body").text()).toBe('{"draft":2}');
    await again.deliver("lead.created");
    await page.locator("#line-e3").waitFor();
  });

  it("a stranger on the port sees no token: from a waiting tab, a tab loaded again, or a new one", async () => {
    const { tokenRecords, port, inspector, token, close } = await lived();
    const page = await newPage.at(inspector.url, "/entry/1");
    const second = await openTab(page, `${inspector.url.origin}/#/overview`);
    await close();
    await page.locator(".feed-state.offline").waitFor();
    await second.locator(".feed-state.offline").waitFor();
    const stranger = await startStranger(port);
    await page.locator(UNKNOWN).waitFor();
    await page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))");
    await page.getByRole("link", { name: "Trigger" }).click();
    expect(stranger.proofs()).toBeGreaterThan(0);
    await second.reload();
    await second.waitForFunction("window.done");
    const fresh = await page.context().newPage();
    await fresh.goto(`${inspector.url.origin}/`);
    await fresh.waitForFunction("window.done");
    for (const tab of [second, fresh]) {
      expect(
        await tab.evaluate(
          "[JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]",
        ),
      ).toEqual(["{}", "{}", ""]);
      expect((await tab.evaluate<string[]>("window.heard")).join()).not.toContain(
        '"admitted":true',
      );
    }
    expect(stranger.seen()).not.toContain(token);
    expect(stranger.seen()).not.toContain(hashToken(token));
    await stranger.close();
    // The strangers' pages are still open, and ask again once the waiting tab is connected.
    await lived({ tokenRecords, port });
    await page.locator(".feed-state.live").waitFor();
    await fresh.evaluate("window.ask()");
    const next = await openTab(page, `${inspector.url.origin}/#/entry/1`);
    const heard = (await fresh.evaluate<string[]>("window.heard")).join();
    expect(heard).toContain('"admitted":true'); // of the tab that was opened from the real server
    expect(heard).not.toContain(token);
    expect(await next.evaluate("document.querySelector('meta[name=ticket]').content")).toMatch(
      /^[\w-]{43}$/,
    );
    expect(await fresh.evaluate<number[]>("window.enter()")).toEqual([401, 401]);
  });

  it("a middle click and a pasted deep link open a second tab, and no token is broadcast", async () => {
    const { inspector, token } = await lived();
    const page = await newPage.at(inspector.url, "/?state=received");
    await page.locator("#line-e1").waitFor();
    await page.evaluate(
      "window.heard = []; new BroadcastChannel('hookporter-inspector').onmessage = ({ data }) => heard.push(JSON.stringify(data))",
    );
    const row = page.locator("#line-e1");
    const middle = () => row.click({ button: "middle" });
    const control = () => row.click({ modifiers: ["ControlOrMeta"] });
    for (const click of [middle, control]) {
      const [opened] = await Promise.all([page.context().waitForEvent("page"), click()]);
      await opened.locator(".feed-state.live").waitFor();
      await opened.locator(".detail-head h1").waitFor();
      expect(new URL(opened.url()).hash).toBe("#/entry/1?state=received");
      expect(new URL(page.url()).hash).toBe("#/?state=received");
    }
    const pasted = await openTab(page, `${inspector.url.origin}/#/entry/2`);
    await pasted.locator(".detail-head h1").waitFor();
    const heard = await page.evaluate<string[]>("window.heard");
    expect(heard.length).toBeGreaterThanOrEqual(3);
    expect(heard.join()).not.toContain(token);
  });

  it("a plain click on a row stays in the tab, and the arrow keys go on from there", async () => {
    const { inspector } = await lived();
    const page = await newPage.at(inspector.url);
    await page.locator("#line-e2").click();
    await page.locator(".detail-head h1").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.waitForFunction("location.hash === '#/entry/1'");
    expect(page.context().pages()).toHaveLength(1);
  });

  it("without a connected tab, a new one says how to get in", async () => {
    const { inspector } = await lived();
    const page = await newPage();
    await page.goto(`${inspector.url.origin}/#/entry/1`);
    await page.getByText("Open the address that it printed").waitFor();
    expect(new URL(page.url()).hash).toBe("#/entry/1");
  });

  it("a token that was not used for 24 hours lets no tab back in", async () => {
    const { tokenRecords, port, inspector, token, close } = await lived();
    const page = await newPage.at(inspector.url);
    await close();
    await page.locator(".feed-state.offline").waitFor();
    const later = await lived({ tokenRecords, port, clock: () => Date.now() + DAY + 1000 });
    await page.locator(UNKNOWN).waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    expect(later.token).not.toBe(token);
    await page.goto(later.inspector.url.href);
    await page.locator(".feed-state.live").waitFor();
  });

  it("two folders that alternate on one port: a tab waits until its own listen is back", async () => {
    const one = await lived();
    const { port } = one;
    const page = await newPage.at(one.inspector.url, "/entry/1");
    await one.close();
    const other = await lived({ port, tokenRecords: recordsInMemory() });
    await page.locator(UNKNOWN).waitFor();
    const otherPage = await page.context().newPage();
    await openPage(otherPage, other.inspector.url, "/entry/2");
    await other.close();
    await lived({ port, tokenRecords: one.tokenRecords });
    await page.locator(".feed-state.live").waitFor();
    expect(new URL(page.url()).hash).toBe("#/entry/1");
    await otherPage.locator(UNKNOWN).waitFor();
  });

  it("a connected tab can be loaded again, and keeps nothing outside sessionStorage", async () => {
    const { inspector } = await lived();
    const page = await newPage.at(inspector.url, "/entry/1");
    await page.reload();
    await page.locator(".feed-state.live").waitFor();
    await page.locator(".detail-head h1").waitFor();
    expect(await page.evaluate("localStorage.length")).toBe(0);
  });

  it("a tab keeps its token when the browser cancels its feed as the page is left, and drops it once it has come back", async () => {
    const { inspector, close } = await lived();
    const page = await newPage.at(inspector.url);
    const kept = "sessionStorage.length";
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))");
    await close();
    await page.locator(".feed-state.offline").waitFor();
    expect(await page.evaluate(kept)).toBe(1);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))");
    // at its next try to connect
    await expect.poll(() => page.evaluate(kept), { timeout: 10_000 }).toBe(0);
  });

  it("a waiting tab sends no token through the service worker of a program that had the port", async () => {
    const { tokenRecords, port, inspector, token, close } = await lived();
    const page = await newPage.at(inspector.url);
    await close();
    await page.locator(".feed-state.offline").waitFor();
    const stranger = await startStranger(port);
    const visited = await page.context().newPage();
    await visited.goto(`${inspector.url.origin}/`);
    await visited.evaluate("navigator.serviceWorker.register('/worker.js').then(() => undefined)");
    await page.waitForFunction("navigator.serviceWorker.controller !== null");
    await stranger.close();
    await lived({ tokenRecords, port });
    await page.locator(UNKNOWN).waitFor();
    await page.waitForFunction(
      "navigator.serviceWorker.getRegistrations().then((all) => all.length === 0)",
    );
    await visited.evaluate("fetch('/api/status', { headers: { authorization: 'a canary' } })");
    await visited.waitForFunction(`${SEEN}.then((text) => text.includes("canary"))`);
    expect(await visited.evaluate<string>(SEEN)).not.toContain(token);
  });

  it("the printed address shows nothing to the service workers of a program that had the port, also after a restart", async () => {
    const stranger = await startStranger(0);
    const { port } = stranger;
    const page = await newPage();
    const visited = await Promise.all(
      ["127.0.0.1", "localhost"].map(async (host) => {
        const tab = await page.context().newPage();
        await tab.goto(`http://${host}:${port}/`);
        await tab.evaluate(
          "navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => undefined)",
        );
        await tab.waitForFunction("navigator.serviceWorker.controller !== null");
        return tab;
      }),
    );
    await stranger.close();
    const flags = ["--inspect-port", String(port)];
    const first = await listening(flags);
    const address = new URL(String(first.first.inspector));
    await openPage(page, address);
    await first.trigger("lead.created");
    await page.locator("#line-e1").click();
    await page.locator(".detail-head h1").waitFor();
    const second = await openTab(page, `${address.origin}/#/entry/1`);
    await first.stop();
    for (const tab of [page, second]) await tab.locator(".feed-state.offline").waitFor();
    const again = await listening(flags, first.cwd);
    expect(new URL(String(again.first.inspector)).origin).toBe(address.origin);
    for (const tab of [page, second]) await tab.locator(".feed-state.live").waitFor();
    const third = await page.context().newPage();
    await openPage(third, new URL(String(again.first.inspector)));
    const tokens = [first, again].map(({ first: ready }) => tokenIn(String(ready.inspector)));
    for (const tab of visited) {
      // what it does see, at its own address
      await tab.evaluate("fetch('/api/status', { headers: { authorization: 'a canary' } })");
      await tab.waitForFunction(`${SEEN}.then((text) => text.includes("canary"))`);
      const seen = await tab.evaluate<string>(SEEN);
      for (const secret of [...tokens, address.hostname]) expect(seen).not.toContain(secret);
    }
    expect(stranger.seen()).not.toContain(address.hostname);
    const lured = await page.context().newPage();
    await lured.goto(String(again.first.inspectorLoopback));
    expect(await lured.evaluate("document.title + location.hash")).toMatch(/^a stranger#token=/);
  });
});

const tokenIn = (address: string) => new URL(address).hash.replace("#token=", "");

/** What the service worker of a stranger has seen. */
const SEEN =
  "caches.open('seen').then((all) => all.keys()).then((keys) => keys.map(({ url }) => decodeURIComponent(url)).join())";

/**
 * An inspector with two entries, whose tokens are remembered; `tokenRecords` and `port` start it
 * again.
 */
async function lived(options: Parameters<typeof openInspector>[0] = {}) {
  const { tokenRecords = recordsInMemory() } = options;
  const opened = await openInspector({ ...options, tokenRecords });
  await opened.deliver("payment.received");
  await opened.deliver("lead.created");
  return { ...opened, tokenRecords };
}

/** Opens an address in a new tab of the same browser, and waits until it is live. */
async function openTab(page: Page, address: string): Promise<Page> {
  const tab = await page.context().newPage();
  tab.setDefaultTimeout(15_000);
  await tab.goto(address);
  await tab.locator(".feed-state.live").waitFor();
  return tab;
}

/**
 * Another program that binds the port: it records every byte, answers every question, and its page
 * asks the other tabs.
 */
async function startStranger(wanted: number) {
  const requests: string[] = [];
  const record = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push(
      [request.method, request.url, request.rawHeaders.join("\n"), Buffer.concat(chunks)].join(
        "\n",
      ),
    );
  };
  const server = createServer(async (request, response) => {
    await record(request);
    const { url = "" } = request;
    if (url === "/worker.js") {
      response.setHeader("content-type", "text/javascript");
      response.end(WORKER);
    } else if (url.startsWith("/api/")) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ proof: "A".repeat(43), token: "A".repeat(43) }));
    } else {
      response.setHeader("content-type", "text/html");
      response.end(
        `<meta name="ticket" content="${"B".repeat(43)}"><script>${STRANGE_PAGE}</script>`,
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(wanted, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const proofs = () => requests.filter((request) => request.includes("/api/proof")).length;
  return { port, close, proofs, seen: () => requests.join("\n\n") };
}

const STRANGE_PAGE = `
  window.heard = [];
  const channel = new BroadcastChannel("hookporter-inspector");
  channel.onmessage = ({ data }) => heard.push(JSON.stringify(data));
  const hash = async (text) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))]
    .map((one) => one.toString(16).padStart(2, "0")).join("");
  window.ask = async () => {
    const { content } = document.querySelector("meta");
    const page = await (await fetch("/")).text().catch(() => "");
    const [, ticket = content] = /name="ticket" content="([^"]+)"/.exec(page) ?? [];
    window.ticket = ticket;
    channel.postMessage({ ticket: await hash(ticket), admitted: false });
  };
  window.enter = () => Promise.all([window.ticket, "x"].map(async (one) => (await fetch("/api/enter", { method: "POST",
    headers: { authorization: "Bearer " + one, "content-type": "application/json" } })).status));
  window.ask().finally(() => setTimeout(() => { window.done = true; }, 300));`;

const WORKER = `
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => {
    const sent = event.request.url + "/" + (event.request.headers.get("authorization") ?? "");
    if (event.request.mode === "navigate") event.respondWith(
      new Response("<title>a stranger</title>", { headers: { "content-type": "text/html" } }));
    event.waitUntil(caches.open("seen").then((c) => c.put("/seen?" + encodeURIComponent(sent), new Response(""))));
  });`;
