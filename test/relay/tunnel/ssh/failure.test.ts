import { expect, it } from "vitest";
import { type SshEnd, sshFailure } from "../../../../src/relay/tunnel/ssh/failure.ts";

function failureOf(said: readonly string[], end: Partial<SshEnd> = {}) {
  const usual = { host: "box", folder: "/f", exitCode: 255, signal: null, wasUp: false };
  return sshFailure({ ...usual, said, ...end });
}

const DENIED = "me@box: Permission denied (publickey,password).";
const REFUSED = "Error: remote port forwarding failed for listen port 80";

it.each([
  ["ssh_config_invalid", "/home/me/.ssh/config: line 3: Bad configuration option: fowardagent"],
  ["ssh_config_invalid", "Bad owner or permissions on /home/me/.ssh/config"],
  ["ssh_host_key_changed", "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @"],
  ["ssh_host_key_changed", "Host key verification failed."],
  ["ssh_denied", DENIED],
  ["ssh_denied", "Received disconnect from 192.0.2.1: 2: Too many authentication failures"],
  ["ssh_denied", `Load key "/k": incorrect passphrase supplied to decrypt private key\n${DENIED}`],
  ["ssh_denied", `Permissions 0644 for '/k' are too open.\n${DENIED}`],
  ["ssh_denied", `Load key "/k": bad permissions\n${DENIED}`],
  ["ssh_forward_refused", REFUSED],
  ["ssh_forward_refused", `Load key "/other": error in libcrypto\n${REFUSED}`],
  ["ssh_unreachable", "ssh: Could not resolve hostname box: Name or service not known"],
  ["ssh_unreachable", "ssh: connect to host box port 22: Connection timed out"],
  ["ssh_unreachable", "Connection timed out during banner exchange"],
  ["ssh_unreachable", "Timeout, server box not responding."],
  ["ssh_unreachable", "ssh: connect to host box port 22: Connection refused"],
  ["ssh_unreachable", "ssh: connect to host box port 22: No route to host"],
  ["ssh_closed", "Connection to box closed by remote host."],
  ["ssh_closed", "Connection closed by 192.0.2.1 port 22"],
  ["ssh_closed", "kex_exchange_identification: read: Connection reset by peer"],
  ["ssh_closed", "client_loop: send disconnect: Broken pipe"],
  ["ssh_ended", "something that no version says"],
  ["ssh_ended", undefined],
])("%s is recognised in %j", (code, said) => {
  expect(failureOf(said?.split("\n") ?? [])).toMatchObject({ code });
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

it("the message has the file of the expected key, or the signal, and stays short, whatever a server prints", () => {
  const said = ["Offending RSA key in /etc/ssh/ssh_known_hosts:7", "Host key verification failed."];
  expect(failureOf(said).message).toContain("line 7 of /etc/ssh/ssh_known_hosts");
  expect(failureOf([], { exitCode: null, signal: "SIGTERM" }).message).toContain("SIGTERM");
  expect(failureOf([`Permission denied (${"x".repeat(5000)}`]).message.length).toBeLessThan(400);
});

it("a permanent failure is not believed once the tunnel was up", () => {
  const said = [
    "box: Permission denied (publickey).",
    "Host key verification failed.",
    "Connection to box closed by remote host.",
  ];
  expect(failureOf(said, { wasUp: true })).toMatchObject({ code: "ssh_closed", permanent: false });
});
