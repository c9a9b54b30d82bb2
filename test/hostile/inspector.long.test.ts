import { connect } from "node:net";
import { expect, it } from "vitest";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openInspector, raw } from "../inspector/open.ts";
import { caseTitle } from "./catalogue.ts";

const ENTRY = ["", "/body", "/fixture", "/curl", "/previous"].map(
  (path) => `/api/entries/1${path}`,
);
const LISTS = ["status", "overview", "tally", "samples", "entries", "refusals", "refusals/r1"];
const READ = ["/", ...LISTS.map((name) => `/api/${name}`), ...ENTRY, "/api/live", "/no/such/route"];

const RUNS = ["replay", "forward", "retry"].map((name) => `/api/entries/1/${name}`);
const WRITE = [...RUNS, "/api/change", "/api/send", "/api/trigger"];
const EVERYWHERE = [
  ...READ.map((path) => ["GET", path] as const),
  ...WRITE.map((path) => ["POST", path] as const),
  ...["OPTIONS", "HEAD", "PUT", "DELETE", "PATCH"].map(
    (method) => [method, "/api/entries"] as const,
  ),
];

it(
  caseTitle(81, "any other Host is refused on every route and method, before the token is checked"),
  async () => {
    const { port, token } = await openInspector();
    const own = ["evil.example", "localhost.evil.example", "0.0.0.0", "user@127.0.0.1"];
    const others = [`127.0.0.1:${port}.evil.example`, "evil.example", "127.0.0.1", "127.0.0.1:1"];
    for (const host of [...own.map((name) => `${name}:${port}`), ...others, "[::1"]) {
      const headers = { host, authorization: `Bearer ${token}` };
      for (const [method, path] of EVERYWHERE) {
        const answer = await raw(port, path, { method, headers });
        expect([host, path, answer.status]).toEqual([host, path, 403]);
        expect(answer.text).not.toContain("<");
      }
    }
  },
);

