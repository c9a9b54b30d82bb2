/**
 * This package's files come in. Its version, place and command go out. Nothing is written.
 */

import packageJson from "../../../package.json" with { type: "json" };

export const VERSION: string = packageJson.version;
