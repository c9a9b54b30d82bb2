/** The services that give a public address to anybody who forwards a port over SSH. */
export type SshService = "localhost.run" | "pinggy" | "serveo";

/** What every SSH tunnel is told. */
interface CommonSshSettings {
  /** Who logs in; the service's own name for a guest, or what the user's SSH configuration says, when left out. */
  readonly user?: string;
  /** Port of the SSH server; the service's own, or what the user's SSH configuration says, when left out. */
  readonly sshPort?: number;
  /**
   * A private key's file. When left out, a service gets a key of our own, which tells nothing about the user, and a
   * server of one's own those of the agent and of the user's SSH configuration.
   */
  readonly identityFile?: string;
  /** Where the keys of servers are remembered and a key of our own is kept: never the user's own folder. Made if need be. */
  readonly folder: string;
  /** Seconds to reach the server and agree on keys. Default 10. */
  readonly connectTimeout?: number;
  /** Seconds until the tunnel must be up and have an address. Default 20. */
  readonly addressTimeout?: number;
  /** Seconds of silence after which the server is asked for a sign of life; two that fail end the tunnel. Default 15. */
  readonly aliveInterval?: number;
}

/** A tunnel of a service, which says on its standard output what address it gave. */
export interface ServiceSshSettings extends CommonSshSettings {
  readonly service: SshService;
  /** Another host of the service, or one that speaks as it does. Then its names for user and port do not hold. */
  readonly host?: string;
  /** The domain to ask the service for; it gives one of its own when left out. */
  readonly domain?: string;
}

/** A tunnel to a server of one's own, where the address is known beforehand. */
export interface OwnSshSettings extends CommonSshSettings {
  readonly service?: never;
  /** A host name, or one that the user's SSH configuration knows. */
  readonly host: string;
  /** The port that the server listens on for this tunnel. */
  readonly remotePort: number;
  /** The address that leads to that port. */
  readonly publicUrl: string;
}

export type SshSettings = ServiceSshSettings | OwnSshSettings;
