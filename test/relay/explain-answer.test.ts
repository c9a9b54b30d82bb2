import { describe, expect, it } from "vitest";
import { describeRefusal, explainAnswer } from "../../src/relay/explain-answer.ts";

const HOOKS = "http://127.0.0.1:3000/hooks";

/** What is said of an answer of a target. */
function said(
  status: number,
  body = "",
  headers: { readonly location?: string; readonly allow?: string } = {},
  target = HOOKS,
): string {
  return describeRefusal(new URL(target), { status, headers, body });
}

describe("a redirect", () => {
  const other = (use: string) => `redirects are not followed: use ${use} if that is the endpoint`;
  const none = "redirects are not followed, and this one names no address: check the path";

  it.each([
    ["/hooks", "/hooks/", `the app wants a slash at the end of the path: use ${HOOKS}/`],
    ["/hooks/", "/hooks", `the app wants no slash at the end of the path: use ${HOOKS}`],
    ["/hooks/", "http://app.test/hooks", other("http://app.test/hooks")],
    ["/hooks", "http://app.test/hooks/", other("http://app.test/hooks/")],
    ["/hooks", "http://app.test/hook", other("http://app.test/hook")],
    ["/hooks", "https://app.test/hooks", other("https://app.test/hooks")],
    [
      "/hooks",
      "https://127.0.0.1:3443/hooks",
      "the app wants https: use https://127.0.0.1:3443/hooks",
    ],
    [
      "/hooks",
      "https://127.0.0.1/hooks/",
      "the app wants https and a slash at the end: use https://127.0.0.1/hooks/",
    ],
    ["/hooks", "/users/sign_in", other("http://127.0.0.1:3000/users/sign_in")],
    ["/hooks", "/login?next=%2Fhooks", "the app expects a login: exempt /hooks from it"],
    ["/hooks", HOOKS, "it redirects to itself, which is never followed: check the app's log"],
  ])("of %s to %s is explained, without its page", (path, location, why) => {
    const target = new URL(path, HOOKS);
    const shown = new URL(location, HOOKS).href.replace(/next=.*/, "next=…");
    expect(said(308, "<html>Redirecting", { location }, target.href)).toBe(
      `308, Location: ${shown}: ${why}`,
    );
  });

  it.each([undefined, "http://", "javascript:alert(1)"])(
    "to %s, which is no address, is explained",
    (location) => {
      const headers = location === undefined ? {} : { location };
      expect(said(302, "", headers)).toBe(`302: ${none}`);
    },
  );

  it("is shown without the credentials of its address", () => {
    const location = "//ann:hunter2@app.test/in?token=hunter2#hunter2";
    expect(said(302, "", { location })).toBe(
      `302, Location: http://…@app.test/in?token=…: ${other("http://app.test/in")}`,
    );
  });
});

describe("a refusal", () => {
  const secret =
    "the app's own secret may differ from the one that signed this delivery, or it expects a login: compare the secrets, and the name of the signature header; `hookporter check http://127.0.0.1:3000/hooks` looks for the cause";
  const csrf = "the app expects a CSRF token: exempt /hooks from its CSRF protection";
  const route = "check the path, and that its route takes POST";

  it.each([
    [401, "bad signature\n", {}, `401: bad signature; ${secret}`],
    [403, "", {}, `403: ${secret}`],
    [403, "<html><title>403 Forbidden</title>CSRF failed.", {}, `403: 403 Forbidden; ${csrf}`],
    [419, "", {}, `419: ${csrf}`],
    [405, "", {}, `405: the app does not take POST at /hooks: ${route}`],
    [
      405,
      "",
      { allow: "GET, PUT" },
      `405: the app does not take POST at /hooks, only GET, PUT: ${route}`,
    ],
    [
      413,
      "too large",
      {},
      "413: too large; the app, or a proxy before it, takes no body of this size: raise its limit",
    ],
  ])(
    "with %d, %j and %j is explained, after what the app said",
    (status, body, headers, expected) => {
      expect(said(status, body, headers)).toBe(expected);
    },
  );

  it("with 404 names the path, however much the app said", () => {
    expect(said(404, "x".repeat(5000))).toBe(
      `404: ${"x".repeat(200)}…; the app has nothing for POST at /hooks: check the path of the target, and that the route takes POST`,
    );
  });

  it("with 404 at the root suggests a path", () => {
    expect(said(404, "", {}, "http://127.0.0.1:3000")).toBe(
      "404: the app has nothing for POST at /: add the path of its endpoint, such as 127.0.0.1:3000/webhooks",
    );
  });

  it.each([
    ["nginx", "<center>The plain HTTP request was sent to HTTPS port</center>"],
    ["Go", "Client sent an HTTP request to an HTTPS server."],
    ["Apache", "Reason: You're speaking plain HTTP to an SSL-enabled server port."],
  ])("of plain HTTP by the TLS server of %s is explained", (_, body) => {
    const explained = (status: number, target: string) =>
      explainAnswer(new URL(target), { status, headers: {}, body });
    const use = "it speaks TLS, not plain HTTP: use https://app.test:8443";
    expect(explained(400, "http://app.test:8443/hooks")).toBe(use);
    expect(explained(500, "http://app.test:8443/hooks")).toBeUndefined();
    expect(explained(400, "https://app.test:8443/hooks")).toBeUndefined();
  });

  it.each([299, 400, 422, 500, 503])("with %d is shown as the app explained it", (status) => {
    const headers = { location: "/elsewhere" };
    expect(said(status, "amount:\r\n  not a number\n", headers)).toBe(
      `${status}: amount: not a number`,
    );
    expect(said(status, " \n", headers)).toBe(`${status}`);
  });
});

describe("what the app said", () => {
  it.each([
    ['{\n  "error": "unknown"\n}', '{ "error": "unknown" }'],
    ["3 < 4 and 5 > 4", "3 < 4 and 5 > 4"],
    ["not in <html>", "not in <html>"],
  ])("is one line of text: %j", (body, shown) => {
    expect(said(500, body)).toBe(`500: ${shown}`);
  });

  it("is cut", () => {
    expect(said(500, "x".repeat(900))).toBe(`500: ${"x".repeat(500)}…`);
    expect(said(500, `<html>${"x ".repeat(900)}`)).toBe(`500: ${"x ".repeat(60).trimEnd()}…`);
  });

  it.each([
    [
      "of Flask",
      "<!doctype html>\n<html lang=en>\n<title>405 Method Not Allowed</title>\n<h1>Method Not Allowed</h1>\n<p>The method is",
      "405 Method Not Allowed",
    ],
    [
      "of Express",
      '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot POST /hooks</pre>\n</body>\n</html>\n',
      "Error: Cannot POST /hooks",
    ],
    [
      "of nginx",
      "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.24.0</center>",
      "404 Not Found",
    ],
    [
      "of Django",
      "<!-- page -->\n<html><title>\n  Page not found\n  at /hooks</title>",
      "Page not found at /hooks",
    ],
    [
      "with comments",
      "<html><!-- a > b, <p>hidden</p> --><p>Not found here</p><!-- -->",
      "Not found here",
    ],
    [
      "without a title",
      "<html><style>p { color: red }</style><p>No &quot;id&quot; &amp; no name</p>",
      'No "id" & no name',
    ],
  ])("is the title of a page %s, or its first words", (_, body, shown) => {
    expect(said(500, body)).toBe(`500: ${shown}`);
  });

  it.each(["<!--", "<script "])("takes no time to find in a page of many %s", (begin) => {
    const start = process.cpuUsage();
    said(500, begin.repeat(100_000));
    expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
  });
});
