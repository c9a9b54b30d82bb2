import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TUNNEL_KINDS } from "../../../src/cli/tunnel/kinds.ts";
import type { ProbeResult } from "../../../src/relay/tunnel/probe.ts";
import type { TunnelFailure } from "../../../src/relay/tunnel/provider.ts";
import { TunnelSupervisor } from "../../../src/relay/tunnel/supervisor.ts";
import type { TunnelTiming } from "../../../src/relay/tunnel/timing.ts";
import {
  type ChildListener,
  fixedAddress,
  type StartChild,
} from "../../../src/relay/tunnel/tunnel-child.ts";
import type { TunnelEvent } from "../../../src/relay/tunnel/tunnel-event.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

const WRONG: TunnelFailure = { code: "wrong", message: "wrong", fix: "right it", permanent: false };
const OVER: TunnelFailure = { ...WRONG, code: "over", permanent: true };

/** A child played by a test. */
interface Child extends ChildListener {
  readonly startedAt: number;
  asked: boolean;
  killed: boolean;
}

/** The fate of a request to the public address. */
interface Way {
  leads: (url: string) => boolean;
  answers: boolean;
}

/**
 * A supervisor with children that do what `onStart` says, and a public address that leads where
 * `leadsHere` says.
 */
function supervise({
  onStart = (child) => child.report({ type: "up", url: "https://one.test" }),
  stubborn = false,
  timing = {},
  previousUrl,
  startChild,
  clock = () => performance.now(),
  timeOfDay = () => performance.now(),
  look = async () => true,
}: {
  onStart?: (child: Child, index: number) => void;
  /** Children stay when asked to end, and `kill` has no effect. */
  stubborn?: boolean;
  timing?: Partial<TunnelTiming>;
  previousUrl?: string;
  startChild?: StartChild;
  clock?: () => number;
  timeOfDay?: () => number;
  look?: () => Promise<boolean>;
} = {}) {
  const children: Child[] = [];
  const events: TunnelEvent[] = [];
  const probes: { readonly url: string; readonly at: number; readonly timeout: number }[] = [];
  const here: Way = { leads: () => true, answers: true };
  const start: StartChild = (listener) => {
    const child = { ...listener, startedAt: performance.now(), asked: false, killed: false };
    children.push(child);
    queueMicrotask(() => onStart(child, children.length - 1));
    const end = () => stubborn || queueMicrotask(() => listener.exit("ended"));
    return {
      pid: undefined,
      close: () => {
        child.asked = true;
        end();
      },
      kill: () => {
        child.killed = true;
        end();
      },
    };
  };
  const supervisor = new TunnelSupervisor({
    startChild: startChild ?? start,
    probe: async (url, timeout): Promise<ProbeResult> => {
      probes.push({ url, at: performance.now(), timeout });
      if (!here.answers) {
        await new Promise((resolve) => setTimeout(resolve, timeout));
        return { ok: false, reason: "no answer", timedOut: true };
      }
      return here.leads(url) ? { ok: true } : { ok: false, reason: "elsewhere" };
    },
    onEvent: (event) => events.push(event),
    timing,
    previousUrl,
    clock,
    timeOfDay,
    look,
    random: () => 0.5,
  });
  const states = () =>
    events.map(({ state, failure }) => (failure ? `${state} ${failure.code}` : state));
  return { supervisor, children, events, states, probes, here };
}

it("a tunnel is not online before a probe has arrived, whatever the provider reports", async () => {
  const { states, here, events, probes } = supervise();
  here.leads = () => false;
  await pass(4 * SECOND);
  expect(states()).toEqual(["starting"]);
  expect(probes.length).toBeGreaterThan(5);
  here.leads = () => true;
  await pass(3 * SECOND);
  expect(states()).toEqual(["starting", "online"]);
  expect(events[1]).toMatchObject({ url: "https://one.test", previousUrl: undefined });
});

