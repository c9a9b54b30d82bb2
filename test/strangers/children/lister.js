// Opens an inbox with a built package's library, counts its entries and closes it: `lister.js DIST INBOX`.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { storeBehind } from "../../inbox/children/store-behind.js";

const [dist, path] = process.argv.slice(2);
const { createReceiver } = await import(pathToFileURL(join(dist, "index.js")).href);
const inbox = storeBehind(createReceiver({ secret: "a-secret-of-a-lister-of-entries", inbox: path }));
await inbox.open();
const entries = await inbox.list({});
await inbox.close();
process.stdout.write(`${entries.length}\n`);
