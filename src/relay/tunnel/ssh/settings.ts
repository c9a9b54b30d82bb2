/** The services that give a public address to anyone who forwards a port over SSH. */
export type SshService = "localhost.run" | "pinggy" | "serveo";

interface CommonSshSettings {
  /**
   * File of a private key. Default: for a service our own key, which reveals nothing about the
   * user; for your own server the keys of the agent and of the user's SSH configuration.
   */
  readonly identityFile?: string;
  /**
   * Folder for known server keys and our own key; never the user's own folder. Created if missing.
   */
  readonly folder: string;
  /** Seconds to reach the server and agree on keys. Default 10. */
  readonly connectTimeout?: number;
  /** Seconds until the tunnel must be up and have an address. Default 20. */
  readonly addressTimeout?: number;
  /**
   * Seconds of silence before the server is asked for a sign of life; two failures end the tunnel.
   * Default 15.
   */
  readonly aliveInterval?: number;
}

/** A tunnel of a service, which prints the assigned address to standard output. */
export interface ServiceSshSettings extends CommonSshSettings {
  readonly service: SshService;
  /**
   * Another host of the service, or a compatible one. Then the service's user name and port do not
   * apply.
   */
  readonly host?: string;
  /** The domain to request; the service chooses one by default. */
  readonly domain?: string;
}

/** A tunnel to your own server, whose address is known in advance. */
export interface OwnSshSettings extends CommonSshSettings {
  readonly service?: never;
  /** A host name, a name in the user's SSH configuration, or a URL such as `ssh://me@box:2222`. */
  readonly host: string;
  /** The port that the server listens on for this tunnel. */
  readonly remotePort: number;
  /** The address that leads to that port. */
  readonly publicUrl: string;
}

export type SshSettings = ServiceSshSettings | OwnSshSettings;
