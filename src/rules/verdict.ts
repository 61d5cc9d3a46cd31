import { ObjectId } from 'mongodb';

/** What rules demand for a text that is stored. Plain data, because it may go to another process. */
export type Verdict = {
  isHeld: boolean;
  /** ids of all rules that the text matches */
  matched: string[];
  /** for the case */
  flags: { ruleId: string; note: string }[];
};

/** The first posts of an account, which moderators review (REVIEW_FIRST_POSTS). */
export const REVIEWED: Verdict = {
  isHeld: true,
  matched: [],
  flags: [{ ruleId: new ObjectId(new Uint8Array(12)).toHexString(), note: 'One of the first posts of the account.' }],
};

/** Returns what both demand. Null demands nothing. */
export function bothOf(one: Verdict | null, other: Verdict | null): Verdict | null {
  if (one === null || other === null) return one ?? other;
  return {
    isHeld: one.isHeld || other.isHeld,
    matched: [...one.matched, ...other.matched],
    flags: [...one.flags, ...other.flags],
  };
}
