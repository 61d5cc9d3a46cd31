import type { ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';
import type { HitTarget } from './rule-kinds.js';

/** A rule was created, changed or deleted. */
export const RULES_CHANGED: Topic<null> = { name: 'rules.changed' };

/** The reason of an automatic report. @field ruleId one automatic report per rule and target */
export type Flag = { ruleId: ObjectId; note: string };
/** @field limitsOwner a rule limits the author of such content */
export type FlaggedContent = {
  targetKind: HitTarget;
  targetId: ObjectId;
  ownerId: ObjectId;
  flags: Flag[];
  limitsOwner: boolean;
};

/** Hook: a text matches rules, also in a dry run. @field targetId of a rejected text: may not exist */
export const RULES_MATCHED: Topic<{
  ruleIds: readonly string[];
  targetKind: HitTarget;
  targetId?: ObjectId | undefined;
}> = { name: 'rules.matched' };

/** Content was stored that moderators must see. */
export const CONTENT_FLAGGED: Topic<FlaggedContent> = { name: 'content.flagged' };
