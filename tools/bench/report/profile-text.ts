import { threeDigits } from "../numbers.ts";
import { ACTIVITIES } from "../profile/activity.ts";
import type { Hot } from "../profile/breakdown.ts";
import type { Profiled } from "../sections/profile.ts";
import { table } from "./table.ts";

/** Functions shown of each contestant of ours. */
const SHOWN = 10;

/** A function by its name and where it is from. */
function called({ name, file, worksFor }: Hot): string {
  const parts = [
    name === "" ? "(anonymous)" : name,
    file,
    worksFor === "" ? "" : `for ${worksFor}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/**
 * Where the receiving threads' time went, and the functions that took most of it, for a terminal.
 */
export function profileText(profiles: readonly Profiled[]): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const cell = (micros: number, share: number) =>
    `${(micros * share).toFixed(1)} µs ${percent(share).padStart(6)}`;
  const rows = ACTIVITIES.map((activity) => [
    activity,
    ...profiles.map(({ micros, shares }) => cell(micros, shares[activity])),
  ]);
  const whole = [
    ["busy, each delivery", ...profiles.map(({ micros }) => `${threeDigits(micros)} µs`)],
    ["idle, of all time", ...profiles.map(({ idle }) => percent(idle))],
    [
      "garbage collection, of all time",
      ...profiles.map(({ garbageCollection }) => percent(garbageCollection)),
    ],
  ];
  const hottest = profiles
    .filter(({ contestant }) => contestant.startsWith("hookporter"))
    .map(({ contestant, hottest: functions }) => {
      const most = functions.slice(0, SHOWN);
      return table(
        [`${contestant}: time of their own`, "share"],
        most.map((hot) => [called(hot), percent(hot.share)]),
      );
    });
  return [
    "the receiving thread under 64 connections, while it was profiled: slower than without, and compared with no goal",
    table(["time", ...profiles.map(({ contestant }) => contestant)], [...rows, ...whole]),
    ...hottest,
  ].join("\n\n");
}
