import { expect, it } from "vitest";
import { readNetworkFailure } from "../../src/client/network-failure.ts";

/** An error as `fetch` throws it. */
function failed(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}

it("a refusal by a proxy is named, and nothing was sent", () => {
  const inner = new Error("Proxy response (403) !== 200 when HTTP Tunneling");
  const cancelled = new Error("Request was cancelled.", { cause: inner });
  const failure = readNetworkFailure(failed(cancelled));
  expect(failure).toMatchObject({ notSent: true, permanent: false, mayPass: true });
  expect(failure.why).toContain("the proxy answered 403");
});

it.each([
  ["ECONNREFUSED", "connect", { notSent: true, permanent: false, mayPass: true }],
  // the name may not be known yet
  ["ENOTFOUND", "getaddrinfo", { notSent: true, permanent: true, mayPass: true }],
  ["ECONNRESET", "read", { notSent: false, permanent: false, mayPass: true }],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", undefined, { notSent: false, permanent: true, mayPass: false }],
])("%s is judged", (code, syscall, judged) => {
  expect(
    readNetworkFailure(failed(Object.assign(new Error("no"), { code, syscall }))),
  ).toMatchObject(judged);
});
