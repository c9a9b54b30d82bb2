import { expect, it } from "vitest";
import { type SshEnd, sshFailure } from "../../../src/tunnel/ssh/failure.ts";

function failureOf(said: readonly string[], end: Partial<SshEnd> = {}) {
  return sshFailure({
    host: "box",
    folder: "/f",
    said,
    exitCode: 255,
    signal: null,
    wasUp: false,
    ...end,
  });
}

it.each([
  ["ssh_config_invalid", ["/home/me/.ssh/config: line 3: Bad configuration option: fowardagent"]],
  ["ssh_config_invalid", ["Bad owner or permissions on /home/me/.ssh/config"]],
  [
    "ssh_host_key_changed",
    ["@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @", "Host key verification failed."],
  ],
  ["ssh_denied", ["me@box: Permission denied (publickey,password)."]],
  [
    "ssh_denied",
    ["Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures"],
  ],
  [
    "ssh_denied",
    [
      'Load key "/k": incorrect passphrase supplied to decrypt private key',
      "me@box: Permission denied (publickey).",
    ],
  ],
  [
    "ssh_denied",
    [
      "Permissions 0644 for '/k' are too open.",
      'Load key "/k": bad permissions',
      "me@box: Permission denied (publickey).",
    ],
  ],
  ["ssh_forward_refused", ["Error: remote port forwarding failed for listen port 80"]],
  [
    "ssh_forward_refused",
    [
      'Load key "/other": error in libcrypto',
      "Error: remote port forwarding failed for listen port 80",
    ],
  ],
  ["ssh_unreachable", ["ssh: Could not resolve hostname box: Name or service not known"]],
  ["ssh_unreachable", ["ssh: connect to host box port 22: Connection timed out"]],
  ["ssh_unreachable", ["Connection timed out during banner exchange"]],
  ["ssh_unreachable", ["Timeout, server box not responding."]],
  ["ssh_unreachable", ["ssh: connect to host box port 22: Connection refused"]],
  ["ssh_unreachable", ["ssh: connect to host box port 22: No route to host"]],
  ["ssh_closed", ["Connection to box closed by remote host."]],
  ["ssh_closed", ["Connection closed by 192.0.2.1 port 22"]],
  ["ssh_closed", ["kex_exchange_identification: read: Connection reset by peer"]],
  ["ssh_closed", ["client_loop: send disconnect: Broken pipe"]],
  ["ssh_ended", ["something that no version says"]],
  ["ssh_ended", []],
])("%s is recognised in %j", (code, said) => {
  expect(failureOf(said)).toMatchObject({ code });
});

it("informational lines are not mistaken for the reason", () => {
  const said = [
    "debug1: Connection timed out in another attempt",
    "Warning: Permanently added 'box' (ED25519) to the list of known hosts.",
    "Transferred: sent 2000, received 2000 bytes, in 1.0 seconds",
  ];
  expect(failureOf(said)).toMatchObject({
    code: "ssh_ended",
    message: "ssh exited: box: exit code 255",
  });
});

it("the file of the expected key is named, the system's with its own path", () => {
  const said = ["Offending RSA key in /etc/ssh/ssh_known_hosts:7", "Host key verification failed."];
  expect(failureOf(said).message).toContain("line 7 of /etc/ssh/ssh_known_hosts");
});

it("a permanent failure is not believed once the tunnel was up", () => {
  const said = [
    "box: Permission denied (publickey).",
    "Host key verification failed.",
    "Connection to box closed by remote host.",
  ];
  expect(failureOf(said, { wasUp: true })).toMatchObject({ code: "ssh_closed", permanent: false });
});

it("the signal that ended ssh is named", () => {
  expect(failureOf([], { exitCode: null, signal: "SIGTERM" }).message).toContain("SIGTERM");
});

it("messages stay short, whatever a server prints", () => {
  expect(failureOf([`Permission denied (${"x".repeat(5000)}`]).message.length).toBeLessThan(400);
});
