import type { ObjectId } from 'mongodb';
import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { namedValues } from '../common/named-values.js';

/** `limited`: lists of others omit its content; `suspended`: may read, but not write; `banned`: limited, and cannot sign in */
export const STANDING_LEVELS = namedValues('StandingLevel', ['limited', 'suspended', 'banned']);
export type StandingLevel = (typeof STANDING_LEVELS)[number];

/** The restriction of an account by a moderator. An account without one is in good standing. */
@Schema({ _id: false })
export class Standing {
  @Prop({ type: String, enum: STANDING_LEVELS, required: true }) level!: StandingLevel;
  /** null: until a moderator lifts it */
  @Prop({ type: Date, default: null }) until!: Date | null;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) actionId!: ObjectId;
  /** whether lists omit the content; absent in rows of earlier versions: for all levels but `suspended` */
  @Prop({ type: Boolean }) hidesContent?: boolean;
  /** whether all content is removed while the restriction lasts; absent: no */
  @Prop({ type: Boolean }) removesContent?: boolean;
  /** whether a ban includes the networks of the account; absent: no */
  @Prop({ type: Boolean }) bansNetwork?: boolean;
}

type Restriction = Pick<Standing, 'level' | 'until' | 'hidesContent'>;

/** Returns the standing at a time (ms). Null is a good standing, also after `until`. */
export function standingAt<R extends Pick<Restriction, 'level' | 'until'>>(
  standing: R | null | undefined,
  now: number,
): R | null {
  if (!standing || (standing.until !== null && standing.until.getTime() <= now)) return null;
  return standing;
}

/** Whether lists, search and notifications of others omit the account now. */
export function isLimited(standing: Restriction | null | undefined): boolean {
  const active = standingAt(standing, Date.now());
  return active !== null && (active.hidesContent ?? active.level !== 'suspended');
}

/** Whether the account cannot sign in now. */
export function isBanned({ standing }: { standing?: Restriction | null | undefined }): boolean {
  return standingAt(standing, Date.now())?.level === 'banned';
}

/** Returns the action that removes all content of the account now, or null. */
export function removingAction(standing: Standing | null | undefined): ObjectId | null {
  const active = standingAt(standing, Date.now());
  return active?.removesContent === true ? active.actionId : null;
}

/** Returns the end of a suspension (ms, Infinity without an end), or undefined if the account is not suspended. */
export function suspendedUntil(standing: Restriction | null | undefined, now: number): number | undefined {
  const active = standingAt(standing, now);
  return active?.level === 'suspended' ? (active.until?.getTime() ?? Infinity) : undefined;
}
