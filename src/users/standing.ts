import type { ObjectId } from 'mongodb';
import { Prop, Schema } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';

/** `limited`: lists of others omit its content; `suspended`: may read, but not write; `banned`: cannot sign in */
export const STANDING_LEVELS = ['limited', 'suspended', 'banned'] as const;
export type StandingLevel = (typeof STANDING_LEVELS)[number];

/** The restriction of an account by a moderator. An account without one is in good standing. */
@Schema({ _id: false })
export class Standing {
  @Prop({ type: String, enum: STANDING_LEVELS, required: true }) level!: StandingLevel;
  /** null: until a moderator lifts it */
  @Prop({ type: Date, default: null }) until!: Date | null;
  @Prop({ type: SchemaTypes.ObjectId, required: true }) actionId!: ObjectId;
}

type Restriction = Pick<Standing, 'level' | 'until'>;

/** Returns the standing at a time (ms). Null is a good standing, also after `until`. */
export function standingAt<R extends Restriction>(standing: R | null | undefined, now: number): R | null {
  if (!standing || (standing.until !== null && standing.until.getTime() <= now)) return null;
  return standing;
}

/** Whether lists, search and notifications of others omit the account now. */
export function isLimited(standing: Restriction | null | undefined): boolean {
  return omission(standing) === true;
}

/** Whether the account cannot sign in now. */
export function isBanned({ standing }: { standing?: Restriction | null | undefined }): boolean {
  return standingAt(standing, Date.now())?.level === 'banned';
}

/** Returns whether lists must omit the content of the account; undefined while a suspension or ban leaves it as it is. */
export function omission(standing: Restriction | null | undefined): boolean | undefined {
  const active = standingAt(standing, Date.now());
  if (active === null) return false;
  return active.level === 'limited' ? true : undefined;
}

/** Returns the end of a suspension (ms, Infinity without an end), or undefined if the account is not suspended. */
export function suspendedUntil(standing: Restriction | null | undefined, now: number): number | undefined {
  const active = standingAt(standing, now);
  return active?.level === 'suspended' ? (active.until?.getTime() ?? Infinity) : undefined;
}
