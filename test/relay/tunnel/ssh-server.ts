import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import ssh2, { type AuthContext, type Connection } from "ssh2";
import { onTestFinished } from "vitest";

/** How the server treats clients. Everything except the port may be changed while it runs. */
export interface SshServerOptions {
  /** Text of the session, written once there is one. */
  banner?: string;
  /**
   * Who is let in: `nobody`, `anybody` without a key, anyone with some key, or only the owner of a
   * public key. Default `anybody`.
   */
  lets?: "anybody" | "nobody" | "any key" | { readonly publicKey: string };
  /** Whether it listens for its clients. Default true. */
  forwards?: boolean;
  /** The server's private key, as text. */
  readonly hostKey?: string;
  /** The port to listen on, to return as another server. Default: a free one. */
  readonly port?: number;
}

/** A client's requests. */
interface Forward {
  readonly client: Connection;
  readonly host: string;
  readonly port: number;
}

/** A new key pair, as texts that OpenSSH reads. */
export function newKey(): { readonly private: string; readonly public: string } {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "sec1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  return {
    private: privateKey,
    public: `ecdsa-sha2-nistp256 ${wirePart(privateKey).toString("base64")}`,
  };
}

/**
 * An SSH server that forwards as the services do, and like a web server beside an SSH server: its
 * tunnels are entered at one port, whatever port a client asked for, and lead to the client that
 * connected last.
 */
export class SshServer {
  port = 0;
  /** The port where the tunnel is entered, also when there is none. */
  entry = 0;
  /** The number of opened sessions and closed connections. */
  sessions = 0;
  gone = 0;
  /** The requests, and the users that sent them. */
  readonly asked: { readonly user: string; readonly host: string; readonly port: number }[] = [];
  /** The offered public keys. */
  readonly keysShown = new Set<string>();
  readonly options: SshServerOptions;
  readonly #server: InstanceType<typeof ssh2.Server>;
  readonly #entry = createServer((socket) => this.#enter(socket));
  readonly #clients = new Set<Connection>();
  readonly #sockets = new Set<Socket>();
  #forward: Forward | undefined;
  #say: (text: string) => void = () => {};

  private constructor(options: SshServerOptions) {
    this.options = { ...options };
    this.#server = new ssh2.Server({ hostKeys: [options.hostKey ?? newKey().private] }, (client) =>
      this.#serve(client),
    );
  }

  /** Starts one that ends with the test. */
  static async start(options: SshServerOptions = {}): Promise<SshServer> {
    const server = new SshServer(options);
    onTestFinished(() => server.close());
    server.#server.listen(options.port ?? 0, "127.0.0.1");
    server.#entry.listen(0, "127.0.0.1");
    await Promise.all([once(server.#server, "listening"), once(server.#entry, "listening")]);
    server.port = (server.#server.address() as AddressInfo).port;
    server.entry = (server.#entry.address() as AddressInfo).port;
    return server;
  }

  /** Writes to the last session. */
  say(text: string): void {
    this.#say(text);
  }

  /** Disconnects all clients, as a restarting service does. */
  drop(): void {
    for (const client of this.#clients) client.end();
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    this.#entry.close();
    if (this.port === 0) return;
    this.port = 0;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(client: Connection): void {
    let user = "";
    this.#clients.add(client);
    client.on("error", () => {}); // clients may disconnect at any time
    client.on("close", () => {
      this.gone++;
      this.#clients.delete(client);
      if (this.#forward?.client === client) this.#forward = undefined;
    });
    client.on("authentication", (context) => {
      user = context.username;
      if (context.method === "publickey") this.keysShown.add(context.key.data.toString("base64"));
      if (this.#admits(context)) context.accept();
      else context.reject(["publickey"]);
    });
    client.on("request", (accept, reject, name, info) => {
      if (name !== "tcpip-forward") return reject?.();
      this.asked.push({ user, host: info.bindAddr, port: info.bindPort });
      if (this.options.forwards === false) return reject?.();
      // The client identifies its forward by the port it asked for, or by the assigned one for 0.
      const port = info.bindPort === 0 ? 40_000 : info.bindPort;
      this.#forward = { client, host: info.bindAddr, port };
      accept?.(port);
    });
    client.on("session", (accept) => {
      accept().on("shell", (acceptShell) => {
        const shell = acceptShell();
        this.sessions++;
        this.#say = (text) => shell.write(text);
        if (this.options.banner !== undefined) shell.write(this.options.banner);
      });
    });
  }

  #admits(context: AuthContext): boolean {
    const { lets = "anybody" } = this.options;
    if (lets === "nobody" || lets === "anybody") return lets === "anybody";
    if (context.method !== "publickey") return false;
    return lets === "any key" || context.key.data.equals(wirePart(lets.publicKey));
  }

  #enter(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    if (this.#forward === undefined) return void socket.destroy();
    const { client, host, port } = this.#forward;
    client.forwardOut(
      host,
      port,
      socket.remoteAddress ?? "",
      socket.remotePort ?? 0,
      (error, channel) => {
        if (error !== undefined) return void socket.destroy();
        channel.on("error", () => {});
        socket.pipe(channel).pipe(socket);
      },
    );
  }
}

/** The public part of a key in wire format. */
function wirePart(text: string): Buffer {
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error) throw parsed;
  return parsed.getPublicSSH();
}

/** A server that accepts connections and stays silent. */
export async function startSilentServer(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const ESC = "\u001b";

/** The services' output around the address: coloured, with other addresses before and after it. */
export const BANNERS = {
  "localhost.run": (host: string) =>
    [
      "",
      "===============================================================================",
      "Welcome to localhost.run!",
      "",
      "Follow your favourite reverse tunnel at [https://twitter.com/localhost_run].",
      "To set up and manage custom domains go to https://admin.localhost.run/",
      "https://localhost.run/docs/",
      "** your connection id is 26493725-4c74-4375, please mention it if you send me a message about an issue. **",
      "",
      "authenticated as anonymous user",
      `${ESC}[32m${host} tunneled with tls termination, https://${host}${ESC}[0m`,
      "create an account and add your key for a longer lasting domain name. see https://localhost.run/docs/forever-free/ for more information.",
      "Open your tunnel address on your mobile with this QR:",
      "",
    ].join("\r\n"),
  pinggy: (host: string) =>
    [
      "You are not authenticated.",
      `Your tunnel will expire in 60 minutes. Upgrade to Pinggy Pro to get unrestricted tunnels. ${ESC}[4mhttps://dashboard.pinggy.io${ESC}[0m`,
      "https://pinggy.io",
      "",
      `${ESC}[1mhttp://${host}${ESC}[0m`,
      `${ESC}[1mhttps://${host}${ESC}[0m`,
      "",
    ].join("\r\n"),
  serveo: (host: string) =>
    [
      "To request a domain of your own, see https://serveo.net/docs and https://console.serveo.net",
      `${ESC}[32mForwarding HTTP traffic from ${ESC}[1mhttps://${host}${ESC}[0m`,
      "Press g to start a GUI session and ctrl-c to quit.",
      "",
    ].join("\r\n"),
} as const;
