import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { StandingsService } from '../auth/standings.service.js';
import { CodedError } from '../common/errors.js';
import { ModerationTargets, type RemovedPart } from '../moderation/moderation-targets.js';
import { PostLocksService } from '../posts/post-locks.service.js';
import { isLimited, removingAction, type Standing, standingAt } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { type ActKind, type ActTarget, LEVELS } from './action-rules.js';
import type { Transaction } from '../platform/mongo/transaction.js';

export type Effect = RemovedPart & {
  /** of the action */
  _id: ObjectId;
  kind: ActKind;
  targetKind: ActTarget;
  targetId: ObjectId;
  publicReason: string;
  until: Date | null;
  hidesContent?: boolean | undefined;
  removesContent?: boolean;
  bansNetwork?: boolean;
  /** the action whose effect this one ends */
  reverses?: ObjectId | null;
};

/** @field hidesContent undefined: yes, but as before for a suspension */
type StandingChange = Omit<Standing, 'hidesContent'> & { hidesContent?: boolean | undefined };

/** What actions change on content and accounts, in the transaction of the action. */
@Injectable()
export class ActionEffectsService {
  constructor(
    private readonly targets: ModerationTargets,
    private readonly locks: PostLocksService,
    private readonly users: UsersService,
    private readonly standings: StandingsService,
  ) {}

  /** Returns the author of content, or the account itself. @throws CodedError with the not-found code of the target */
  ownerOf(kind: ActTarget, id: ObjectId, tx: Transaction): Promise<ObjectId> {
    return this.targets.of(kind).ownerOf(id, tx);
  }

  /**
   * @returns what exactly was removed, for the log; undefined: the target
   * @throws CodedError `already_removed`, `not_removed`, `post_locked`, `post_not_locked`, `standing_unchanged` if nothing would change, and
   * the not-found code of a deleted target
   */
  async apply(effect: Effect, tx: Transaction): Promise<string | undefined> {
    const { _id, kind, targetId, until, hidesContent } = effect;
    const target = this.targets.of(effect.targetKind);
    switch (kind) {
      case 'remove': {
        const removal = { actionId: _id, at: new Date(), reason: effect.publicReason };
        return (await target.moderate(targetId, removal, tx, effect)) ?? undefined;
      }
      case 'restore':
        await target.restore(targetId, tx, effect.reverses ?? null);
        break;
      case 'lock':
      case 'unlock':
        await this.locks.setLock(targetId, kind === 'lock', tx);
        break;
      case 'warn':
        break;
      case 'limit':
      case 'suspend':
      case 'ban': {
        const { removesContent, bansNetwork } = effect;
        const flags = { ...(removesContent && { removesContent }), ...(bansNetwork && { bansNetwork }) };
        const change = { level: LEVELS[kind], actionId: _id, until, hidesContent, ...flags };
        await this.setStanding(targetId, change, tx);
        break;
      }
      case 'lift':
        await this.setStanding(targetId, null, tx);
    }
    return undefined;
  }

  private async setStanding(userId: ObjectId, change: StandingChange | null, tx: Transaction): Promise<void> {
    const [row] = await this.users.findParts([userId], ['standing'], tx);
    const current = standingAt(row?.standing, Date.now());
    const isHiding = change?.level !== 'suspended' || change.removesContent === true || isLimited(current);
    const next = change && { ...change, hidesContent: change.hidesContent ?? isHiding };
    if (isSame(current, next)) throw new CodedError('standing_unchanged', 'The account already has this standing.');
    await this.standings.set(userId, next, tx);
  }
}

function isSame(current: Standing | null, next: Standing | null): boolean {
  const effects = [current, next].map((one) =>
    JSON.stringify([
      one?.level,
      one?.until ?? null,
      isLimited(one),
      removingAction(one) !== null,
      one?.bansNetwork ?? false,
    ]),
  );
  return effects[0] === effects[1];
}
