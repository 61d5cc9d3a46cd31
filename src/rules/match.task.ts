// The CPU pool task that matches long texts with rules. Only worker threads load it.
import { type CheckedText, type Match, RuleMatcher } from './rule-matcher.js';

/** @field keys of the rules, only if the thread does not have them */
export type MatchJob = { version: number; keys?: readonly string[]; texts: readonly CheckedText[] };

let current: { version: number; matcher: RuleMatcher } | undefined;

/** Returns null if this thread does not have the rules of this version. */
export function run({ version, keys, texts }: MatchJob): Match[] | null {
  if (keys !== undefined) current = { version, matcher: new RuleMatcher(keys) };
  return current?.version === version ? current.matcher.match(texts) : null;
}
