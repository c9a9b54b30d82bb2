import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { KNOWN_HOSTS, OWN_KEY } from "../../../src/relay/tunnel/ssh/files.ts";
import type {
  OwnSshSettings,
  ServiceSshSettings,
  SshService,
} from "../../../src/relay/tunnel/ssh/settings.ts";
import { ssh } from "../../../src/relay/tunnel/ssh.ts";
import {
  closedPort,
  hasSsh,
  post,
  startAgent,
  startEcho,
  startWay,
  tunnelFolder,
  untilTrue,
} from "./machine.ts";
import { openProvider } from "./reports.ts";
import { BANNERS, newKey, SshServer, startSilentServer } from "./ssh-server.ts";

beforeEach((context) => {
  if (!hasSsh) context.skip("needs the OpenSSH client");
});

const HOSTS: Readonly<Record<SshService, string>> = {
  "localhost.run": "8beaa541ba3dc2.lhr.life",
  pinggy: "rnabc-192-0-2-7.a.free.pinggy.link",
  serveo: "relego.serveo.net",
};

const services = Object.keys(HOSTS) as SshService[];

function hosted(
  service: SshService,
  port: number,
  more: Partial<ServiceSshSettings> = {},
): ServiceSshSettings {
  return { service, host: `ssh://guest@127.0.0.1:${port}`, folder: newFolder(), ...more };
}

function own(port: number, more: Partial<OwnSshSettings> = {}): OwnSshSettings {
  const publicUrl = "https://deliveries.example.com";
  const host = `ssh://porter@127.0.0.1:${port}`;
  return { host, remotePort: 4401, publicUrl, folder: newFolder(), ...more };
}

function newFolder(): string {
  return join(tunnelFolder(), "new", "ssh");
}

it.each(services)(
  "through %s, a tunnel has the service's address, not another one in its banner, and carries bytes both ways",
  async (service) => {
    const server = await SshServer.start({ banner: BANNERS[service](HOSTS[service]) });
    const { reports } = await openProvider(ssh, hosted(service, server.port), await startEcho());
    expect(await reports.up()).toBe(`https://${HOSTS[service]}`);
    expect(reports.all).toHaveLength(1);
    const body = randomBytes(300_000);
    const answer = await post(server.entry, "/webhooks?a=%20b", body);
    expect(answer.path).toBe("/webhooks?a=%20b");
    expect(answer.body.equals(body)).toBe(true);
  },
);

