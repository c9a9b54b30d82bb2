import { expect, it } from "vitest";
import { openTarget } from "../../relay/sample.ts";
import { diagnose, openPlace } from "./place.ts";

it("a target is asked with OPTIONS, and any status is an answer but that of a TLS server", async () => {
  const { url, got } = await openTarget((response) => {
    const tls = "The plain HTTP request was sent to HTTPS port";
    response.writeHead(got.length === 1 ? 405 : 400).end(got.length === 2 ? tls : "");
  });
  const place = await openPlace();
  place.argv.push("--forward-to", url.href);
  const found = async () =>
    (await diagnose(place)).findings.find(({ check }) => check === "target");
  expect(await found()).toMatchObject({
    status: "ok",
    message: expect.stringMatching(/ answers \(405 to OPTIONS\)$/),
  });
  expect(await found()).toMatchObject({
    status: "fail",
    message: expect.stringMatching(/: it speaks TLS, not plain HTTP$/),
    fix: `use https://${url.host}`,
  });
  expect(await found()).toMatchObject({ status: "ok" });
  expect(got[0]).toMatchObject({ method: "OPTIONS", url: "/hooks?a=b", body: Buffer.alloc(0) });
});
