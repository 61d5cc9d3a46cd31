// The CPU pool task that matches long texts with rules. Only worker threads load it.
import { type CheckedText, type Match, type MatchedValue, RuleMatcher } from './rule-matcher.js';

/** @field values only if the thread does not have them */
export type MatchJob = { version: number; values?: readonly MatchedValue[]; texts: readonly CheckedText[] };

let current: { version: number; matcher: RuleMatcher } | undefined;

/** Returns null if this thread does not have the rules of this version. */
export function run({ version, values, texts }: MatchJob): Match[] | null {
  if (values !== undefined) current = { version, matcher: new RuleMatcher(values) };
  return current?.version === version ? current.matcher.match(texts) : null;
}