describe("a tunnel that is up", () => {
  it("reports a changed address once", async () => {
    const banner = BANNERS["localhost.run"];
    const server = await SshServer.start({ banner: banner("first.lhr.life") });
    const { reports } = await openProvider(ssh, hosted("localhost.run", server.port));
    await reports.up();
    server.say(banner("first.lhr.life") + banner("second.lhr.life"));
    expect(await reports.up(2)).toBe("https://second.lhr.life");
  });

  it("finds the address in pieces of a line", async () => {
    const server = await SshServer.start({ banner: "" });
    const { reports } = await openProvider(ssh, hosted("serveo", server.port));
    await untilTrue(() => server.sessions === 1);
    for (const piece of [
      "Forwarding HTTP tra",
      "ffic from https://rel",
      "ego.serveo.net",
      "\r\n",
    ]) {
      server.say(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await reports.up()).toBe("https://relego.serveo.net");
  });

  it("fails when the network is lost silently", async () => {
    const server = await SshServer.start({ banner: BANNERS.serveo(HOSTS.serveo) });
    const way = await startWay(server.port);
    const { reports } = await openProvider(ssh, hosted("serveo", way.port, { aliveInterval: 1 }));
    await reports.up();
    way.freeze();
    expect(await reports.failed()).toMatchObject({ code: "ssh_unreachable", permanent: false });
  });

  it("ends ssh when it is closed, and reports nothing more", async () => {
    const server = await SshServer.start({ banner: BANNERS.serveo(HOSTS.serveo) });
    const { reports, tunnel } = await openProvider(ssh, hosted("serveo", server.port));
    await reports.up();
    await tunnel.close();
    await untilTrue(() => server.gone === 1);
    expect(reports.all).toHaveLength(1);
    await tunnel.close(); // a second call must be harmless
  });
});

describe("a service", () => {
  it("gets our own key, always the same, and none of the user's", async () => {
    startAgent(newKey().private);
    const folder = newFolder();
    const server = await SshServer.start({ banner: BANNERS.pinggy(HOSTS.pinggy), lets: "any key" });
    const { reports } = await openProvider(ssh, hosted("pinggy", server.port, { folder }));
    await reports.up();
    const key = readFileSync(join(folder, OWN_KEY));
    expect(statSync(join(folder, OWN_KEY)).mode & 0o077).toBe(0);
    const { reports: again } = await openProvider(ssh, hosted("pinggy", server.port, { folder }));
    await again.up();
    expect(readFileSync(join(folder, OWN_KEY)).equals(key)).toBe(true);
    expect(server.keysShown.size).toBe(1);
    server.options.lets = "nobody";
    const { reports: refused } = await openProvider(ssh, hosted("pinggy", server.port, { folder }));
    await refused.failed();
    expect(server.keysShown.size).toBe(1);
  });

  it("gets the user's key if one is given", async () => {
    const key = newKey();
    const identityFile = join(tunnelFolder(), "key");
    writeFileSync(identityFile, key.private, { mode: 0o600 });
    const banner = BANNERS.serveo(HOSTS.serveo);
    const server = await SshServer.start({ banner, lets: { publicKey: key.public } });
    const settings = hosted("serveo", server.port, { identityFile });
    const { reports } = await openProvider(ssh, settings);
    await reports.up();
    expect(existsSync(join(settings.folder, OWN_KEY))).toBe(false);
  });

  it("is asked for the given domain", async () => {
    const server = await SshServer.start({ banner: BANNERS.serveo("mine.example.com") });
    const settings = hosted("serveo", server.port, { domain: "mine.example.com" });
    const { reports } = await openProvider(ssh, settings);
    expect(await reports.up()).toBe("https://mine.example.com");
    expect(server.asked).toEqual([{ user: "guest", host: "mine.example.com", port: 80 }]);
  });
});

describe("your own server", () => {
  it("is up with the given address once it listens, without a session", async () => {
    const key = newKey();
    const identityFile = join(tunnelFolder(), "key of mine");
    writeFileSync(identityFile, key.private, { mode: 0o600 });
    const server = await SshServer.start({ lets: { publicKey: key.public } });
    const { reports } = await openProvider(
      ssh,
      own(server.port, { identityFile }),
      await startEcho(),
    );
    expect(await reports.up()).toBe("https://deliveries.example.com");
    expect((await post(server.entry, "/", Buffer.from([0, 255, 13, 10]))).body).toEqual(
      Buffer.from([0, 255, 13, 10]),
    );
    expect(server.sessions).toBe(0);
  });

  it("is offered the keys of the user's agent", async () => {
    const key = newKey();
    startAgent(key.private);
    const server = await SshServer.start({ lets: { publicKey: key.public } });
    const { reports } = await openProvider(ssh, own(server.port));
    expect(await reports.up()).toBe("https://deliveries.example.com");
  });

  it("remembers the server's key in our file, which only its owner can read", async () => {
    const server = await SshServer.start();
    const settings = own(server.port);
    const { reports } = await openProvider(ssh, settings);
    await reports.up();
    const known = join(settings.folder, KNOWN_HOSTS);
    await untilTrue(() => existsSync(known));
    expect(readFileSync(known, "utf8")).toContain(
      `[127.0.0.1]:${server.port} ecdsa-sha2-nistp256 `,
    );
    expect(statSync(settings.folder).mode & 0o077).toBe(0);
  });
});

describe("a tunnel that cannot be opened", () => {
  it("reports that the key cannot be used, and which one", async () => {
    const identityFile = join(tunnelFolder(), "key");
    writeFileSync(identityFile, newKey().private);
    chmodSync(identityFile, 0o644);
    const server = await SshServer.start({ lets: "any key" });
    const { reports } = await openProvider(ssh, own(server.port, { identityFile }));
    const { code, permanent, message } = await reports.failed();
    expect({ code, permanent }).toEqual({ code: "ssh_denied", permanent: true });
    expect(message).toContain(identityFile);
  });

  it("reports that the port is not forwarded", async () => {
    const server = await SshServer.start({ forwards: false });
    const { reports } = await openProvider(ssh, own(server.port));
    expect(await reports.failed()).toMatchObject({ code: "ssh_forward_refused", permanent: false });
    expect(reports.urls).toEqual([]);
  });

  it("reports that the server accepts the connection but is silent", async () => {
    const port = await startSilentServer();
    const { reports } = await openProvider(ssh, own(port, { connectTimeout: 1 }));
    expect(await reports.failed()).toMatchObject({ code: "ssh_unreachable", permanent: false });
  });

  it("reports that the host has no address, or that nothing listens there", async () => {
    for (const settings of [own(22, { host: "no-such-host.invalid" }), own(await closedPort())]) {
      const { reports } = await openProvider(ssh, settings);
      expect(await reports.failed()).toMatchObject({ code: "ssh_unreachable", permanent: false });
    }
  });

  it("reports that a service prints no valid address, and ends ssh", async () => {
    const server = await SshServer.start({
      banner: "Forwarding HTTP traffic from https://127.0.0.1\r\nwelcome\r\n",
    });
    const { reports } = await openProvider(
      ssh,
      hosted("serveo", server.port, { addressTimeout: 1 }),
    );
    const { code, permanent, message } = await reports.failed();
    expect({ code, permanent }).toEqual({ code: "ssh_no_address", permanent: false });
    expect(message).toContain("welcome");
    await untilTrue(() => server.gone === 1);
  });

  it("names the host and the fix of a refused login, in one line", async () => {
    const server = await SshServer.start({ lets: "nobody" });
    const { reports } = await openProvider(ssh, own(server.port));
    const { message, fix, code, permanent } = await reports.failed();
    expect({ code, permanent }).toEqual({ code: "ssh_denied", permanent: true });
    expect(message).toMatch(/^[^\n]*: porter@127\.0\.0\.1: Permission denied \([^\n]*$/);
    expect(fix).toContain("sshIdentity");
  });
});
