import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { freePort } from "../crash/child.ts";
import { acknowledgedIn, booksLine, drained, readBooks } from "./books.ts";
import { answersIn, newPlace } from "./place.ts";
import { ReceiverProcess } from "./receiver-process.ts";
import { bringBack, HARM, inFolder, rescuedOf } from "./removal.ts";
import { SenderProcess } from "./sender-process.ts";

const ENDS = ["stop", "kill"] as const;

it.each(Object.keys(HARM).flatMap((harm) => ENDS.map((end) => [harm, end] as const)))(
  "After %s under load and a %s, everything acknowledged is found again, and handled",
  { timeout: 120_000 },
  async (harm, end) => {
    const place = inFolder(newPlace());
    const port = await freePort();
    const first = new ReceiverProcess(place, { port });
    await first.ready;
    const sender = new SenderProcess(place, { ports: [port], connections: 16 });
    await until(() => acknowledgedIn(answersIn(place)).length > 300);
    HARM[harm]?.(place.inbox);
    const at = Date.now();
    await until(() => rescuedOf(place) !== undefined);
    const rescued = rescuedOf(place) ?? "";
    expect(statSync(rescued).mode & 0o777).toBe(0o600);
    expect(await first.isReady()).toBe(false);
    await first[end]();
    expect(
      answersIn(place).filter(({ status, began }) => status === 200 && began > at + 50),
    ).toEqual([]);

    await bringBack(place.inbox, rescued);
    const second = new ReceiverProcess(place, { port });
    await second.ready;
    expect(await sender.stop()).toBe(true);
    await drained(place);
    expect(await second.stop()).toBe(0);
    const books = readBooks(place);
    process.stdout.write(`strangers, ${harm}, ${end}: ${booksLine(books)}\n`);
    expect(books).toMatchObject({ lost: 0, unhandled: 0, unfinished: 0 });
  },
);

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 20_000, interval: 50 }).toBe(true);
}
