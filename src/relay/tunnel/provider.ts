import { shortText } from "../../base/text/short-text.ts";

/** Where a tunnel leads on this machine: only to the receiver's port. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/** Why a tunnel could not be opened, in words for the user. */
export interface TunnelFailure {
  /**
   * Stable: the service's own code, such as `ERR_NGROK_107`, or one of ours in snake case, such as
   * `ssh_denied`.
   */
  readonly code: string;
  /** One line, without a token. */
  readonly message: string;
  readonly fix: string;
  /**
   * Whether retrying cannot help, for example because the token is wrong or the domain belongs to
   * another account.
   */
  readonly permanent: boolean;
}

/** What codes mean, in words for the user; a failure is not permanent unless its row says so. */
export type FailureTable<Code extends string> = Readonly<
  Record<Code, Pick<TunnelFailure, "message" | "fix"> & { readonly permanent?: true }>
>;

/** The failure with a code, with details if known. */
export function failureOf<Code extends string>(
  table: FailureTable<Code>,
  code: Code,
  detail?: string,
) {
  const { message, fix, permanent = false } = table[code];
  return {
    code,
    message: detail ? shortText(`${message}: ${detail}`, 300) : message,
    fix,
    permanent,
  };
}

export interface TunnelReport {
  /**
   * The tunnel has this public address, or a new one. It is not *online* before a probe has
   * arrived.
   */
  up(url: string): void;
  /** The connection is lost and may recover by itself; one line that says why. */
  down(reason: string): void;
  /** The tunnel has ended; nothing more is reported. */
  failed(failure: TunnelFailure): void;
}

export interface OpenTunnel {
  /** Ends the tunnel and every process it started. */
  close(): Promise<void>;
}

/**
 * A kind of tunnel to a public address. It runs in a child process, which its supervisor ends if it
 * hangs or its parent is gone. So a provider may block, leak or crash without harm to the receiver.
 */
export interface TunnelProvider<Settings> {
  /** The name on the command line. */
  readonly name: string;
  /**
   * Starts to open a tunnel and reports its progress. Settings arrive through the channel to the
   * child, never as arguments or environment, since they may contain a token.
   */
  open(settings: Settings, target: TunnelTarget, report: TunnelReport): Promise<OpenTunnel>;
}
