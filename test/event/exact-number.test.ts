import { expect, it } from "vitest";
import { exactNumber } from "../../src/entries/index.ts";
import { readEnvelope } from "../../src/event/read-envelope.ts";

const DATA = `{"rent":1e400,"id":9007199254740993,"fee":12.50,"a key":{"b":[1,{"c":-0.1234567890123456789}]},"3":30,
  "text":"9007199254740993","__proto":1}`;
const body = Buffer.from(
  `{"event":"payment.received","timestamp":"2026-01-02T03:04:05Z","data":${DATA},"sequence":18446744073709551615,
    "webhook":{"id":"wh_1","url":"https://app.example"}}`,
);

it.each([
  ["data.rent", "1e400"],
  ["data.id", "9007199254740993"],
  ["data.fee", "12.50"],
  ['data["a key"].b[1].c', "-0.1234567890123456789"],
  ["data[3]", "30"],
  ["sequence", "18446744073709551615"],
  ["data.text", undefined],
  ["data.nothing.at.all", undefined],
  ["data.rent.toString", undefined],
  ["constructor.name.length", undefined],
])("exactNumber reads %s as %s", (path, text) => {
  expect(exactNumber({ body }, path)).toBe(text);
});

it.each(["", "data..rent", "data rent", "data[", "data[-1]", "data['x']"])(
  "refuses the path %j",
  (path) => {
    expect(() => exactNumber({ body }, path)).toThrow(
      new TypeError(`expected a path such as data.rooms[2].area, got ${JSON.stringify(path)}`),
    );
  },
);

it("[case 35] names each number of an event that a double does not hold, under a path that exactNumber takes", () => {
  const read = readEnvelope(body);
  const inexact = read.ok ? read.inexact : [];
  expect(inexact).toEqual([
    { field: "data.rent", message: "sent 1e400, read as Infinity" },
    { field: "data.id", message: "sent 9007199254740993, read as 9007199254740992" },
    {
      field: 'data["a key"].b[1].c',
      message: "sent -0.1234567890123456789, read as -0.12345678901234568",
    },
    { field: "sequence", message: "sent 18446744073709551615, read as 18446744073709552000" },
  ]);
  for (const { field, message } of inexact) expect(message).toContain(exactNumber({ body }, field));
});

it("names at most 20, with their first digits, and none of the event read next", () => {
  const many = JSON.stringify({
    event: "x",
    timestamp: "2026-01-02T03:04:05Z",
    data: { list: [] },
    webhook: { id: "wh_1", url: "" },
  });
  const long = `1.${"1".repeat(100_000)}`;
  const read = readEnvelope(Buffer.from(many.replace("[]", `[${Array(50).fill(long).join(",")}]`)));
  const inexact = read.ok ? read.inexact : [];
  expect(inexact).toHaveLength(20);
  expect(inexact[19]?.field).toBe("data.list[19]");
  expect(Buffer.byteLength(JSON.stringify(inexact))).toBeLessThan(3000);
  expect(readEnvelope(Buffer.from(many))).toMatchObject({ ok: true, inexact: [] });
});
