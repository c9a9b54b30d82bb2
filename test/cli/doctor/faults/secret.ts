import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";
import { GOOD_SECRET, writeEnvFile } from "../place.ts";

/** Faults of secrets and the env file. */
export const SECRET_FAULTS: readonly Fault[] = [
  {
    title: "no secret in production",
    plant: (place) => {
      rmSync(join(place.cwd, ".env"));
      place.env.NODE_ENV = "production";
    },
    found: { check: "secret", status: "fail", message: /got no secret/ },
    fix: /export HOOKPORTER_SECRET, write it to \.env/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "a placeholder as the secret",
    plant: (place) => writeEnvFile(place, "HOOKPORTER_SECRET=changeme\n"),
    found: { check: "secret", status: "fail", message: /placeholder/ },
    fix: /openssl rand -hex 32/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "an empty secret",
    plant: (place) => writeEnvFile(place, "HOOKPORTER_SECRET=\n"),
    found: { check: "secret", status: "fail", message: /empty/ },
    fix: /set it to the subscription's secret/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "a short secret",
    plant: (place) => writeEnvFile(place, "HOOKPORTER_SECRET=k3xQ9z\n"),
    found: { check: "secret", status: "warn", message: /only 6 bytes/ },
    fix: /at least 16 random ones/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "quotes around the secret",
    plant: (place) => {
      rmSync(join(place.cwd, ".env"));
      place.env.HOOKPORTER_SECRET = `"${GOOD_SECRET}"`;
    },
    found: { check: "secret", status: "warn", message: /quotes around it/ },
    fix: /write HOOKPORTER_SECRET without them/,
    follow: (place) => {
      place.env.HOOKPORTER_SECRET = GOOD_SECRET;
    },
  },
  {
    title: "white space around the secret",
    plant: (place) => writeEnvFile(place, `HOOKPORTER_SECRET="${GOOD_SECRET} "\n`),
    found: { check: "secret", status: "warn", message: /white space around it/ },
    fix: /write HOOKPORTER_SECRET without them/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "two secrets in one variable",
    plant: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET},${GOOD_SECRET}-old\n`),
    found: {
      check: "env file",
      status: "warn",
      message: /HOOKPORTER_SECRET looks like 2 secrets with commas between them/,
    },
    fix: /the previous one to HOOKPORTER_SECRET_PREVIOUS$/,
    follow: (place) =>
      writeEnvFile(
        place,
        `HOOKPORTER_SECRET=${GOOD_SECRET}\nHOOKPORTER_SECRET_PREVIOUS=${GOOD_SECRET}-old\n`,
      ),
  },
  {
    title: "the previous secret under a name that nothing reads",
    plant: (place) =>
      writeEnvFile(
        place,
        `HOOKPORTER_SECRET=${GOOD_SECRET}\nHOOKPORTER_SECRET_OLD=${GOOD_SECRET}-old\n`,
      ),
    found: {
      check: "env file",
      status: "warn",
      message: /nothing reads the variable HOOKPORTER_SECRET_OLD/,
    },
    fix: /the previous one HOOKPORTER_SECRET_PREVIOUS$/,
    follow: (place) =>
      writeEnvFile(
        place,
        `HOOKPORTER_SECRET=${GOOD_SECRET}\nHOOKPORTER_SECRET_PREVIOUS=${GOOD_SECRET}-old\n`,
      ),
  },
  {
    title: "a misspelt variable in .env",
    plant: (place) =>
      writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\nHOOKPORTER_INBOKS=x.db\n`),
    found: {
      check: "env file",
      status: "warn",
      message: /nothing reads the variable HOOKPORTER_INBOKS of \.env/,
    },
    fix: /did you mean HOOKPORTER_INBOX\?/,
    follow: (place) => writeEnvFile(place, `HOOKPORTER_SECRET=${GOOD_SECRET}\n`),
  },
  {
    title: "a misspelt variable in the environment",
    plant: (place) => {
      place.env.HOOKPORTER_LISTENPORT = "4401";
    },
    found: {
      check: "env file",
      status: "warn",
      message: /HOOKPORTER_LISTENPORT of the environment/,
    },
    fix: /did you mean HOOKPORTER_LISTEN_PORT\?/,
    follow: (place) => {
      delete place.env.HOOKPORTER_LISTENPORT;
    },
  },
  {
    title: "an env file that is in git",
    plant: (place) => {
      for (const argv of [
        ["init", "-q"],
        ["add", ".env"],
      ])
        execFileSync("git", argv, { cwd: place.cwd });
    },
    found: { check: "env file", status: "fail", message: /\.env holds keys, and is in git/ },
    fix: /^run git rm --cached \.env, add it to \.gitignore/,
    follow: (place) => execFileSync("git", ["rm", "-q", "--cached", ".env"], { cwd: place.cwd }),
  },
  {
    title: "a secret of another encoding that is used as text",
    plant: (place) =>
      writeEnvFile(
        place,
        `HOOKPORTER_SECRET=whsec_${Buffer.from(GOOD_SECRET).toString("base64")}\n`,
      ),
    found: { check: "secret", status: "warn", message: /begins with whsec_/ },
    fix: /HOOKPORTER_SECRET_ENCODING to whsec/,
    follow: (place) => place.argv.push("HOOKPORTER_SECRET_ENCODING=whsec"),
  },
  {
    title: "another version of the package in the project",
    plant: (place) => {
      const folder = join(place.cwd, "node_modules", "hookporter");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "package.json"), '{ "name": "hookporter", "version": "0.0.1" }');
    },
    found: { check: "node", status: "warn", message: /the project has 0\.0\.1 in node_modules/ },
    fix: /npx hookporter/,
    follow: (place) => rmSync(join(place.cwd, "node_modules"), { recursive: true }),
  },
  {
    title: "a secret in the environment that differs from the one in .env",
    plant: (place) => {
      place.env.HOOKPORTER_SECRET = "another-secret-that-is-long-enough";
    },
    found: {
      check: "env file",
      status: "warn",
      message: /in the environment .* is used, not the one in \.env/,
    },
    fix: /^unset HOOKPORTER_SECRET/,
    follow: (place) => {
      delete place.env.HOOKPORTER_SECRET;
    },
  },
  {
    title: "a .env file that others may read",
    plant: ({ cwd }) => chmodSync(join(cwd, ".env"), 0o644),
    found: { check: "env file", status: "warn", message: /mode 0644/ },
    fix: /^chmod 600 \.env$/,
  },
  {
    title: "a development secret that others may read",
    plant: ({ cwd }) => {
      rmSync(join(cwd, ".env"));
      writeFileSync(join(cwd, ".hookporter", "secret"), `${GOOD_SECRET}\n`);
      chmodSync(join(cwd, ".hookporter", "secret"), 0o644);
    },
    found: { check: "secret", status: "fail", message: /only its owner can read/ },
    fix: /run chmod 600 on it/,
    follow: ({ cwd }) => chmodSync(join(cwd, ".hookporter", "secret"), 0o600),
  },
];