it(caseTitle(81, "two Hosts or none are refused, its own names accepted"), async () => {
  const { port, token } = await openInspector();
  const close = "Connection: close\r\n\r\n";
  for (const request of [
    `GET / HTTP/1.1\r\nHost:\r\n${close}`,
    "GET / HTTP/1.0\r\n\r\n",
    `GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n${close}`,
  ])
    expect(await wire(port, request)).toMatch(/^HTTP\/1.1 403/);
  const twice = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil\r\n${close}`;
  expect(await wire(port, twice)).toMatch(/^HTTP\/1.1 40[03]/);
  for (const name of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"]) {
    const headers = { host: `${name}:${port}`, authorization: `Bearer ${token}` };
    expect((await raw(port, "/api/status", { headers })).status).toBe(200);
  }
});

it(caseTitle(82, "every route of the API requires the right token"), async () => {
  const { port, token, api } = await openInspector();
  const bearers = ["Bearer", `Bearer ${token}x`, `Bearer ${token.slice(1)}`];
  const type = { "content-type": "application/json" };
  for (const [method, path] of EVERYWHERE.filter(([, text]) => text.startsWith("/api/"))) {
    for (const authorization of [undefined, "", ...bearers, `Basic ${token}`, token]) {
      const headers = authorization === undefined ? type : { ...type, authorization };
      expect([path, (await raw(port, path, { method, headers })).status]).toEqual([path, 401]);
    }
    const elsewhere = { method, headers: { cookie: `token=${token}` } };
    expect((await raw(port, `${path}?token=${token}`, elsewhere)).status).toBe(401);
  }
  expect((await api("/api/status")).status).toBe(200);
});

it(caseTitle(82, "every route refuses other origins, even with the token"), async () => {
  const { port, token } = await openInspector();
  const near = ["http://127.0.0.1:3000", `https://127.0.0.1:${port}`];
  const strange = [
    ...["https://evil.example", "null", ...near].map((origin) => ({ origin })),
    ...["cross-site", "same-site", "none"].map((site) => ({ "sec-fetch-site": site })),
  ];
  const own = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (const given of strange) {
    for (const [method, path] of EVERYWHERE) {
      const answer = await raw(port, path, { method, headers: { ...given, ...own } });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  }
});

it(
  caseTitle(82, "its own page is accepted, and only the page can be opened from anywhere"),
  async () => {
    const { port, token } = await openInspector();
    const authorization = `Bearer ${token}`;
    const own = { origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" };
    const opened = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" };
    for (const [path, headers, status] of [
      ["/api/status", { ...own, authorization }, 200],
      ["/", opened, 200],
      ["/api/status", { ...opened, authorization }, 403],
      ["/", { ...opened, "sec-fetch-dest": "iframe" }, 403],
    ] as const)
      expect((await raw(port, path, { headers })).status).toBe(status);
  },
);

it(caseTitle(82, "no GET has effects, and only JSON is accepted"), async () => {
  const { port, token, api, deliver, receiver } = await openInspector();
  await deliver("payment.received");
  const before = await inboxOf(receiver).list({});
  const simple = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
  const authorization = `Bearer ${token}`;
  for (const path of WRITE) {
    expect([path, (await api(path)).status]).toEqual([path, 405]);
    for (const type of [...simple, "application/jsonx", ""]) {
      const headers = { authorization, ...(type !== "" && { "content-type": type }) };
      const { status } = await raw(port, path, { method: "POST", headers, body: "{}" });
      expect([path, type, status]).toEqual([path, type, 415]);
    }
  }
  expect(await inboxOf(receiver).list({})).toHaveLength(before.length);
});

it(caseTitle(83, "every response has the protective headers and no CORS header"), async () => {
  const { port, token } = await openInspector();
  const policy = /^default-src 'none'; (?!.*(?:unsafe|\*|https?:)).*frame-ancestors 'none'/;
  for (const [method, path] of EVERYWHERE.filter(([, text]) => text !== "/api/live")) {
    for (const headers of [{}, { authorization: `Bearer ${token}` }, { host: "evil.example" }]) {
      const { headers: got } = await raw(port, path, { method, headers });
      expect(got).toMatchObject({
        "x-content-type-options": "nosniff",
        "content-security-policy": expect.stringMatching(policy),
        "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      expect(Object.keys(got).join(" ")).not.toMatch(/access-control-|set-cookie/);
    }
  }
});

it(
  caseTitle(84, "content of a delivery is served as JSON, plain text or a download, never as HTML"),
  async () => {
    const { api, deliver } = await openInspector();
    const page = "<script>alert(1)</script>";
    await deliver(Buffer.from(page));
    const types = await Promise.all(
      ["", "/body", "/fixture", "/curl"].map(
        async (path) => (await api(`/api/entries/1${path}`)).type,
      ),
    );
    expect(types).toEqual([
      "application/json",
      "application/octet-stream",
      "application/octet-stream",
      "text/plain; charset=utf-8",
    ]);
    const { headers, text } = await api("/api/entries/1/body");
    expect(text).toBe(page);
    expect(headers["content-disposition"]).toMatch(/^attachment; filename="[A-Za-z0-9._-]+"$/);
  },
);

it(
  caseTitle(85, "neither the inspector nor the receiver is reachable through the other's port"),
  async () => {
    const { port, token, endpoint, receiver } = await openInspector();
    const receiverPort = Number(endpoint.port);
    for (const path of [...READ, ...WRITE]) {
      const headers = { authorization: `Bearer ${token}` };
      expect([path, (await raw(receiverPort, path, { headers })).status]).toEqual([path, 404]);
    }
    expect((await raw(port, "/webhooks", { method: "POST", body: "{}" })).status).toBe(404);
    expect(await inboxOf(receiver).list({})).toEqual([]);
  },
);

it(caseTitle(86, "forwarded from the page"), async () => {
  const { api, deliver } = await openInspector();
  await deliver("payment.received");
  const hosts = ["http://169.254.169.254/latest", "https://evil.example/", "//evil.example", ""];
  const hidden = ["http://127.0.0.1@evil.example/", "http://127.0.0.1.evil.example/"];
  const schemes = ["file:///etc/passwd", "http://user:pw@127.0.0.1/", "ftp://127.0.0.1/"];
  for (const to of [...hosts, ...hidden, ...schemes])
    expect([to, (await api("/api/entries/1/forward", { to })).status]).toEqual([to, 400]);
});

it("each run has a random token of 128 bits", async () => {
  const one = await openInspector();
  const other = await openInspector();
  expect(one.token).toMatch(/^[A-Za-z0-9_-]{22}$/);
  expect(one.token).not.toBe(other.token);
});

it(
  caseTitle(89, "the page shows neither the secret nor credentials received with a delivery"),
  async () => {
    const { endpoint, api, deliver, token, port } = await openInspector();
    const kept = await deliver("payment.received");
    const headers = {
      authorization: "Bearer canary-1",
      cookie: "id=canary-2",
      "x-api-key": "canary-3",
      "x-auth-token": "canary-4",
    };
    await fetch(endpoint, { method: "POST", headers, body: "canary-5" });
    expect(kept).toMatchObject({ received: true });
    const paths = [...READ.filter((path) => path !== "/api/live"), "/api/refusals/r1"];
    for (const path of paths) {
      const { text } = await raw(port, path, { headers: { authorization: `Bearer ${token}` } });
      expect(text).not.toMatch(/a secret that is long|canary-/);
      expect(text).not.toContain(token);
    }
    expect((await api("/api/refusals/r1")).json.headers).toMatchObject({
      "x-api-key": "(not shown)",
    });
  },
);

it("the inspector limits request bodies and refuses malformed requests", async () => {
  const { api, port, token } = await openInspector();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (const body of ["[]", "null", "{", "1", '"x"']) {
    expect((await raw(port, "/api/trigger", { method: "POST", headers, body })).status).toBe(400);
  }
  const large = JSON.stringify({ body: "x".repeat(5 * 1024 * 1024) });
  const length = { ...headers, "content-length": String(large.length), expect: "100-continue" };
  expect(await wire(port, head("POST", "/api/send", port, length))).toMatch(
    /^HTTP\/1.1 (?:100 Continue\r\n\r\nHTTP\/1.1 )?413/,
  );
  expect((await api("/api/entries?state=nope")).status).toBe(400);
  expect((await api("/api/entries?limit=-1")).status).toBe(400);
  expect((await api("/api/entries/__proto__")).status).toBe(404);
  expect((await api("/api/constructor")).status).toBe(404);
});

function head(method: string, path: string, port: number, headers: Record<string, string>): string {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, connection: "close", ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** Sends raw bytes; returns everything received until the connection is closed. */
function wire(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      got += String(chunk);
    });
    socket.on("close", () => resolve(got)).on("error", reject);
  });
}
