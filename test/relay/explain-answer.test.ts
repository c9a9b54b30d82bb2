import { describe, expect, it } from "vitest";
import { describeRefusal, explainAnswer, shownLocation } from "../../src/relay/explain-answer.ts";

const target = new URL("http://127.0.0.1:3000/hooks");

function redirect(location?: string, status = 308) {
  return { status, headers: location === undefined ? {} : { location }, body: "<html>Redirecting" };
}

describe("a redirect", () => {
  it.each([
    [
      "a slash at the end",
      "/hooks/",
      "the app wants a slash at the end of the path: use http://127.0.0.1:3000/hooks/",
    ],
    [
      "another machine's slash",
      "http://app.test/hooks/",
      "not followed: use http://app.test/hooks/",
    ],
    [
      "another machine's path without a slash",
      "http://app.test/hook",
      "not followed: use http://app.test/hook if",
    ],
    [
      "https",
      "https://127.0.0.1:3000/hooks",
      "the app wants https: use https://127.0.0.1:3000/hooks",
    ],
    ["https on another port", "https://127.0.0.1:3443/hooks", "use https://127.0.0.1:3443/hooks"],
    [
      "both",
      "https://127.0.0.1/hooks/",
      "https and a slash at the end: use https://127.0.0.1/hooks/",
    ],
    [
      "a login",
      "/users/sign_in",
      "redirects are not followed: use http://127.0.0.1:3000/users/sign_in",
    ],
    ["a login page", "/login?next=/hooks", "exempt /hooks"],
    ["itself", "http://127.0.0.1:3000/hooks", "redirects to itself"],
    ["another machine", "https://app.test/in", "not followed: use https://app.test/in"],
  ])("to %s is explained", (_, location, words) => {
    expect(explainAnswer(target, redirect(location))).toContain(words);
  });

  it("to the path without its slash is explained", () => {
    const slashed = new URL("http://127.0.0.1:3000/hooks/");
    expect(explainAnswer(slashed, redirect("/hooks"))).toBe(
      "the app wants no slash at the end of the path: use http://127.0.0.1:3000/hooks",
    );
    expect(explainAnswer(slashed, redirect("http://app.test/hooks"))).toContain(
      "redirects are not followed",
    );
  });

  it("without an address it can be sent to is explained", () => {
    for (const location of [undefined, "http://", "javascript:alert(1)"]) {
      expect(explainAnswer(target, redirect(location, 302))).toContain("names no address");
      expect(shownLocation(target, redirect(location, 302))).toBeUndefined();
    }
  });

  it("is shown with its address, whose credentials are hidden, and without its page", () => {
    const answer = redirect("//ann:hunter2@app.test/in?token=hunter2#hunter2", 302);
    const told = describeRefusal(target, answer);
    expect(told).toMatch(/^302, Location: http:\/\/…@app\.test\/in\?token=…: /);
    expect(told).not.toMatch(/hunter2|Redirecting/);
  });
});

it("a 401 or 403 is explained by the app's own secret, after what the app said", () => {
  for (const status of [401, 403]) {
    const told = describeRefusal(target, { status, headers: {}, body: "bad signature\n" });
    expect(told).toMatch(new RegExp(`^${status}: bad signature; the app's own secret may differ`));
    expect(told).toMatch(
      /; `hookporter check http:\/\/127\.0\.0\.1:3000\/hooks` looks for the cause$/,
    );
  }
});

it("a refusal for lack of a CSRF token is explained", () => {
  const body = "<html><title>403 Forbidden</title>CSRF verification failed.";
  expect(explainAnswer(target, { status: 403, headers: {}, body })).toContain("exempt /hooks");
  expect(explainAnswer(target, { status: 419, headers: {}, body: "" })).toContain("exempt /hooks");
});

it("a 404 names the path, and suggests one if the target has none", () => {
  const answer = { status: 404, headers: {}, body: "" };
  expect(describeRefusal(target, answer)).toMatch(/^404: the app has nothing for POST at \/hooks/);
  expect(describeRefusal(new URL("http://127.0.0.1:3000"), answer)).toContain(
    "127.0.0.1:3000/webhooks",
  );
});

it("a 405 names the path, the method and the methods that the app takes", () => {
  const told = describeRefusal(target, { status: 405, headers: { allow: "GET, HEAD" }, body: "" });
  expect(told).toContain("does not take POST at /hooks, only GET, HEAD");
});

it("a 413 names the limit to raise", () => {
  const told = describeRefusal(target, {
    status: 413,
    headers: {},
    body: "request entity too large",
  });
  expect(told).toMatch(
    /^413: request entity too large; the app, or a proxy before it, .* raise its limit/,
  );
});

it.each([400, 422, 500, 503])("a %d is shown as the app explained it", (status) => {
  const answer = { status, headers: { location: "/elsewhere" }, body: "amount:\n  not a number" };
  expect(explainAnswer(target, answer)).toBeUndefined();
  expect(describeRefusal(target, answer)).toBe(`${status}: amount: not a number`);
});

it("a refusal without a word is its status", () => {
  expect(describeRefusal(target, { status: 500, headers: {}, body: "" })).toBe("500");
});

it("a long answer leaves room for the explanation", () => {
  const told = describeRefusal(target, { status: 404, headers: {}, body: "x".repeat(5000) });
  expect(told.length).toBeLessThan(400);
  expect(told).toContain("check the path");
});

it("a method that is not taken is explained, with those that are if the app names them", () => {
  const explained = (headers: { allow?: string }) =>
    explainAnswer(target, { status: 405, headers, body: "" });
  const fix = ": check the path, and that its route takes POST";
  expect(explained({})).toBe(`the app does not take POST at /hooks${fix}`);
  expect(explained({ allow: "GET, PUT" })).toBe(
    `the app does not take POST at /hooks, only GET, PUT${fix}`,
  );
});
