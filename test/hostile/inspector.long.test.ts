import { connect } from "node:net";
import { expect, it } from "vitest";
import { inboxOf } from "../../src/receiver/inbox-view.ts";
import { openInspector, raw } from "../inspector/open.ts";
import { caseTitle } from "./catalogue.ts";

const READ = [
  "/",
  "/api/status",
  "/api/overview",
  "/api/tally",
  "/api/samples",
  "/api/entries",
  "/api/entries/1",
  "/api/entries/1/body",
  "/api/entries/1/fixture",
  "/api/entries/1/curl",
  "/api/entries/1/previous",
  "/api/refusals",
  "/api/refusals/r1",
  "/api/live",
  "/no/such/route",
];
const WRITE = [
  "/api/entries/1/replay",
  "/api/entries/1/forward",
  "/api/entries/1/retry",
  "/api/change",
  "/api/send",
  "/api/trigger",
];
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
    for (const host of [
      "evil.example",
      "evil.example:PORT",
      "127.0.0.1",
      "127.0.0.1:1",
      "localhost.evil.example:PORT",
      "127.0.0.1:PORT.evil.example",
      "0.0.0.0:PORT",
      "[::1",
      "user@127.0.0.1:PORT",
    ]) {
      const { port, token } = await openInspector();
      const headers = {
        host: host.replace("PORT", String(port)),
        authorization: `Bearer ${token}`,
      };
      for (const [method, path] of EVERYWHERE) {
        const answer = await raw(port, path, { method, headers });
        expect([path, answer.status]).toEqual([path, 403]);
        expect(answer.text).not.toContain("<");
      }
    }
  },
);

it(caseTitle(81, "two Hosts or none are refused, its own names accepted"), async () => {
  const { port, token } = await openInspector();
  expect(
    await wire(
      port,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil\r\nConnection: close\r\n\r\n`,
    ),
  ).toMatch(/^HTTP\/1.1 40[03]/);
  expect(await wire(port, "GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n")).toMatch(
    /^HTTP\/1.1 403/,
  );
  expect(await wire(port, "GET / HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 403/);
  expect(
    await wire(
      port,
      `GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    ),
  ).toMatch(/^HTTP\/1.1 403/);
  for (const name of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"]) {
    const headers = { host: `${name}:${port}`, authorization: `Bearer ${token}` };
    expect((await raw(port, "/api/status", { headers })).status).toBe(200);
  }
});

it(caseTitle(82, "every route of the API requires the right token"), async () => {
  const { port, token, api } = await openInspector();
  const wrong = [
    undefined,
    "",
    "Bearer",
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    `Basic ${token}`,
    token,
  ];
  for (const [method, path] of EVERYWHERE.filter(([, text]) => text.startsWith("/api/"))) {
    for (const authorization of wrong) {
      const headers = {
        ...(authorization !== undefined && { authorization }),
        "content-type": "application/json",
      };
      expect([path, (await raw(port, path, { method, headers })).status]).toEqual([path, 401]);
    }
    expect(
      (await raw(port, `${path}?token=${token}`, { method, headers: { cookie: `token=${token}` } }))
        .status,
    ).toBe(401);
  }
  expect((await api("/api/status")).status).toBe(200);
});

it(caseTitle(82, "every route refuses other origins, even with the token"), async () => {
  const { port, token } = await openInspector();
  const origins = [
    "https://evil.example",
    "null",
    "http://127.0.0.1:3000",
    `https://127.0.0.1:${port}`,
  ];
  const strange = [
    ...origins.map((origin) => ({ origin })),
    ...["cross-site", "same-site", "none"].map((site) => ({ "sec-fetch-site": site })),
  ];
  for (const given of strange) {
    for (const [method, path] of EVERYWHERE) {
      const headers = {
        ...given,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      };
      expect([path, (await raw(port, path, { method, headers })).status]).toEqual([path, 403]);
    }
  }
});

it(
  caseTitle(82, "its own page is accepted, and only the page can be opened from anywhere"),
  async () => {
    const { port, token } = await openInspector();
    const own = {
      origin: `http://127.0.0.1:${port}`,
      "sec-fetch-site": "same-origin",
      authorization: `Bearer ${token}`,
    };
    expect((await raw(port, "/api/status", { headers: own })).status).toBe(200);
    const opened = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" };
    expect((await raw(port, "/", { headers: opened })).status).toBe(200);
    expect(
      (await raw(port, "/api/status", { headers: { ...opened, authorization: own.authorization } }))
        .status,
    ).toBe(403);
    expect(
      (await raw(port, "/", { headers: { ...opened, "sec-fetch-dest": "iframe" } })).status,
    ).toBe(403);
  },
);

it(caseTitle(82, "no GET has effects, and only JSON is accepted"), async () => {
  const { port, token, api, deliver, receiver } = await openInspector();
  await deliver("payment.received");
  const before = await inboxOf(receiver).list({});
  for (const path of WRITE) {
    expect([path, (await api(path)).status]).toEqual([path, 405]);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/jsonx",
      "",
    ]) {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(type !== "" && { "content-type": type }),
      };
      expect([
        path,
        (await raw(port, path, { method: "POST", headers, body: "{}" })).status,
      ]).toEqual([path, 415]);
    }
  }
  expect(await inboxOf(receiver).list({})).toHaveLength(before.length);
});

it(caseTitle(83, "every response has the protective headers and no CORS header"), async () => {
  const { port, token } = await openInspector();
  for (const [method, path] of EVERYWHERE.filter(([, text]) => text !== "/api/live")) {
    for (const headers of [{}, { authorization: `Bearer ${token}` }, { host: "evil.example" }]) {
      const { headers: got } = await raw(port, path, { method, headers });
      expect(Object.keys(got).filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect(got["x-content-type-options"]).toBe("nosniff");
      expect(got["content-security-policy"]).toMatch(
        /^default-src 'none'; .*frame-ancestors 'none'/,
      );
      expect(got["content-security-policy"]).not.toMatch(/unsafe|\*|https?:/);
      expect(got["x-frame-options"]).toBe("DENY");
      expect(got["cross-origin-resource-policy"]).toBe("same-origin");
      expect(got["referrer-policy"]).toBe("no-referrer");
      expect(got["cache-control"]).toBe("no-store");
      expect(got["set-cookie"]).toBeUndefined();
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
  for (const to of [
    "http://169.254.169.254/latest",
    "https://evil.example/",
    "http://127.0.0.1@evil.example/",
    "file:///etc/passwd",
    "http://user:pw@127.0.0.1/",
    "http://127.0.0.1.evil.example/",
    "ftp://127.0.0.1/",
    "//evil.example",
    "",
  ]) {
    const { api, deliver } = await openInspector();
    await deliver("payment.received");
    expect((await api("/api/entries/1/forward", { to })).status).toBe(400);
  }
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
