import { isIP, Socket } from "node:net";
import { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { HookporterError } from "../../base/errors.ts";
import { lookupByName } from "../../base/localhost.ts";
import { isLoopbackAddress, isPrivateAddress } from "../../base/private-address.ts";

const BY_PARAMETER = ["sslmode", "ssl", "sslcert", "sslkey", "sslrootcert", "sslnegotiation"];
/** What the client understands in `PGSSLMODE`; it takes another text for `disable`. */
const BY_ENVIRONMENT = /^(?:disable|prefer|require|verify-ca|verify-full|no-verify)$/;

/** Whether a URL or the environment says if connections are encrypted. */
export function saysEncryption({ searchParams }: URL): boolean {
  return (
    BY_PARAMETER.some((name) => (searchParams.get(name) ?? "") !== "") ||
    BY_ENVIRONMENT.test(process.env.PGSSLMODE ?? "")
  );
}

/**
 * A socket for the client's option `stream`: a name for this machine leads to this machine alone.
 */
export function namedSocket(): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  socket.connect = ((at: number | string, host?: string) =>
    host === undefined
      ? connect(String(at)) // a path
      : connect({ port: Number(at), host, lookup: lookupByName })) as Socket["connect"];
  return socket;
}

/** What to do about a connection to a private address that is not encrypted. */
export const ENCRYPT =
  "turn TLS on there and add sslmode=verify-full to the URL, or add sslmode=disable if nobody listens on that network";

/** Asks a server whether it has TLS; it answers with one byte. */
const REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = "S".charCodeAt(0);
const NO = "N".charCodeAt(0);

/**
 * A connection of which nothing says whether it is encrypted, for the client's option `stream`. It
 * asks for TLS, without checking the certificate, since no authority is known. If there is none, it
 * goes on in plain text, but not to a public address: nothing has been sent there by then. What is
 * judged is the address that it has connected to, not a name.
 */
export class EncryptedIfOffered extends Duplex {
  readonly #name: string;
  readonly #onPlain: (address: string) => void;
  readonly #socket = new Socket();
  /** What the client's bytes go through, once that is known. */
  #through: Socket | undefined;
  /** Whether the server has said its last, which the client may not have read yet. */
  #hasEnded = false;

  /** @param onPlain - called with a private address that is not this machine's own */
  constructor(name: string, onPlain: (address: string) => void) {
    super({ allowHalfOpen: false });
    this.#name = name;
    this.#onPlain = onPlain;
  }

  /** Takes the path of a socket, or a port and a host, as `Socket` does. */
  connect(at: number | string, host = ""): this {
    const socket = this.#socket;
    socket.on("error", (error) => this.destroy(error));
    socket.once("close", () => this.#lose());
    if (typeof at === "string" && at.startsWith("/")) {
      socket.connect(at, () => this.#use(socket));
      return this;
    }
    socket.connect({ port: Number(at), host, lookup: lookupByName }, () => socket.write(REQUEST));
    socket.once("data", (answer) => {
      socket.pause();
      // More than a byte was not said by whom TLS shows later.
      if (answer.length !== 1) this.#refuse();
      else if (answer[0] === YES) this.#encrypt(host);
      else if (answer[0] === NO) this.#goOnInPlain(socket.remoteAddress ?? "");
      else this.#refuse();
    });
    return this;
  }

  #lose(): void {
    if (!this.#hasEnded) this.destroy();
  }

  #refuse(): void {
    this.destroy(new Error("There was an error establishing an SSL connection"));
  }

  #encrypt(host: string): void {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const secure = connectTls({ socket: this.#socket, rejectUnauthorized: false, ...servername });
    secure.on("error", (error) => this.destroy(error));
    secure.once("close", () => this.#lose());
    secure.once("secureConnect", () => this.#use(secure));
  }

  #goOnInPlain(address: string): void {
    if (!isPrivateAddress(address)) {
      const message = `expected the server of ${this.#name} to have TLS, got none at ${address}, a public address: turn TLS on there and add sslmode=verify-full to the URL, or add sslmode=disable to send the password and all events in plain text`;
      this.destroy(new HookporterError("inbox_unavailable", message));
      return;
    }
    if (!isLoopbackAddress(address)) this.#onPlain(address);
    this.#use(this.#socket);
  }

  #use(through: Socket): void {
    this.#through = through;
    through.on("data", (chunk) => {
      if (!this.push(chunk)) through.pause();
    });
    through.once("end", () => {
      this.#hasEnded = true;
      this.push(null);
    });
    through.resume();
    this.emit("connect");
  }

  setNoDelay(on?: boolean): this {
    this.#socket.setNoDelay(on);
    return this;
  }

  setKeepAlive(on?: boolean, delay?: number): this {
    this.#socket.setKeepAlive(on, delay);
    return this;
  }

  ref(): this {
    this.#socket.ref();
    return this;
  }

  unref(): this {
    this.#socket.unref();
    return this;
  }

  override _read(): void {
    this.#through?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#through?.write(chunk) === false) this.#through.once("drain", () => done());
    else done();
  }

  /** A statement is several messages, which leave in one packet. */
  override _writev(chunks: { readonly chunk: Buffer }[], done: (error?: Error) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "binary", done);
  }

  override _final(done: (error?: Error) => void): void {
    if (this.#through === undefined) done();
    else this.#through.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#through?.destroy();
    this.#socket.destroy();
    done(error);
  }
}
