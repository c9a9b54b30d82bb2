// Runs in a network namespace of its own, where this machine also has a private and a public
// address: tries inboxes on servers there, and prints what became of each.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import process from "node:process";
import { promisify } from "node:util";
import { createReceiver, postgresInbox } from "../../../../dist/index.js";

const { socket, cases, bin } = JSON.parse(process.argv[2]);

const message = (type, content) => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
};
const code = (number, rest = Buffer.alloc(0)) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return message("R", Buffer.concat([bytes, rest]));
};
const CHALLENGES = {
  clear: code(3),
  md5: code(5, Buffer.from("salt")),
  scram: code(10, Buffer.from("SCRAM-SHA-256\0\0")),
};

/** A server without TLS that asks for a password; notes what it is sent. */
async function asking(challenge, host) {
  const seen = [];
  const server = createServer((client) => {
    client.on("error", () => {});
    client.on("data", (data) => {
      if (data.readInt32BE(4) === 80877103) {
        seen.push("asks for TLS");
        client.write("N");
      } else if (String.fromCharCode(data[0]) === "p") {
        seen.push(data.includes("canary-password") ? "password" : "digest");
        client.destroy();
      } else {
        seen.push("startup");
        client.write(CHALLENGES[challenge]);
      }
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  return { seen, server, port: server.address().port };
}

/** The real server, at another address. */
async function forwarding(host) {
  const server = createServer((client) => {
    const onward = connect(socket);
    client.pipe(onward).pipe(client);
    for (const one of [client, onward]) one.on("error", () => {});
    client.on("close", () => onward.destroy());
  });
  server.listen(0, host);
  await once(server, "listening");
  return { server, port: server.address().port };
}

async function start(url) {
  const warnings = [];
  const log = {
    debug() {},
    info() {},
    error() {},
    warn: (fields, text) => warnings.push({ ...fields, text }),
  };
  const receiver = createReceiver({
    secret: "a-secret-made-up-for-this",
    inbox: postgresInbox(url),
    log,
  });
  const error = await receiver.start().then(
    () => undefined,
    ({ code, message }) => ({ code, message }),
  );
  if (error === undefined) await new Promise((resolve) => setTimeout(resolve, 300));
  await receiver.close();
  return { error, warnings };
}

async function doctor(url) {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, "doctor", "--json"], {
    env: { PATH: process.env.PATH, HOOKPORTER_INBOX: url },
  }).catch((failed) => failed);
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return records.filter(({ check }) => check === "database");
}

const results = [];
for (const { host, challenge, query = "" } of cases) {
  const at = host.includes(":") ? `[${host}]` : host;
  if (challenge !== undefined) {
    const { seen, server, port } = await asking(challenge, host);
    const { error, warnings } = await start(
      `postgres://app:canary-password@${at}:${port}/app${query}`,
    );
    results.push({ seen, error, warnings });
    server.close();
  } else {
    const { server, port } = await forwarding(host);
    const url = `postgres://postgres@${at}:${port}/postgres${query}`;
    results.push({ ...(await start(url)), doctor: await doctor(url) });
    server.close();
  }
}
process.stdout.write(JSON.stringify(results));
process.exit(0);
