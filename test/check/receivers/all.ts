import { checkByFraming } from "./check-by-framing.ts";
import { checkByKind } from "./check-by-kind.ts";
import { checkByRoute } from "./check-by-route.ts";
import { endsWith } from "./ends-with.ts";
import { expressJson } from "./express-json.ts";
import { expressRaw } from "./express-raw.ts";
import { verifyBesideForms, verifyBesideRaw, verifyBesideText } from "./express-verify.ts";
import { failsOnBadJson } from "./fails-on-bad-json.ts";
import { fastifyRight, fastifyStringify } from "./fastify.ts";
import { honoRight, honoText } from "./hono.ts";
import { octokit } from "./octokit.ts";
import { ownExpress, ownNode } from "./own.ts";
import { type ForeignReceiver, program } from "./program.ts";
import { right } from "./right.ts";
import type { StartReceiver } from "./under-test.ts";

const PYTHON = ["python3", "http-server.py"];
const FLASK = ["python3", "flask-app.py"];
const PHP = ["php", "-S", "127.0.0.1:0", "-t", "php"];
const WEBRICK = ["ruby", "webrick.rb"];
const JAVA = ["java", "-XX:TieredStopAtLevel=1", "Receiver.java"];
const PHP_PATH = "/webhooks.php";

/** Receivers as people write them; `expected.txt` says what each gets wrong. */
export const RECEIVERS: Readonly<Record<string, StartReceiver | ForeignReceiver>> = {
  "java-right": program("java", JAVA),
  "java-text": program("java", JAVA, { variant: "text" }),
  "express-json": expressJson,
  "verify+forms": verifyBesideForms,
  "verify+text": verifyBesideText,
  "verify+raw": verifyBesideRaw,
  "by-route": checkByRoute,
  "by-framing": checkByFraming,
  "by-kind": checkByKind,
  octokit,
  "ends-with": endsWith,
  "500-on-bad-json": failsOnBadJson,
  "express-raw": expressRaw,
  "fastify-right": fastifyRight,
  "fastify-stringify": fastifyStringify,
  "hono-right": honoRight,
  "hono-text": honoText,
  "python-right": program("python", PYTHON),
  "python-ignore": program("python", PYTHON, { variant: "ignore" }),
  "flask-right": program("flask", FLASK),
  "flask-dumps": program("flask", FLASK, { variant: "dumps" }),
  "flask-json-only": program("flask", FLASK, { variant: "json-only" }),
  "php-right": program("php", PHP, { path: PHP_PATH }),
  "php-reencode": program("php", PHP, { variant: "reencode", path: PHP_PATH }),
  "php-post": program("php", PHP, { variant: "post", path: PHP_PATH }),
  "php-uri": program("php", PHP, { variant: "uri", path: PHP_PATH }),
  "webrick-right": program("webrick", WEBRICK),
  "webrick-to-json": program("webrick", WEBRICK, { variant: "to-json" }),
  "webrick-uri": program("webrick", WEBRICK, { variant: "uri" }),
  right,
  "own-express": ownExpress,
  "own-node": ownNode,
};
