import { createHash, createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { KnownTokens } from "../../../src/inspector/auth/known-tokens.ts";
import { hashToken } from "../../../src/inspector/auth/token.ts";
import { openInspector, raw, recordsInMemory } from "../open.ts";

const HOUR = 60 * 60 * 1000;
const NONCE = "n".repeat(43);
const NAVIGATION = {
  "sec-fetch-dest": "document",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "none",
};

it("the records contain only hashes, and a token is valid in the next run", async () => {
  const tokenRecords = recordsInMemory();
  const first = await openInspector({ tokenRecords });
  await first.close();
  expect(tokenRecords.read()).toEqual([
    { hash: createHash("sha256").update(first.token).digest("hex"), usedAt: expect.any(Number) },
  ]);
  const second = await openInspector({ tokenRecords });
  expect(second.token).not.toBe(first.token);
  expect((await raw(second.port, "/api/status", bearer(first.token))).status).toBe(200);
  expect((await raw(second.port, "/api/status", bearer("A".repeat(43)))).status).toBe(401);
  expect((await raw(second.port, "/api/status", bearer(hashToken(first.token)))).status).toBe(401);
});

it("a token is valid for 24 hours after its last use, not after its run", () => {
  const tokenRecords = recordsInMemory();
  let now = 1_000_000_000_000;
  const run = () => new KnownTokens(tokenRecords, () => now);
  const first = run();
  const authorization = `Bearer ${first.text}`;
  first.close();
  now += 23 * HOUR;
  const second = run();
  const hash = second.find(authorization);
  expect(hash).toBe(hashToken(first.text));
  second.use(hash ?? "")();
  second.close();
  now += 23 * HOUR;
  const third = run();
  expect(third.find(authorization)).toBeDefined();
  third.close(); // it was not used
  now += 2 * HOUR;
  const fourth = run();
  expect(fourth.find(authorization)).toBeUndefined();
  expect(fourth.find(`Bearer ${fourth.text}`)).toBeDefined();
  expect(tokenRecords.read().map((record) => record.hash)).not.toContain(hash);
  fourth.close();
});

it("a token stays in use while a response is open, however long", () => {
  const tokenRecords = recordsInMemory();
  let now = 1_000_000_000_000;
  const run = () => new KnownTokens(tokenRecords, () => now);
  const first = run();
  first.close();
  const second = run();
  const done = second.use(hashToken(first.text));
  now += 30 * HOUR;
  expect(second.find(`Bearer ${first.text}`)).toBeDefined();
  done();
  second.close();
  const third = run();
  expect(third.find(`Bearer ${first.text}`)).toBeDefined();
  third.close();
});

it("at most 50 tokens are remembered, the latest used", () => {
  const tokenRecords = recordsInMemory();
  let now = 1_000_000_000_000;
  const texts = Array.from({ length: 60 }, () => {
    now += 1000;
    const tokens = new KnownTokens(tokenRecords, () => now);
    tokens.close();
    return tokens.text;
  });
  const kept = tokenRecords.read().map(({ hash }) => hash);
  expect(kept).toEqual(texts.slice(10).map(hashToken).reverse());
});

it("two processes in one folder do not lose each other's tokens, and forgotten ones stay forgotten", () => {
  const tokenRecords = recordsInMemory();
  const old = new KnownTokens(tokenRecords, Date.now);
  old.close();
  const tokens = new KnownTokens(tokenRecords, Date.now);
  tokenRecords.write([]);
  const other = new KnownTokens(tokenRecords, Date.now);
  tokens.close();
  other.close();
  const kept = tokenRecords.read().map(({ hash }) => hash);
  expect(kept.sort()).toEqual([tokens.text, other.text].map(hashToken).sort());
});

it("the server proves that it knows a token's hash, only for its own addresses", async () => {
  const { port, token } = await openInspector();
  const proof = async (query: Record<string, string>) => {
    const { status, text } = await raw(port, `/api/proof?${new URLSearchParams(query)}`, {
      headers: { host: `127.0.0.1:${port}` },
    });
    return [status, JSON.parse(text).proof];
  };
  const key = createHash("sha256").update(token).digest();
  const mac = (text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const name = mac("hookporter inspector name");
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    const right = mac(`hookporter inspector proof\n${host}\n${NONCE}`);
    expect(await proof({ name, host, nonce: NONCE })).toEqual([200, right]);
  }
  // A program on another port that passes the question on gets no answer.
  for (const host of [`127.0.0.1:${port + 1}`, "evil.example", ""])
    expect(await proof({ name, host, nonce: NONCE })).toEqual([400, undefined]);
  const host = `127.0.0.1:${port}`;
  expect(await proof({ name: mac("other"), host, nonce: NONCE })).toEqual([404, undefined]);
  for (const nonce of ["", "short", `${NONCE}\n`])
    expect(await proof({ name, host, nonce })).toEqual([400, undefined]);
});

it("a ticket is issued to a tab that opens the page, not to a script or a frame", async () => {
  const { port } = await openInspector();
  expect(await ticketOf(port, NAVIGATION)).toMatch(/^[\w-]{43}$/);
  for (const headers of [
    {},
    { "sec-fetch-dest": "empty", "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" },
    { "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" },
  ])
    expect(await ticketOf(port, headers)).toBe("");
});

it("a ticket is exchanged for the token once, and only after a tab that is in has admitted it", async () => {
  let now = Date.now();
  const { port, token, api } = await openInspector({ clock: () => now });
  const ticket = await ticketOf(port, NAVIGATION);
  const enter = (text: string) => post(port, "/api/enter", text);
  expect((await enter(ticket)).status).toBe(401);
  expect(
    (await post(port, "/api/admit", "A".repeat(43), { ticket: hashToken(ticket) })).status,
  ).toBe(401);
  expect((await api("/api/admit", { ticket })).status).toBe(404);
  expect((await api("/api/admit", { ticket: hashToken(ticket) })).status).toBe(200);
  expect((await enter(hashToken(ticket))).status).toBe(401);
  expect(JSON.parse((await enter(ticket)).text)).toEqual({ token });
  expect((await enter(ticket)).status).toBe(401);
  const late = await ticketOf(port, NAVIGATION);
  now += 31_000;
  expect((await api("/api/admit", { ticket: hashToken(late) })).status).toBe(404);
});

it("the ways in check the host, the origin and the type of content", async () => {
  const { port } = await openInspector();
  const path = `/api/proof?name=x&host=127.0.0.1:${port}&nonce=${NONCE}`;
  expect((await raw(port, path, { headers: { host: "evil.example" } })).status).toBe(403);
  const origin = { host: `127.0.0.1:${port}`, origin: "http://evil.example" };
  expect((await raw(port, "/api/enter", { method: "POST", headers: origin })).status).toBe(403);
  const plain = { host: `127.0.0.1:${port}`, "content-type": "text/plain" };
  expect((await raw(port, "/api/enter", { method: "POST", headers: plain })).status).toBe(415);
  expect(
    (await raw(port, path, { method: "POST", headers: { host: `127.0.0.1:${port}` } })).status,
  ).toBe(405);
});

it("a forwarded address is allowed by name, over HTTP and HTTPS, and still needs the token", async () => {
  const hosts = [
    { name: "localhost", port: 9000 },
    { name: "devbox.test", port: undefined },
  ];
  const { port, token } = await openInspector({ hosts });
  const status = async (host: string, more: Record<string, string> = {}) =>
    (
      await raw(port, "/api/status", {
        headers: { host, authorization: `Bearer ${token}`, ...more },
      })
    ).status;
  for (const host of ["localhost:9000", "devbox.test", `devbox.test:${port}`, `127.0.0.1:${port}`])
    expect(await status(host), host).toBe(200);
  for (const host of ["127.0.0.1:9000", "devbox.test:9000", "a.devbox.test", "localhost", "*"])
    expect(await status(host), host).toBe(403);
  expect(await status("devbox.test", { origin: "https://devbox.test" })).toBe(200);
  expect(await status(`localhost:${port}`, { origin: "https://devbox.test" })).toBe(200);
  expect(await status(`127.0.0.1:${port}`, { origin: `https://127.0.0.1:${port}` })).toBe(403);
  expect(await status("devbox.test", { origin: "https://evil.test" })).toBe(403);
  expect(await status("devbox.test", { authorization: "Bearer x" })).toBe(401);
});

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}` } };
}

function post(port: number, path: string, token: string, body: object = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return raw(port, path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function ticketOf(port: number, headers: Record<string, string>): Promise<string> {
  const { text } = await raw(port, "/", { headers });
  return /<meta name="ticket" content="([^"]*)"/.exec(text)?.[1] ?? "no mark";
}
