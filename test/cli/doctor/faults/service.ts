import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { closedPort } from "../../../relay/tunnel/machine.ts";
import {
  json,
  KEY,
  openService,
  type StandIn,
  sampleProperty,
} from "../../../service/client/service.ts";
import { consentTo } from "../../consent.ts";
import { runCli } from "../../fake-io.ts";
import type { Fault } from "../fault.ts";
import { GOOD_SECRET, type Place } from "../place.ts";

const ELSEWHERE = "https://service.test";
const OTHER_SECRET = "0123456789abcdef0123456789abcdef";

/** Faults of the service, its key, its subscriptions, the clock, and what is in between. */
export const SERVICE_FAULTS: readonly Fault[] = [
  {
    title: "an API key that is not set",
    plant: async (place) => {
      await configure(place);
      delete place.env.HOOKPORTER_API_KEY;
      place.argv.push("HOOKPORTER_API_KEY_ENV=SERVICE_KEY");
    },
    found: {
      check: "service",
      status: "fail",
      message: /expected SERVICE_KEY to contain the API key, got none/,
    },
    fix: /export it, or write it to \.env/,
    follow: (place) => {
      place.env.SERVICE_KEY = KEY;
    },
  },
  {
    title: "a subscription to create at a service without an address",
    plant: (place) => {
      place.env.HOOKPORTER_SUBSCRIBE = "true";
    },
    found: { check: "service", status: "fail", message: /--subscribe needs the service's address/ },
    fix: /^set HOOKPORTER_BASE_URL$/,
    follow: async (place) => {
      await configure(place);
    },
  },
  {
    title: "an API key that the service refuses",
    plant: async (place) => {
      await configure(place);
      place.env.HOOKPORTER_API_KEY = "sk_test_another";
    },
    found: { check: "service", status: "fail", message: /GET \/v1\/properties/ },
    fix: /key/,
    follow: (place) => {
      place.env.HOOKPORTER_API_KEY = KEY;
    },
  },
  {
    title: "a file that would send the environment's API key to its address",
    plant: async (place) => {
      await configure(place);
      const { HOOKPORTER_BASE_URL: baseUrl = "" } = place.env;
      delete place.env.HOOKPORTER_BASE_URL;
      writeFileSync(join(place.cwd, "hookporter.config.json"), JSON.stringify({ baseUrl }));
    },
    found: {
      check: "trust",
      status: "warn",
      message: /^hookporter\.config\.json \(baseUrl\) is ignored: http/,
    },
    fix: /hookporter trust/,
    follow: async (place) => {
      Object.assign(place.env, await consentTo(place.cwd));
    },
  },
  {
    title: "a live key without --live",
    plant: async (place) => {
      await configure(place);
      place.env.HOOKPORTER_API_KEY = "sk_live_4f6dKq";
    },
    found: { check: "service", status: "fail", message: /live/ },
    fix: /--live|test key/,
    follow: (place) => {
      place.env.HOOKPORTER_API_KEY = KEY;
    },
  },
  {
    title: "a service that is not there",
    plant: async (place) => {
      place.env.HOOKPORTER_API_KEY = KEY;
      place.env.HOOKPORTER_BASE_URL = `http://127.0.0.1:${await closedPort()}`;
    },
    found: {
      check: "service",
      status: "fail",
      message: /expected a response from http:\/\/127\.0\.0\.1:\d+, got none/,
    },
    fix: /^start it, or check baseUrl/,
    follow: async (place) => {
      await configure(place);
    },
  },
  {
    title: "a clock that is behind the service's",
    plant: async (place) => {
      const service = await configure(place);
      const date = new Date(Date.now() + 600_000).toUTCString();
      service.next(json(200, { data: [], meta: { total: 0, page: 1, per_page: 25 } }, { date }));
    },
    found: { check: "clock", status: "fail", message: /clock is 10 min behind the service's/ },
    fix: /^set the clock/,
    follow: () => {}, // the service's next answer has this machine's time
  },
  {
    title: "a subscription that was created with another secret",
    plant: async (place) => {
      await configure(place);
      await subscribe(place, { HOOKPORTER_SECRET: OTHER_SECRET });
    },
    found: {
      check: "subscription",
      status: "fail",
      message: /wh_1 was created with another secret \([0-9a-f]{8}\)/,
    },
    fix: /use that secret, or create another subscription with `hookporter listen --subscribe`/,
    follow: (place) => subscribe(place, {}),
  },
  {
    title: "a subscription that leads to another port",
    plant: async (place) => {
      await configure(place);
      await subscribe(place, {}, 1);
    },
    found: {
      check: "subscription",
      status: "warn",
      message: /leads to http:\/\/127\.0\.0\.1:1\/webhooks, not to/,
    },
    fix: /^run `hookporter subscribe http:\/\/127\.0\.0\.1:\d+\/webhooks`, or change --port/,
    follow: async (place, fix) => {
      const [, argv = ""] = /^run `hookporter (.*?)`,/.exec(fix) ?? [];
      const { code, stderr } = await runCli(argv.split(" "), { cwd: place.cwd, env: place.env });
      expect(code, stderr).toBe(0);
    },
  },
  {
    title: "a proxy that requests do not use",
    plant: async (place) => {
      const service = await configure(place);
      const { fetch } = globalThis;
      // Another machine, whose name and certificate cannot exist here.
      vi.stubGlobal("fetch", (url: string | URL, request?: RequestInit) =>
        fetch(String(url).replace(ELSEWHERE, service.url), request),
      );
      onTestFinished(() => void vi.unstubAllGlobals());
      place.env.HOOKPORTER_BASE_URL = ELSEWHERE;
      place.env.https_proxy = "http://proxy.test:3128";
    },
    found: {
      check: "proxy",
      status: "warn",
      message: /^https_proxy is set, but requests to service\.test do not go through a proxy$/,
    },
    fix: /except the host with NO_PROXY$/,
    follow: (place) => {
      place.env.NO_PROXY = "service.test";
    },
  },
];

/** Opens a stand-in of the service, and sets its address and key. */
async function configure(place: Place): Promise<StandIn> {
  const service = await openService({ properties: [sampleProperty(1)] });
  place.env.HOOKPORTER_BASE_URL = service.url;
  place.env.HOOKPORTER_API_KEY = KEY;
  return service;
}

function portOf({ argv }: Place): number {
  return Number(argv[argv.indexOf("--port") + 1]);
}

async function subscribe(
  place: Place,
  env: Record<string, string>,
  port = portOf(place),
  code = 0,
): Promise<void> {
  const all = { ...place.env, HOOKPORTER_SECRET: GOOD_SECRET, ...env };
  const run = await runCli(["subscribe", `http://127.0.0.1:${port}/webhooks`], {
    cwd: place.cwd,
    env: all,
  });
  expect(run.code, run.stderr).toBe(code);
}
