import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { TargetKind } from './action-kinds.js';
import type { Removal } from './removal.js';

/** The owner of the target, and what to remove of it; absent: all. */
export type RemovedPart = {
  ownerId: ObjectId;
  /** of a profile */
  fields?: readonly string[] | undefined;
  /** whose notes of a collection */
  postIds?: readonly string[] | undefined;
};

/** How moderators act on content of one kind. Every method throws the not-found code of the kind. */
export interface ModerationTarget {
  ownerOf(id: ObjectId, tx: Transaction): Promise<ObjectId>;
  /** @returns what exactly was removed, for the log. @throws CodedError `already_removed` */
  moderate(id: ObjectId, removal: Removal, tx: Transaction, part: RemovedPart): Promise<string | void>;
  /** @param actionId of the removal. @throws CodedError `not_removed` */
  restore(id: ObjectId, tx: Transaction, actionId: ObjectId | null): Promise<void>;
}

/** Modules register their kinds of content here, in their constructors. */
@Injectable()
export class ModerationTargets {
  private readonly targets = new Map<TargetKind, ModerationTarget>();

  register(kind: TargetKind, target: ModerationTarget): void {
    this.targets.set(kind, target);
  }

  of(kind: TargetKind): ModerationTarget {
    return this.targets.get(kind)!;
  }
}