it("a provider whose address never leads here, or that reports none in time, is restarted", async () => {
  const elsewhere = supervise();
  elsewhere.here.leads = () => false;
  await pass(50 * SECOND);
  expect(elsewhere.states()).toEqual([
    "starting",
    "starting tunnel_unreachable",
    "restarting tunnel_unreachable", // and no more, however often
  ]);
  expect(elsewhere.children.map(({ killed }) => killed)).toEqual([true, true, false]);
  const { states, children } = supervise({ onStart: () => {} });
  await pass(14 * SECOND);
  expect(states()).toEqual(["starting"]);
  await pass(2 * SECOND);
  expect(states()).toEqual(["starting", "restarting tunnel_silent"]);
  expect(children.map(({ killed }) => killed)).toEqual([true, false]);
});

it("a tunnel that was never online is given up after a minute, with the last reason, or closed at once", async () => {
  const failing = () =>
    supervise({ onStart: (child) => child.report({ type: "failed", failure: WRONG }) });
  const { states, supervisor } = failing();
  await pass(MINUTE + SECOND);
  expect(states()).toEqual(["starting", "restarting wrong", "failed wrong"]);
  await supervisor.close();
  expect(states().at(-1)).toBe("failed wrong");
  const closed = failing();
  await pass(10 * SECOND);
  const { length } = closed.children;
  await closed.supervisor.close(); // while it waits for the next start
  await pass(MINUTE);
  expect(closed.children).toHaveLength(length);
  expect(closed.states()).toEqual(["starting", "restarting wrong", "closed"]);
});

it("a tunnel that was online once is never given up, with at most 15 seconds between two starts", async () => {
  const { states, children } = supervise({
    onStart: (child, index) => {
      if (index === 0) child.report({ type: "up", url: "https://one.test" });
      else child.report({ type: "failed", failure: WRONG });
    },
  });
  await pass(SECOND);
  children[0]?.exit("died");
  await pass(60 * MINUTE);
  expect(states()).toEqual(["starting", "online", "restarting tunnel_ended", "restarting wrong"]);
  const starts = children.map(({ startedAt }) => startedAt);
  const pauses = starts
    .slice(1)
    .map((at, index) => at - (starts[index] ?? 0))
    .slice(1);
  expect(pauses[0]).toBeLessThan(SECOND);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(15_000);
  expect(pauses.at(-1)).toBeGreaterThan(11_000);
});

it("restarts are quick again after a long time online", async () => {
  const { children } = supervise();
  await pass(MINUTE);
  for (const turn of [0, 1, 2, 3, 4]) {
    children.at(-1)?.exit("died");
    await pass(SECOND);
    expect(children).toHaveLength(turn + 2);
    await pass(MINUTE);
  }
});

it("a permanent failure ends the tunnel, even after it was online", async () => {
  const { states, children, events } = supervise();
  await pass(SECOND);
  children[0]?.report({ type: "failed", failure: OVER });
  await pass(60 * MINUTE);
  expect(states()).toEqual(["starting", "online", "failed over"]);
  expect(events[2]?.failure).toBe(OVER);
  expect(children.map(({ killed }) => killed)).toEqual([true]);
});

it("a loss that is reported repeatedly does not extend the wait", async () => {
  const { children, here, states } = supervise();
  await pass(SECOND);
  here.leads = () => false;
  for (const second of [1, 2, 3, 4, 5, 6, 7]) {
    children[0]?.report({ type: "down", reason: `cut ${second}` });
    await pass(SECOND);
  }
  expect(states().at(-1)).toBe("restarting tunnel_lost");
  expect(children[0]?.killed).toBe(true);
});

/** A clock like the real one, which does not tick in whole milliseconds. */
const fineClock = () => performance.now() * 1.000_37;

it("a probe's time limit is a whole number of milliseconds, whatever the clock shows", async () => {
  const { probes, here, children } = supervise({ clock: fineClock });
  here.leads = () => false;
  await pass(15 * SECOND);
  here.leads = () => true;
  await pass(4 * SECOND); // in the last 5 seconds of the time for an address to lead here
  children[0]?.report({ type: "down", reason: "cut" });
  here.leads = () => false;
  await pass(10 * SECOND);
  expect(probes.length).toBeGreaterThan(15);
  for (const { timeout } of probes) expect(() => AbortSignal.timeout(timeout)).not.toThrow();
});

