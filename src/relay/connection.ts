import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { isLocalhost, lookupBothFamilies } from "./localhost.ts";
import { lookupPrivate } from "./private-lookup.ts";

/** Where a connection leads, and how. */
export interface Route {
  readonly target: URL;
  /** The header `Host`, whose name TLS asks for; `undefined` for that of the target. */
  readonly host: string | undefined;
  /** Whether any certificate will do, provided that the address is not public. */
  readonly insecure: boolean;
}

/** What uses a connection at present. */
export interface ConnectionUser {
  /** Called with what has arrived, which is valid during the call only. */
  arrived(bytes: Buffer): void;
  /** Called when the other side has closed the connection. */
  closed(): void;
  failed(error: Error): void;
}

/** Idle connections to keep for one route. */
const MAX_IDLE = 256;

/** Milliseconds before the end of the time that a target promises to keep a connection: the next request may be under way. */
const KEEP_ALIVE_MARGIN = 1000;

/** Idle connections by route, the one used last at the end. */
const idle = new Map<string, Connection[]>();

/** A body of at most this many bytes is copied behind its head, so that one short system call writes both. */
const COPIED = 16 * 1024;

/** All connections read into the same memory, one after another. */
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

/** A connection to a target, for one request at a time. Not that of `fetch`, which refuses the ports that browsers refuse. */
export class Connection {
  readonly #socket: Socket;
  readonly #key: string;
  readonly #local: boolean;
  #user: ConnectionUser | undefined;
  #connected = false;
  #reused = false;
  /** On the clock of `performance.now`. */
  #usableUntil = Number.POSITIVE_INFINITY;

  /** An idle connection, or a new one. */
  static to(route: Route, user: ConnectionUser): Connection {
    const key = keyOf(route);
    const kept = idle.get(key);
    for (let one = kept?.pop(); one !== undefined; one = kept?.pop()) {
      if (one.#reuse(user)) return one;
    }
    return new Connection(route, key, user);
  }

  private constructor(route: Route, key: string, user: ConnectionUser) {
    this.#key = key;
    this.#user = user;
    this.#local = isLocalhost(route.target);
    this.#socket = open(route, (bytes) => this.#arrived(bytes));
    this.#socket
      .once("connect", () => {
        this.#connected = true;
      })
      .on("error", (error) => this.#leave()?.failed(error))
      .on("end", () => this.#leave()?.closed())
      .on("close", () => this.#leave()?.closed());
  }

  /** Whether it served a request before. */
  get reused(): boolean {
    return this.#reused;
  }

  /** Whether the other side has accepted it. */
  get connected(): boolean {
    return this.#connected;
  }

  /** The address that answers, if the target's name has one in each family. */
  get address(): string | undefined {
    return this.#local ? this.#socket.remoteAddress : undefined;
  }

  /** Writes a request: its head as Latin-1, then its body. */
  write(head: string, body: Uint8Array): void {
    if (body.byteLength > COPIED) {
      this.#socket.cork();
      this.#socket.write(head, "latin1");
      this.#socket.write(body);
      this.#socket.uncork();
      return;
    }
    const bytes = Buffer.allocUnsafe(head.length + body.byteLength);
    bytes.write(head, "latin1");
    bytes.set(body, head.length);
    this.#socket.write(bytes);
  }

  /**
   * Ends its use once the request is written. It serves another one if it is `persistent`.
   *
   * @param hint - the answer's header `Keep-Alive`
   */
  release(persistent: boolean, hint: string | undefined): void {
    this.#user = undefined;
    const [, seconds] = /\btimeout=(\d+)/.exec(hint ?? "") ?? [];
    const usableFor = seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
    if (!persistent || usableFor <= KEEP_ALIVE_MARGIN) this.#socket.destroySoon();
    else if (this.#socket.writableLength === 0) this.#keep(usableFor);
    // The target answered early; it may still read the request.
    else this.#socket.write("", () => this.#keep(usableFor));
  }

  destroy(): void {
    this.#user = undefined;
    this.#socket.destroy();
  }

  #keep(usableFor: number): void {
    const kept = idle.get(this.#key) ?? [];
    if (this.#socket.destroyed || kept.length >= MAX_IDLE) {
      this.destroy();
      return;
    }
    this.#usableUntil = performance.now() + usableFor - KEEP_ALIVE_MARGIN;
    this.#socket.unref();
    kept.push(this);
    idle.set(this.#key, kept);
  }

  #reuse(user: ConnectionUser): boolean {
    if (this.#socket.destroyed || performance.now() > this.#usableUntil) {
      this.destroy();
      return false;
    }
    this.#reused = true;
    this.#user = user;
    this.#socket.ref();
    return true;
  }

  /** Ends its use, since it is of no more use. */
  #leave(): ConnectionUser | undefined {
    const user = this.#user;
    this.#user = undefined;
    const kept = idle.get(this.#key);
    const at = kept?.indexOf(this) ?? -1;
    if (at !== -1) kept?.splice(at, 1);
    if (kept?.length === 0) idle.delete(this.#key);
    return user;
  }

  #arrived(bytes: Buffer): void {
    if (this.#user === undefined) this.#leave(); // no one asked for it
    if (this.#user === undefined) this.#socket.destroy();
    else this.#user.arrived(bytes);
  }
}

/** Connections of one route are interchangeable. */
function keyOf({ target, host, insecure }: Route): string {
  const { protocol, host: to } = target;
  return protocol === "https:" ? `${to} ${serverName(target, host)} ${insecure}` : to;
}

function open(route: Route, arrived: (bytes: Buffer) => void): Socket {
  const { target, host, insecure } = route;
  const secure = target.protocol === "https:";
  const options = {
    host: bareHost(target),
    port: Number(target.port || (secure ? 443 : 80)),
    ...{ noDelay: true, keepAlive: true, keepAliveInitialDelay: 1000 },
    ...(secure && insecure && { lookup: lookupPrivate }),
    ...(isLocalhost(target) && { lookup: lookupBothFamilies, autoSelectFamily: true }),
  };
  if (!secure) {
    const callback = (length: number, bytes: Uint8Array) => {
      arrived(Buffer.from(bytes.buffer, bytes.byteOffset, length));
      return true;
    };
    return connectPlain({ ...options, onread: { buffer: RECEIVED, callback } });
  }
  const servername = serverName(target, host);
  const secured = { servername, ALPNProtocols: ["http/1.1"], rejectUnauthorized: !insecure };
  return connectSecure({ ...options, ...secured }).on("data", arrived);
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** The name that TLS asks for: that of the header `Host`, empty if it is an address. */
function serverName(target: URL, host = target.host): string {
  const [, bracketed, name = ""] = /^(?:\[([^\]]*)\]|([^:]*))/.exec(host) ?? [];
  const asked = bracketed ?? name;
  return isIP(asked) === 0 ? asked : "";
}
