import { join } from "node:path";
import { installPackages } from "../install-packages.ts";

/** Where the packages of the recipes are installed. */
export const MODULES = join(import.meta.dirname, "node_modules");

/** What the recipes lack on this machine; `undefined` if their packages are installed. */
export const NO_PACKAGES = installPackages(import.meta.dirname);