it.each([
  [0.4, "leads"],
  [2.7, "leads"],
  [5.2, "leads"],
  [2.7, "answers"],
])(
  "a client that reconnects after %s seconds is not restarted, and is online within a second, also if a probe hangs",
  async (away, what) => {
    const { states, children, here, events } = supervise({ clock: fineClock });
    await pass(SECOND);
    const works = (does: boolean) =>
      Object.assign(here, what === "leads" ? { leads: () => does } : { answers: does });
    works(false);
    children[0]?.report({ type: "down", reason: "cut" });
    await pass(away * SECOND);
    works(true);
    await pass(SECOND);
    expect(states()).toEqual(["starting", "online", "reconnecting tunnel_lost", "online"]);
    expect(events.at(-1)).toMatchObject({ url: "https://one.test", previousUrl: undefined });
    expect(children).toHaveLength(1);
  },
);

it("the reason for a restart says what the probes saw, even if the last one had no time left", async () => {
  const { events, here, children } = supervise({ clock: fineClock });
  await pass(SECOND);
  here.leads = () => false;
  children[0]?.report({ type: "down", reason: "cut" });
  await pass(4 * SECOND);
  here.answers = false;
  await pass(4 * SECOND);
  expect(events.at(-1)).toMatchObject({
    state: "restarting",
    failure: {
      code: "tunnel_lost",
      message: "the connection was lost: cut; the public address: elsewhere",
    },
  });
});

it("a changed address is reported with the previous one, from the same provider, a restart or an earlier run", async () => {
  const { events, children } = supervise({
    previousUrl: "https://zero.test",
    onStart: (child, index) =>
      child.report({ type: "up", url: index === 0 ? "https://one.test" : "https://three.test" }),
  });
  await pass(SECOND);
  children[0]?.report({ type: "up", url: "https://two.test" });
  await pass(SECOND);
  children[0]?.exit("died");
  await pass(SECOND);
  const changes = events.filter(({ state }) => state === "online");
  expect(changes.map(({ previousUrl, url }) => [previousUrl, url])).toEqual([
    ["https://zero.test", "https://one.test"],
    ["https://one.test", "https://two.test"],
    ["https://two.test", "https://three.test"],
  ]);
});

it.each<[string, Partial<Way>]>([
  ["leads elsewhere", { leads: () => false }],
  ["does not answer", { answers: false }],
])("the supervisor itself notices that the address %s", async (_, change) => {
  const { states, here, children } = supervise();
  await pass(SECOND);
  Object.assign(here, change);
  await pass(26 * SECOND); // a probe after 20 seconds, and 5 for it
  expect(states()).toEqual(["starting", "online", "reconnecting tunnel_unreachable"]);
  expect(children).toHaveLength(1);
  await pass(20 * SECOND);
  expect(states().at(-1)).toBe("restarting tunnel_unreachable");
  expect(children[0]?.killed).toBe(true);
});

it("closing asks a child to end, kills it if it does not, and leaves one behind that cannot be killed", async () => {
  const { supervisor, children, states } = supervise({ stubborn: true });
  await pass(SECOND);
  const closed = supervisor.close();
  await pass(SECOND);
  expect(children[0]).toMatchObject({ asked: true, killed: false });
  await pass(3 * SECOND);
  await closed;
  expect(children[0]).toMatchObject({ killed: true });
  expect(states().at(-1)).toBe("closed");
});

const KEPT = {
  startChild: fixedAddress("https://kept.test"),
  timing: { doubt: Number.POSITIVE_INFINITY },
};

