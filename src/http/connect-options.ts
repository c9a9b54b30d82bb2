import type { LookupAddress } from "node:dns";
import { connect, type LookupFunction } from "node:net";
import { isError } from "../base/guards.ts";
import { answerLookup, isLocalhost, LOOPBACK } from "../base/localhost.ts";
import { userAt, userName } from "../base/system/listeners.ts";
import { portOf } from "./host-of.ts";

/** Milliseconds that a connection to this machine may take. */
const TRY_TIMEOUT = 500;

/** Which of the loopback addresses of a port is connected to in this run. */
interface Kept {
  readonly at: LookupAddress;
  /** The number of the user whose program was there, if known. */
  readonly user: number | undefined;
  /** Whether it has refused a connection since. */
  readonly isAway: boolean;
}

const kept = new Map<number, Kept>();

/** Programs of several users answer to one name; nothing was sent. */
export class SeveralPrograms extends Error {
  override readonly name = "SeveralPrograms";
  readonly code = "ESEVERAL";
  /** As Node's errors have it before there is a connection. */
  readonly syscall = "connect";
}

/**
 * The options with which each connection to a URL is opened, whatever opens it. A name for this
 * machine leads to a loopback address alone, and to one program: any user may listen on the address
 * that an app leaves out. Both addresses are looked at before the first connection of a run and
 * after a refusal ({@link noteRefusal}); in between, the address that was found is kept. The lookup
 * fails with {@link SeveralPrograms} if they belong to programs of different users.
 */
export function connectOptions(url: URL): { readonly lookup?: LookupFunction } {
  if (!isLocalhost(url.hostname)) return {};
  const lookup: LookupFunction = (_name, options, callback) => {
    addressOf(url).then(
      (found) => answerLookup([found], options, callback),
      (thrown) => callback(thrown, "", 0),
    );
  };
  return { lookup };
}

/**
 * Notes why a connection to a URL failed. Returns whether the address that was kept refused it, so
 * that another attempt looks at both again.
 */
export function noteRefusal(url: URL, thrown: unknown): boolean {
  if (!isLocalhost(url.hostname) || !isError(thrown)) return false;
  const known = kept.get(portOf(url));
  const { code, address } = thrown as NodeJS.ErrnoException & { readonly address?: string };
  if (known === undefined || known.isAway) return false;
  if (code !== "ECONNREFUSED" || address !== known.at.address) return false;
  kept.set(portOf(url), { ...known, isAway: true });
  return true;
}

/**
 * What keeps a URL from being sent anything, as far as both of its addresses show without a
 * request; `undefined` if nothing does, or nothing is there.
 */
export async function severalAt(url: URL): Promise<SeveralPrograms | undefined> {
  if (!isLocalhost(url.hostname)) return undefined;
  return addressOf(url).then(
    () => undefined,
    (thrown) => (thrown instanceof SeveralPrograms ? thrown : undefined),
  );
}

async function addressOf(url: URL): Promise<LookupAddress> {
  const port = portOf(url);
  const before = kept.get(port);
  if (before?.isAway === false) return before.at;
  const tried = await Promise.all(
    LOOPBACK.map(async (at) => ({ at, failure: await tryAddress(at.address, port) })),
  );
  const there = tried
    .filter(({ failure }) => failure === undefined)
    .map(({ at }) => ({ at, user: userAt(at.address, port), isAway: false }));
  const [first, second] = there;
  if (first === undefined) throw refusalOf(tried.map(({ failure }) => failure));
  const other = second ?? (before?.at.address === first.at.address ? undefined : before);
  if (other !== undefined && areDifferent(first.user, other.user)) throw several(url, first, other);
  const found = there.find(({ at }) => at === before?.at) ?? first;
  kept.set(port, found);
  return found.at;
}

function areDifferent(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** Why an address of this machine accepts no connection; `undefined` if it does. */
function tryAddress(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (failure?: NodeJS.ErrnoException) => {
      socket.destroy();
      resolve(failure);
    };
    const late = { code: "ETIMEDOUT", syscall: "connect" };
    socket.setTimeout(TRY_TIMEOUT, () => end(Object.assign(new Error("no connection"), late)));
    socket.once("connect", () => end()).on("error", end);
  });
}

/** As Node reports that it has tried several addresses. */
function refusalOf(failures: readonly (NodeJS.ErrnoException | undefined)[]): Error {
  const [first] = failures;
  return Object.assign(new AggregateError(failures), { code: first?.code });
}

function several(url: URL, ...found: readonly Kept[]): SeveralPrograms {
  const name = `${url.hostname}:${portOf(url)}`;
  const inOrder = found.toSorted((a, b) => (a.at.family ?? 4) - (b.at.family ?? 4));
  const programs = inOrder.map(({ at, user, isAway }) => {
    const until = isAway ? ", which is away" : "";
    return `one of user ${userName(user ?? -1)} at ${shown(at)}${until}`;
  });
  const names = inOrder.map(({ at }) => `${shown(at)}:${portOf(url)}`);
  return new SeveralPrograms(
    `expected one program at ${name}, got ${programs.join(" and ")}: name ${names.join(" or ")}`,
  );
}

function shown({ address, family }: LookupAddress): string {
  return family === 6 ? `[${address}]` : address;
}
