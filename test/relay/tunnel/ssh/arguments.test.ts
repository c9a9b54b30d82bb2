import { expect, it } from "vitest";
import { sshArguments } from "../../../../src/relay/tunnel/ssh/arguments.ts";
import type { SshSettings } from "../../../../src/relay/tunnel/ssh/settings.ts";

const target = { host: "127.0.0.1", port: 4400 };

function argvOf(settings: SshSettings): string {
  return sshArguments(settings, target).join(" ");
}

it.each([
  ["localhost.run", / -R 80:127\.0\.0\.1:4400 -- nokey@localhost\.run$/],
  ["pinggy", / -p 443 -R 0:127\.0\.0\.1:4400 -- free@a\.pinggy\.io$/],
  ["serveo", / -R 80:127\.0\.0\.1:4400 -- hookporter@serveo\.net$/],
] as const)("%s is logged in at as a guest, as its documentation says", (service, end) => {
  expect(argvOf({ service, folder: "/f" })).toMatch(end);
});

it("a service's own user and port are not used for another host, and an IPv6 target is put in brackets", () => {
  const pinggy = (host: string) => argvOf({ service: "pinggy", folder: "/f", host });
  expect(pinggy("paid")).toMatch(/ -R 0:127\.0\.0\.1:4400 -- paid$/);
  expect(pinggy("ssh://me@eu.example.com:2222")).toMatch(
    / -R 0:\S+ -- ssh:\/\/me@eu\.example\.com:2222$/,
  );
  const argv = sshArguments({ service: "serveo", folder: "/f" }, { host: "::1", port: 4400 });
  expect(argv).toContain("80:[::1]:4400");
});

it("a service sees nothing of the user's configuration, which is for servers of the user", () => {
  expect(argvOf({ service: "pinggy", folder: "/f" })).toMatch(/^-T -F none -o /);
  expect(argvOf({ service: "serveo", folder: "/f", host: "paid" })).toMatch(/^-T -F none -o /);
});

it("no session is opened at your own server", () => {
  const publicUrl = "https://x.example.com";
  const argv = argvOf({ host: "box", remotePort: 4401, publicUrl, folder: "/f" });
  expect(argv).toMatch(/^-T .* -N -R 4401:127\.0\.0\.1:4400 -- box$/);
});

it("ssh never asks, never hangs, never accepts a changed key, and exposes only the port", () => {
  const argv = argvOf({ service: "serveo", folder: "/f" });
  for (const option of [
    "BatchMode=yes",
    "ExitOnForwardFailure=yes",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=2",
    "ConnectTimeout=10",
    "StrictHostKeyChecking=accept-new",
    "UserKnownHostsFile=known_hosts",
    "ControlPath=none",
    "ForwardAgent=no",
    "PermitLocalCommand=no",
  ]) {
    expect(argv).toContain(`-o ${option} `);
  }
});