it("an address that the user maintains is waited for as long as it takes, but given up if it never led here, with what answers there", async () => {
  const { states, here, supervisor } = supervise(KEPT);
  await pass(SECOND);
  here.leads = () => false;
  await pass(10 * MINUTE);
  here.leads = () => true;
  await pass(30 * SECOND);
  expect(states()).toEqual(["starting", "online", "reconnecting tunnel_unreachable", "online"]);
  await supervisor.close();
  expect(states().at(-1)).toBe("closed");
  const elsewhere = supervise({ ...KEPT, clock: fineClock });
  elsewhere.here.leads = () => false;
  await pass(2 * MINUTE);
  const message = "the public address does not lead here: elsewhere";
  const failure = { code: "tunnel_unreachable", message };
  expect(elsewhere.events.at(-1)).toMatchObject({ state: "failed", failure });
});

/** As for ngrok, which counts requests. */
const COUNTED = { ...TUNNEL_KINDS.ngrok.timing };

it("no probe is sent while deliveries arrive, and a dead address is noticed within 30 seconds of the last", async () => {
  const { supervisor, probes, here, states } = supervise({ timing: COUNTED });
  for (let second = 0; second < 300; second += 10) {
    await pass(10 * SECOND);
    supervisor.arrived();
  }
  expect(probes).toHaveLength(1);
  here.leads = () => false;
  await pass(29 * SECOND);
  expect(states().at(-1)).toBe("reconnecting tunnel_unreachable");
});

it("an address that is not in use is probed every 5 minutes, and often again from the next delivery on", async () => {
  const { supervisor, probes, here, states } = supervise({ timing: COUNTED });
  await pass(10 * MINUTE);
  expect(probes.length).toBeGreaterThan(25);
  const before = probes.length;
  await pass(60 * MINUTE);
  expect(probes.length - before).toBeLessThanOrEqual(13);
  supervisor.arrived();
  here.answers = false;
  await pass(29 * SECOND);
  expect(states().at(-1)).toBe("reconnecting tunnel_unreachable");
});

it("an address that stays dead is not probed without end: restarts are up to 5 minutes apart", async () => {
  const { probes, here } = supervise({ timing: COUNTED });
  await pass(SECOND);
  here.leads = () => false;
  await pass(60 * MINUTE);
  const before = probes.length;
  await pass(60 * MINUTE);
  expect(probes.length - before).toBeGreaterThan(60);
  expect(probes.length - before).toBeLessThan(200);
});

it("the budget limits the probes of an address that is always in use", async () => {
  const { supervisor, probes } = supervise({ timing: COUNTED });
  const hours = 30;
  for (let minute = 0; minute < hours * 60; minute += 5) {
    await pass(5 * MINUTE);
    supervisor.arrived();
  }
  expect(probes.length).toBeGreaterThan(200);
  expect(probes.length).toBeLessThanOrEqual(201 + hours * 12);
});

/**
 * A tunnel that was online once, whose provider fails from then on: its restarts are 15 seconds
 * apart.
 */
async function failingSince(options: Parameters<typeof supervise>[0]) {
  const state = { fails: false };
  const supervised = supervise({
    ...options,
    onStart: (child) =>
      child.report(
        state.fails ? { type: "failed", failure: WRONG } : { type: "up", url: "https://one.test" },
      ),
  });
  await pass(SECOND);
  state.fails = true;
  supervised.children[0]?.report({ type: "failed", failure: WRONG });
  await pass(2 * MINUTE);
  const { children } = supervised;
  /** Milliseconds until the next start, from the one before. */
  const nextPause = async () => {
    const { length } = children;
    while (children.length === length) await pass(10);
    return (children.at(-1)?.startedAt ?? 0) - (children.at(-2)?.startedAt ?? 0);
  };
  await nextPause();
  return { ...supervised, nextPause };
}

it.each(["the network is back", "a sleep, during which timers stood still,"])(
  "a restart waits no longer than a second after %s",
  async (what) => {
    const state = { up: false, slept: 0 };
    const { nextPause } = await failingSince(
      what.startsWith("a sleep")
        ? { timeOfDay: () => performance.now() + state.slept }
        : { look: async () => state.up },
    );
    await pass(3 * SECOND);
    Object.assign(state, { up: true, slept: MINUTE });
    expect(await nextPause()).toBeLessThanOrEqual(4 * SECOND);
    expect(await nextPause()).toBeGreaterThan(10 * SECOND); // nothing has changed since
  },
);
