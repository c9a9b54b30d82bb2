import { expect, it } from "vitest";
import type { Sample, Triggered } from "../../../src/inspector/api.ts";
import { folderWithShapes } from "../learn/shapes.ts";
import { listening, listeningForPeople } from "../open-listen.ts";

const PAYMENT = { id: "pay_1001", amount: "12.50" };
const FITS = '{"id":"pay_1","amount":"7.00"}';
const DIFFERS = '{"id":"pay_2","amount":7.5}';

it("a changed sender is told of within one delivery, in the record and on the page", async () => {
  const cwd = folderWithShapes("payment.received", PAYMENT, { events: 3 });
  const { trigger, records, until, api } = await listening([], cwd);
  await trigger("payment.received", "--data", FITS);
  expect(records("drift")).toEqual([]);
  await trigger("payment.received", "--data", DIFFERS);
  const difference = {
    kind: "payment.received",
    path: "data.amount",
    expected: "string (decimal)",
    got: "number",
    seq: 2,
  };
  expect(await until("drift")).toMatchObject([{ ...difference, change: "type changed" }]);
  expect(await api("/api/drifts")).toMatchObject([{ ...difference, what: "type changed" }]);
});

it("a changed sender is told of within one delivery in the terminal", async () => {
  const cwd = folderWithShapes("payment.received", PAYMENT, { events: 3 });
  const { trigger, now } = await listeningForPeople(["--no-inspect"], { cwd });
  await trigger("payment.received", "--data", FITS);
  await trigger("payment.received", "--data", DIFFERS);
  const shown = () => now().stdout + now().stderr;
  await expect
    .poll(shown, { timeout: 15_000 })
    .toContain("data.amount: type changed, expected string (decimal), got number");
  expect(shown()).toMatch(/#2 +! payment\.received +differs/);
});

it("the page's trigger makes up data from the shape file, unless told to send the samples", async () => {
  const kind = "lead.created";
  const { api } = await listening([], folderWithShapes(kind, { id: "lead_1", invented: 1 }));
  for (const fields of [{}, { samples: true }, { data: '{"id":"mine"}' }])
    await api("/api/trigger", { kind, ...fields });
  const bodies = await Promise.all(
    [1, 2, 3].map((seq) => api<{ data: object }>(`/api/entries/${seq}/body`)),
  );
  expect(bodies.map((body) => body.data)).toEqual([
    expect.objectContaining({ invented: expect.any(Number) }),
    expect.not.objectContaining({ invented: expect.anything() }),
    { id: "mine" },
  ]);
  const samples = await api<readonly Sample[]>("/api/samples");
  expect(samples.filter(({ madeUpFrom }) => madeUpFrom !== null)).toMatchObject([
    { kind, madeUpFrom: "src/schemas.shape.json" },
  ]);
});

it("events of the page's trigger and of the command at the same time are no duplicates of each other", async () => {
  const { api, trigger, until, records } = await listening();
  const data = '{"id":"the same"}';
  const fromPage = () =>
    api<readonly Triggered[]>("/api/trigger", { kind: "lead.created", data, count: 40 });
  const [first, second] = await Promise.all([
    fromPage(),
    fromPage(),
    trigger("lead.created", "--data", data, "--count", "40"),
  ]);
  expect([...first, ...second].map(({ word }) => word)).toEqual(Array(80).fill("accepted"));
  await until("delivery", 120);
  expect(records("delivery").filter(({ verdict }) => verdict !== "accepted")).toEqual([]);
});
