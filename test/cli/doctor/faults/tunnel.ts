import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";
import type { Place } from "../place.ts";

/** Faults of what a tunnel needs. */
export const TUNNEL_FAULTS: readonly Fault[] = [
  {
    title: "a tunnel of ngrok without an authtoken",
    plant: (place) => {
      place.env.HOME = place.cwd; // without a configuration of ngrok's
      place.argv.push("--tunnel", "ngrok");
    },
    found: { check: "tunnel", status: "fail", message: /expected an ngrok authtoken, got none/ },
    fix: /^set NGROK_AUTHTOKEN/,
    follow: (place) => {
      place.env.NGROK_AUTHTOKEN = "2abc";
    },
  },
  {
    title: "a configuration of ngrok that others may read",
    plant: (place) => {
      place.env.HOME = place.cwd;
      place.env.XDG_CONFIG_HOME = join(place.cwd, "config");
      mkdirSync(join(place.cwd, "config", "ngrok"), { recursive: true });
      writeOpen(place, join("config", "ngrok", "ngrok.yml"), "authtoken: 2abc\n");
      place.argv.push("--tunnel", "ngrok");
    },
    found: {
      check: "tunnel",
      status: "warn",
      message: /may read ngrok's authtoken in .*ngrok\.yml \(mode 0644\)/,
    },
    fix: /^chmod 600 \S+ngrok\.yml$/,
  },
  {
    title: "a private key that ssh would refuse",
    plant: (place) => {
      writeOpen(place, "id_test", "key\n");
      place.argv.push("--tunnel", "localhost.run", "HOOKPORTER_SSH_IDENTITY=id_test");
    },
    found: { check: "tunnel", status: "fail", message: /ssh refuses .*id_test/ },
    fix: /^chmod 600 \S+id_test$/,
  },
  {
    title: "a tunnel whose program is not installed",
    plant: (place) => {
      place.env.PATH = "/nowhere";
      place.argv.push("--tunnel", "bore");
    },
    found: { check: "tunnel", status: "fail", message: /the program bore cannot be found/ },
    fix: /^install bore/,
    follow: (place) => {
      writeFileSync(join(place.cwd, "bore"), "#!/bin/sh\n", { mode: 0o755 });
      place.env.PATH = place.cwd;
    },
  },
];

function writeOpen({ cwd }: Place, name: string, text: string): void {
  writeFileSync(join(cwd, name), text);
  chmodSync(join(cwd, name), 0o644);
}
