import { expect, it } from "vitest";
import { SSH_SERVICES } from "../../../src/tunnel/ssh/services.ts";

it.each([
  [
    "localhost.run",
    "x.lhr.life tunneled with tls termination, https://x.lhr.life",
    "https://x.lhr.life",
  ],
  [
    "localhost.run",
    "mine.example.com tunneled with tls termination, https://mine.example.com",
    "https://mine.example.com",
  ],
  [
    "pinggy",
    "https://rnabc-192-0-2-7.a.free.pinggy.link",
    "https://rnabc-192-0-2-7.a.free.pinggy.link",
  ],
  ["serveo", "Forwarding HTTP traffic from https://relego.serveo.net", "https://relego.serveo.net"],
  [
    "serveo",
    "Forwarding HTTP traffic from https://0af.serveousercontent.com",
    "https://0af.serveousercontent.com",
  ],
] as const)("%s: finds the address in %j", (service, line, url) => {
  expect(SSH_SERVICES[service].readUrl(line)).toBe(url);
});

it.each([
  ["localhost.run", "To set up and manage custom domains go to https://admin.localhost.run/"],
  ["localhost.run", "https://localhost.run/docs/"],
  ["localhost.run", "x.lhr.life tunneled with tls termination, https://evil.example.com"],
  ["localhost.run", "127.0.0.1 tunneled with tls termination, https://127.0.0.1"],
  ["pinggy", "http://rnabc.a.free.pinggy.link"],
  ["pinggy", "https://pinggy.io"],
  ["pinggy", "https://dashboard.pinggy.io"],
  ["pinggy", "Upgrade at https://rnabc.a.free.pinggy.link"],
  ["pinggy", "https://localhost"],
  ["pinggy", "https://169.254.169.254"],
  ["pinggy", "https://[::1]"],
  ["pinggy", "https://10.0.0.1:8080"],
  ["pinggy", "https://0x7f.1"],
  ["serveo", "To request a domain of your own, see https://serveo.net/docs"],
  ["serveo", "HTTP request from 192.0.2.1 to https://relego.serveo.net/"],
  ["serveo", "Forwarding HTTP traffic from http://relego.serveo.net"],
  ["serveo", "Forwarding HTTP traffic from https://relego.serveo.net@evil.example.com"],
  ["serveo", "Forwarding HTTP traffic from https://relego.serveo.net:8443"],
] as const)("%s: finds no address in %j", (service, line) => {
  expect(SSH_SERVICES[service].readUrl(line)).toBeUndefined();
});
