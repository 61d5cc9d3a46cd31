import { ObjectId } from 'mongodb';

/** What rules demand for a text that is stored. Plain data, because it may go to another process. */
export type Verdict = {
  isHeld: boolean;
  limitsAuthor: boolean;
  /** ids of all rules that the text matches */
  matched: string[];
  /** for the case */
  flags: { ruleId: string; note: string }[];
};

/** Stands for a rule. */
const REVIEW = new ObjectId(new Uint8Array(12)).toHexString();

/** Returns a verdict that also holds the content as one of the first posts of its author (REVIEW_FIRST_POSTS). */
export function reviewed(verdict: Verdict | null): Verdict {
  const { matched = [], flags = [], limitsAuthor = false } = verdict ?? {};
  return {
    isHeld: true,
    limitsAuthor,
    matched,
    flags: [...flags, { ruleId: REVIEW, note: 'One of the first posts of the account.' }],
  };
}
