import { durationText } from "../../base/text/duration-text.ts";
import type { ResponseTimes } from "../response-times.ts";

export function responseTimesText({ median, slowest, slowestCase }: ResponseTimes): string {
  return `response times: median ${durationText(median)}, slowest ${durationText(slowest)} (${slowestCase})`;
}
