import type { Command } from "commander";
import type { GoalOptions } from "../end/goal.ts";
import { withoutUnfitSettings } from "../handlers/fitting-options.ts";
import { refuseUnusedServiceOptions } from "../service/options.ts";
import { isTyped } from "../settings/config.ts";
import { withFittingTunnel } from "../tunnel/fitting-options.ts";
import type { ListenOptions } from "./options.ts";

/** Options without the settings that do not fit what was typed. */
export function fitFlags(options: ListenOptions, command: Command): ListenOptions {
  refuseUnusedServiceOptions(command, options);
  return withoutUnfitSettings(withFittingTunnel(withOneGoal(options, command), command), command);
}

/**
 * Options without the goals that a setting names beside one that was typed, and without a setting's time-out where
 * there is no goal: a setting must not make a plain command fail.
 */
function withOneGoal(options: ListenOptions, command: Command): ListenOptions {
  const goals = (["count", "once", "waitFor"] as const).filter((goal) => options[goal] || undefined);
  const typed = goals.filter((goal) => isTyped(command, goal));
  const dropped: (keyof GoalOptions)[] =
    typed.length === 0 ? [] : goals.filter((goal) => !typed.includes(goal));
  if (goals.length === 0 && !isTyped(command, "timeout")) dropped.push("timeout");
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !dropped.some((goal) => goal === name)),
  );
}
