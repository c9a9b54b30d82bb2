import { expect, it } from "vitest";
import { failure, json, writeAnswer } from "../../src/http/answer.ts";
import { until } from "../receiver/sample.ts";
import { listenNode, send } from "../receiver/wire.ts";

const OK = json(201, { text: "é" }, { "X-Own": "1" });

it("a value becomes JSON with its length in bytes, and headers beside those of the format", () => {
  expect(OK).toEqual({
    status: 201,
    headers: { "Content-Type": "application/json", "Content-Length": "13", "X-Own": "1" },
    body: '{"text":"é"}',
  });
  expect(json(200, {}).headers).toEqual({
    "Content-Type": "application/json",
    "Content-Length": "2",
  });
  expect(failure(404, "not_found", "No.")).toMatchObject({
    status: 404,
    body: '{"error":{"type":"not_found","message":"No."}}',
  });
});

it("an answer is written with its body, which HEAD leaves out", async () => {
  const url = await listenNode((_, response) => void writeAnswer(response, OK));
  expect(await send(url, { method: "GET" })).toMatchObject({
    status: 201,
    text: OK.body,
    headers: { "content-length": "13", "x-own": "1" },
  });
  const head = await send(url, { method: "HEAD" });
  expect(head).toMatchObject({ status: 201, text: "", headers: { "content-length": "13" } });
});

it("an answer that other code has begun is left alone", async () => {
  const url = await listenNode((_, response) => {
    response.writeHead(418).write("tea");
    void writeAnswer(response, OK);
    response.end();
  });
  expect(await send(url, { method: "GET" })).toMatchObject({ status: 418, text: "tea" });
});

it.each(["keep-alive", "close"])(
  "an answer that cannot be written ends its connection, with the reason (Connection: %s)",
  async (connection) => {
    const errors: (Error | null)[] = [];
    const url = await listenNode((_, response) => {
      response.on("close", () => void errors.push(response.errored));
      const headers = { ...OK.headers, Connection: connection, "X-Bad": "line\nbreak" };
      void writeAnswer(response, { ...OK, headers });
    });
    await expect(send(url, { method: "GET" })).rejects.toMatchObject({ code: "ECONNRESET" });
    await until(() => expect(errors).toHaveLength(1));
    expect(errors[0]?.message).toMatch(/^the answer could not be written: .*X-Bad/);
  },
);
