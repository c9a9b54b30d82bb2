/** Where a tunnel leads on this machine: the receiver's own port, nothing else. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/** Why a tunnel cannot be had, in words for whoever started it. */
export interface TunnelFailure {
  /** Stable: the service's own code, such as `ERR_NGROK_107`, or one of ours in snake case, such as `ssh_denied`. */
  readonly code: string;
  /** One line, without a token. */
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** Trying again cannot help: the token is wrong, the domain is somebody else's. */
  readonly permanent: boolean;
}

/** What a provider says while its tunnel lives. */
export interface TunnelReport {
  /** The tunnel has this public address now; again when it changes. It is not *online* before a probe came back. */
  up(url: string): void;
  /** The connection is lost and may come back by itself; one line on why. */
  down(reason: string): void;
  /** The tunnel is over; nothing more is reported. */
  failed(failure: TunnelFailure): void;
}

/** A tunnel that is being opened or is open. */
export interface OpenTunnel {
  /** Ends it, and every process it started. */
  close(): Promise<void>;
}

/**
 * A way to a public address. It runs in a child process, which its supervisor ends when it hangs or its parent is gone:
 * a provider may block, leak or crash without harm to the receiver.
 */
export interface TunnelProvider<Settings> {
  /** As it is named on the command line. */
  readonly name: string;
  /**
   * Begins to open a tunnel; how it goes is reported. Settings come over the channel to the child, never as arguments or
   * environment, since they may hold a token.
   */
  open(settings: Settings, target: TunnelTarget, report: TunnelReport): Promise<OpenTunnel>;
}
