import { expect, it } from "vitest";
import { isLoopback } from "../../src/http/is-loopback.ts";

it.each(["localhost", "LOCALHOST.", "app.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "0x7f.1"])(
  "%s is this machine",
  (host) => {
    expect(isLoopback(new URL(`http://${host}:3000/`))).toBe(true);
  },
);

it("other hosts are not this machine, whatever their names begin or end with", () => {
  const names = ["example.com", "localhost.example.com", "127.0.0.1.example.com", "notlocalhost"];
  for (const host of [...names, "0.0.0.0", "192.168.0.1", "[::]"])
    expect([host, isLoopback(new URL(`http://${host}:3000/`))]).toEqual([host, false]);
});
