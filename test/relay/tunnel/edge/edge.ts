import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { makeCertificate } from "./certificate.ts";
import { Entry } from "./entry.ts";
import { u32 } from "./frame.ts";
import { MuxSession, type MuxStream } from "./muxado.ts";
import { AUTH, BIND, HEARTBEAT, type Message, readKind, readMessage, STOP, UNBIND } from "./rpc.ts";

/** What a test can make the edge do; may be changed while it runs. */
export interface EdgeKnobs {
  /** Accepts connections but never answers. */
  silent: boolean;
  /** Accepts heartbeats but never answers. */
  loseHeartbeats: boolean;
  /** The code with which Auth or Bind is refused, such as `ERR_NGROK_107`. */
  refuseAuth: string | undefined;
  refuseBind: string | undefined;
  /** The first line of a refusal. */
  words: string;
  /** Gives each new session its own address; a session that returns keeps its address. */
  newUrls: boolean;
}

/**
 * A stand-in for ngrok's edge, for ngrok's real client: TLS, muxado, the session's protocol, and
 * public addresses on this machine. Built from what the client does, not from the service.
 */
export class Edge {
  readonly knobs: EdgeKnobs;
  readonly ca: string;
  /** The clients' requests, in order. */
  readonly auths: Message[] = [];
  readonly binds: Message[] = [];
  readonly #tls;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<MuxSession>();
  readonly #entries = new Map<string, Entry>();
  #server: Server | undefined;
  #port = 0;

  constructor(knobs: Partial<EdgeKnobs> = {}) {
    const { key, cert } = makeCertificate();
    this.ca = cert;
    this.knobs = {
      silent: false,
      loseHeartbeats: false,
      refuseAuth: undefined,
      refuseBind: undefined,
      words: "refused for a reason.",
      newUrls: false,
      ...knobs,
    };
    this.#tls = createTlsServer({ key, cert }, (socket) => {
      socket.on("error", () => {});
      const session: MuxSession = new MuxSession(socket, (stream) => {
        this.#serve(session, stream).catch(() => stream.destroy());
      });
      this.#sessions.add(session);
      socket.on("close", () => {
        this.#sessions.delete(session);
        for (const entry of this.#entries.values())
          if (entry.session === session) entry.session = undefined;
      });
    });
    this.#tls.on("tlsClientError", () => {});
  }

  /** Listens, on the same port as before if it did. */
  async start(): Promise<this> {
    const server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket));
      if (this.knobs.silent) socket.resume();
      else this.#tls.emit("connection", socket);
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** Disappears silently; public addresses stay reserved. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.close();
    this.drop();
    if (server?.listening) await once(server, "close");
  }

  /** Cuts every session's connection. */
  drop(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    await this.stop();
    await Promise.all([...this.#entries.values()].map((entry) => entry.close()));
  }

  /** Makes the public addresses of now dead, or alive again. Sessions do not notice. */
  setDead(dead: boolean): void {
    for (const entry of this.#entries.values()) entry.dead = dead;
  }

  get serverAddr(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Open connections, with a session or not. */
  get connections(): number {
    return this.#sockets.size;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Open streams of all sessions: two per idle session, including its heartbeat's. */
  get streams(): number {
    return [...this.#sessions].reduce((sum, { streams }) => sum + streams.size, 0);
  }

  get urls(): readonly string[] {
    return [...this.#entries.values()].map(({ url }) => url);
  }

  /** Tells every client to stop, as a click in the dashboard does. */
  sendStop(): void {
    for (const session of this.#sessions) {
      const stream = session.open();
      stream.resume().write(Buffer.concat([u32(STOP), Buffer.from("{}")]));
    }
  }

  async #serve(session: MuxSession, stream: MuxStream): Promise<void> {
    const { kind, rest } = await readKind(stream);
    if (kind === HEARTBEAT) return this.#beat(stream, rest);
    const request = await readMessage(stream, rest);
    stream.resume();
    stream.end(JSON.stringify(await this.#answer(kind, request, session)));
  }

  #beat(stream: MuxStream, rest: Buffer): void {
    const echo = (bytes: Buffer) => {
      if (!this.knobs.loseHeartbeats && bytes.length > 0) stream.write(bytes);
    };
    echo(rest);
    stream.on("data", echo).resume();
  }

  async #answer(kind: number, request: Message, session: MuxSession): Promise<Message> {
    if (kind === AUTH) return this.#auth(request);
    if (kind === BIND) return this.#bind(request, session);
    if (kind === UNBIND) {
      const entry = this.#entries.get(request.Id);
      if (entry?.session === session) entry.session = undefined;
    }
    return {};
  }

  #auth(request: Message): Message {
    this.auths.push(request);
    if (this.knobs.refuseAuth !== undefined)
      return this.#refusal(this.knobs.refuseAuth, request.Extra?.AuthToken);
    const ClientId = request.ClientId || randomUUID();
    return { Version: "3", ClientId, Extra: { Version: "edge", Region: "here", Cookie: "cookie" } };
  }

  async #bind(request: Message, session: MuxSession): Promise<Message> {
    this.binds.push(request);
    if (this.knobs.refuseBind !== undefined) return this.#refusal(this.knobs.refuseBind);
    const token: string = request.Extra?.Token || (this.knobs.newUrls ? randomUUID() : "kept");
    const entry = this.#entries.get(token) ?? (await Entry.open());
    this.#entries.set(token, entry);
    entry.session = session;
    entry.tunnelId = request.Id || randomUUID();
    const Opts = { ...request.Opts, Hostname: request.Opts?.Hostname || "127.0.0.1" };
    return {
      Id: entry.tunnelId,
      URL: entry.url,
      Proto: request.Proto,
      Opts,
      Extra: { Token: token },
    };
  }

  /** A refusal in the service's format; like the service, it quotes the token. */
  #refusal(code: string, token = ""): Message {
    return { Error: `${this.knobs.words}\nYour authtoken: ${token}\n\n${code}\n` };
  }
}
