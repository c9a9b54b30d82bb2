import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/relay/random.ts";
import { openReceiver } from "./open.ts";
import { deliveryOf, envelope, gate, inboxFile, until } from "./sample.ts";

const orderBy = ({ data }: { data: Record<string, unknown> }) =>
  data.property === undefined ? undefined : String(data.property);

describe("orderBy", () => {
  const open = async (options: object = {}) => {
    const opened = await openReceiver({ orderBy, ...options });
    let next = 0;
    const deliver = async (property: string | undefined) => {
      const id = next++;
      await opened.receiver.accept(deliveryOf(envelope({ data: { id, property } })));
      return id;
    };
    const states = async () => (await opened.entries()).map(({ state }) => state);
    return { ...opened, deliver, states };
  };

  it("runs entries with the same key one at a time in order of arrival, and other keys in parallel", async () => {
    const { receiver, deliver, states } = await open({ concurrency: 50 });
    const running = new Set<unknown>();
    const order = new Map<unknown, number[]>();
    let together = 0;
    const random = seededRandom(6);
    receiver.on("*", async ({ data }) => {
      expect(running.has(data.property)).toBe(false);
      running.add(data.property);
      together = Math.max(together, running.size);
      await new Promise((resolve) => setTimeout(resolve, random() * 4));
      order.set(data.property, [...(order.get(data.property) ?? []), data.id as number]);
      running.delete(data.property);
    });
    for (let number = 0; number < 60; number++) await deliver(`prop_${number % 6}`);
    await until(async () =>
      expect((await states()).every((state) => state === "handled")).toBe(true),
    );
    expect(together).toBeGreaterThan(2);
    expect(order.size).toBe(6);
    for (const ids of order.values()) expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });

  it("runs the next entry of a key in an inbox file as soon as the one before has ended", async () => {
    // No poll is due, so the end of one entry must start the next.
    const { receiver, deliver, states } = await open({ inbox: inboxFile(), poll: 60_000 });
    const held = gate();
    const ran: unknown[] = [];
    receiver.on("*", async ({ data }) => {
      await held.opened;
      ran.push(data.id);
    });
    for (const property of ["a", "a", "a"]) await deliver(property);
    await until(async () => expect(await states()).toEqual(["running", "waiting", "waiting"]));
    held.open();
    await until(async () => expect(await states()).toEqual(["handled", "handled", "handled"]));
    expect(ran).toEqual([0, 1, 2]);
  });

  it("keeps the order if the first entry fails and waits", async () => {
    const { receiver, deliver, clock, states } = await open();
    const ran: number[] = [];
    receiver.on("*", ({ data }, { attempt }) => {
      if (data.id === 0 && attempt === 1) throw new Error("not yet");
      ran.push(data.id as number);
    });
    for (const property of ["a", "a", "b"]) await deliver(property);
    await until(() => expect(ran).toEqual([2]));
    await until(async () => expect(await states()).toEqual(["failing", "waiting", "handled"]));
    clock.now += 2000;
    await until(() => expect(ran).toEqual([2, 0, 1]));
  });

  it.each([
    ["skip", ["dead", "handled"]],
    ["block", ["dead", "waiting"]],
  ] as const)("lets a dead letter %s", async (deadLetterOrder, expected) => {
    const { receiver, deliver, states } = await open({ deadLetterOrder, retry: { attempts: 1 } });
    receiver.on("*", ({ data }) => {
      if (data.id === 0) throw new Error("never");
    });
    await deliver("a");
    await deliver("a");
    await deliver("b");
    await until(async () => expect(await states()).toEqual([...expected, "handled"]));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await states()).toEqual([...expected, "handled"]);
  });

  it("may return a very long text, of which a digest is the key", async () => {
    const { receiver, entry } = await openReceiver({ orderBy: () => "x".repeat(300) });
    await receiver.accept(deliveryOf(envelope()));
    expect((await entry()).orderKey).toMatch(/^evt_1_[0-9a-f]{40}$/);
  });

  it.each([null, undefined])("sets no order if it returns %s", async (none) => {
    const { deliver, receiver, entries } = await open({ orderBy: () => none });
    const held = gate();
    receiver.on("*", () => held.opened);
    await deliver("a");
    await deliver("a");
    await until(async () =>
      expect((await entries()).map(({ state }) => state)).toEqual(["running", "running"]),
    );
    held.open();
  });

  it("leads to a logged error and no entry if it returns anything but a text", async () => {
    for (const given of [7, {}, "", Number.NaN]) {
      const { receiver, entries, lines } = await openReceiver({ orderBy: () => given as never });
      const outcome = await receiver.accept(deliveryOf(envelope()));
      expect(outcome).toMatchObject({ type: "misconfigured" });
      expect(await entries()).toEqual([]);
      expect(lines).toMatchObject([{ level: "error", fields: { code: "option_invalid" } }]);
    }
  });

  it("may throw for data that does not fit: the dead letter has no order", async () => {
    const { receiver, entry } = await openReceiver({
      orderBy: ({ data }) => (data.owner as { id: string }).id,
    });
    await receiver.accept(deliveryOf(envelope({ event: "property.created", data: { id: 5 } })));
    expect(await entry()).toMatchObject({ state: "dead", reason: "invalid_data", orderKey: null });
  });
});
