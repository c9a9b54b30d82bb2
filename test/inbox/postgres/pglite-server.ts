import { createServer, type Socket } from "node:net";
import type { PGlite } from "@electric-sql/pglite";

/** A message of PostgreSQL's protocol: its type, its length, its content. */
export function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** How a client asks for TLS, before anything else. */
export const SSL_REQUEST = Buffer.from("0000000804d2162f", "hex");

/** The answer to a connection that need not prove anything. */
export const READY = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]);

/**
 * Cuts whole messages off the start of bytes; the rest begins one that has not arrived completely.
 */
function split(bytes: Buffer): { readonly messages: readonly Buffer[]; readonly rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = bytes;
  while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
    messages.push(rest.subarray(0, rest.readInt32BE(1) + 1));
    rest = rest.subarray(rest.readInt32BE(1) + 1);
  }
  return { messages, rest };
}

const typeOf = (buffer: Buffer) => String.fromCharCode(buffer[0] ?? 0);

/** How a server differs from others. */
export interface Serving {
  /** What it does with a notification for a connection instead of sending it. */
  readonly notify?: (socket: Socket, notification: Buffer) => void;
  /**
   * What it understands when it is asked a text, such as another value for a setting: a text that
   * is not longer.
   */
  readonly understand?: readonly [asked: string, understood: string];
  /** Called with a connection that is about to listen. */
  readonly onListen?: (socket: Socket) => void;
}

/**
 * A group of messages with another text in place of one, padded, since each message begins with its
 * length.
 */
function understood(
  group: Buffer,
  [from, to] = ["", ""] as NonNullable<Serving["understand"]>,
): Buffer {
  if (from === "") return group;
  return Buffer.from(group.toString("latin1").replaceAll(from, to.padEnd(from.length)), "latin1");
}

/**
 * A server in front of a database in this process, so that the client `pg` can be tested without
 * another process. All of its connections share one session: one at a time may have a transaction,
 * and locks of a session hinder nobody.
 *
 * @param onEnd - takes what ends it, such as `onTestFinished`
 * @returns its URL, the connections that are open, and what each connection said of itself
 */
export async function servePglite(
  database: PGlite,
  onEnd: (end: () => void) => void,
  serving: Serving = {},
) {
  const { notify = (socket, notification) => void socket.write(notification), onListen } = serving;
  const open = new Set<Socket>();
  const started: (readonly string[])[] = [];
  const listening = new Map<string, Set<Socket>>();
  let turn = Promise.resolve();
  const server = createServer((socket) => {
    open.add(socket);
    let bytes: Buffer = Buffer.alloc(0);
    let hasStarted = false;
    let asked: Buffer[] = [];
    /** Ends this connection's turn; absent while it has none. */
    let endTurn: (() => void) | undefined;
    const takeTurn = async () => {
      const before = turn;
      turn = new Promise((resolve) => {
        endTurn = resolve;
      });
      await before;
    };
    const answer = async (group: Buffer) => {
      if (endTurn === undefined) await takeTurn();
      const { messages } = split(Buffer.from(await database.execProtocolRaw(group)));
      for (const message of messages) {
        if (typeOf(message) !== "A") socket.write(message);
        else {
          const channel = message.toString("utf8", 9, message.indexOf(0, 9));
          for (const other of listening.get(channel) ?? []) notify(other, message);
        }
      }
      if (messages.at(-1)?.at(-1) !== "I".charCodeAt(0)) return; // in a transaction
      endTurn?.();
      endTurn = undefined;
    };
    let answering = Promise.resolve();
    socket.on("data", (data) => {
      bytes = Buffer.concat([bytes, data]);
      if (!hasStarted) {
        if (bytes.length < 4 || bytes.length < bytes.readInt32BE(0)) return;
        if (bytes.equals(SSL_REQUEST)) {
          bytes = Buffer.alloc(0);
          return void socket.write("N");
        }
        started.push(bytes.toString("utf8", 8, bytes.readInt32BE(0)).split("\0"));
        bytes = bytes.subarray(bytes.readInt32BE(0));
        hasStarted = true;
        socket.write(READY);
      }
      const { messages, rest } = split(bytes);
      bytes = rest;
      for (const message of messages) {
        if (typeOf(message) === "X") return void socket.end();
        const [, channel] = /^Q....LISTEN "(.*)"/s.exec(message.toString("latin1")) ?? [];
        if (channel !== undefined) {
          onListen?.(socket);
          listening.set(channel, (listening.get(channel) ?? new Set()).add(socket));
        }
        asked.push(message);
        if (!"QS".includes(typeOf(message))) continue;
        const group = understood(Buffer.concat(asked), serving.understand);
        asked = [];
        answering = answering.then(() => answer(group));
      }
    });
    socket.on("error", () => {});
    socket.once("close", () => {
      open.delete(socket);
      for (const sockets of listening.values()) sockets.delete(socket);
      void answering.then(async () => {
        if (endTurn === undefined) return;
        await database.exec("ROLLBACK");
        endTurn();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onEnd(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : "";
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, open, started };
}
