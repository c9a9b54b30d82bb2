import { ownCommand } from "../../base/package/own-command.ts";
import { type DoctorCheck, ok, warn } from "./finding.ts";

/** What the folder's files would like to set, and which of it is ignored. */
export const trust: DoctorCheck = {
  name: "trust",
  run: ({ wishes = [] }) => {
    const ignored = wishes.filter(({ trusted }) => !trusted);
    if (wishes.length === 0) return [];
    if (ignored.length === 0) {
      const places = wishes.map(({ where }) => where).join(", ");
      return [ok(`you trust ${places}`)];
    }
    const fix = `look at it, and agree, with ${ownCommand("trust")}`;
    return ignored.map(({ where, value }) => warn(`${where} is ignored: ${value}`, fix));
  },
};
