import { findPackage, requirePackage } from "../../base/package/own-address.ts";
import { tryOr } from "../../base/try-or.ts";
import { NGROK_PACKAGE, ngrokFailure, readNgrokError } from "./ngrok-failure.ts";
import type { OpenTunnel, TunnelProvider, TunnelReport, TunnelTarget } from "./provider.ts";

export interface NgrokSettings {
  readonly authtoken?: string;
  /** A domain of the account; without it the service chooses one. */
  readonly domain?: string;
  /**
   * `host:port` of an ingress other than ngrok's public one, and the certificate (PEM) to trust
   * there.
   */
  readonly serverAddr?: string;
  readonly ca?: string;
  /** Seconds between heartbeats, and the maximum delay of a response. Default 5. */
  readonly heartbeat?: number;
}

type Ngrok = typeof import("@ngrok/ngrok");
type SessionBuilder = InstanceType<Ngrok["SessionBuilder"]>;
type NgrokSession = Awaited<ReturnType<SessionBuilder["connect"]>>;

const NOTHING: OpenTunnel = { close: async () => {} };

/**
 * A tunnel through ngrok's own client. The client hides many failures: it reports a lost heartbeat
 * only to a callback and keeps the dead session, its retries soon wait for hours, and nothing in it
 * has a time-out. So this provider only reports, and the supervisor decides.
 */
export const ngrok: TunnelProvider<NgrokSettings> = {
  name: "ngrok",
  async open(settings, target, report) {
    const client = loadClient();
    if (client === undefined) {
      report.failed(ngrokFailure("ngrok_missing"));
      return NOTHING;
    }
    try {
      const session = await newSession(client, settings, report).connect();
      return await listenAndForward(session, settings, target, report);
    } catch (thrown) {
      report.failed(readNgrokError(thrown, settings.authtoken));
      return NOTHING;
    }
  },
};

/** The package is an optional dependency with a binary that not every platform has. */
function loadClient(): Ngrok | undefined {
  const path = findPackage(NGROK_PACKAGE);
  return tryOr(() => (path === undefined ? undefined : (requirePackage(path) as Ngrok)), undefined);
}

function newSession(client: Ngrok, settings: NgrokSettings, report: TunnelReport): SessionBuilder {
  const { authtoken, serverAddr, ca, heartbeat = 5 } = settings;
  const session = new client.SessionBuilder()
    .heartbeatInterval(heartbeat)
    .heartbeatTolerance(heartbeat);
  if (authtoken !== undefined) session.authtoken(authtoken);
  if (serverAddr !== undefined) session.serverAddr(serverAddr);
  if (ca !== undefined) session.caCert(Buffer.from(ca));
  // A callback that throws would abort the process; the report's callbacks never throw.
  return session
    .handleDisconnection((_address, error) => {
      const failure = readNgrokError(error, authtoken);
      if (failure.permanent) report.failed(failure);
      else report.down(failure.message);
      return true; // the client's first retries are immediate and keep the address
    })
    .handleHeartbeat((latency: number | null) => {
      if (latency === null) report.failed(ngrokFailure("ngrok_heartbeat_lost"));
    })
    .handleStopCommand(() => report.failed(ngrokFailure("ngrok_stopped")))
    .handleRestartCommand(() => report.failed(ngrokFailure("ngrok_restart")));
}

async function listenAndForward(
  session: NgrokSession,
  { domain }: NgrokSettings,
  { host, port }: TunnelTarget,
  report: TunnelReport,
): Promise<OpenTunnel> {
  const endpoint = session.httpEndpoint();
  if (domain !== undefined) endpoint.domain(domain);
  const listener = await endpoint.listenAndForward(`http://${host}:${port}`);
  report.up(listener.url() ?? "");
  return {
    close: async () => {
      await listener.close();
      await session.close();
    },
  };
}
