import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { Viewer } from '../platform/access/viewer.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { ACTIONS, type ActionKind, type ActorRole, DISCLOSED_KINDS, type TargetKind } from './action-kinds.js';
import { DEFAULT_FIELDS, ModerationAction } from './moderation-action.schema.js';

export type LoggedAction = ModerationAction;

export type ModerationEntry = Partial<Pick<ModerationAction, '_id' | keyof typeof DEFAULT_FIELDS>> & {
  /** null for the operator (a CLI command) and the system */
  by: Viewer | null;
  actorRole?: 'system';
  kind: ActionKind;
  targetKind: TargetKind;
  targetId: ObjectId;
  /** the owner of the content; actions on one's own content are not logged */
  ownerId?: ObjectId;
  detail?: string;
};

/** Writes in the transaction of an action. */
export type ModerationListener = (entry: ModerationEntry & { _id: ObjectId }, tx: Transaction) => Promise<void>;

/** cache tag of the public log */
export const LOG_TAG = 'moderation-log';

/** The audit log of moderators, admins and operators. Rows are never changed or deleted; each one also writes a server log line. */
@Injectable()
export class ModerationLogService {
  private readonly logger = new Logger('Moderation');
  private readonly listeners: ModerationListener[] = [];

  constructor(@InjectModel(ModerationAction.name) private readonly actions: Model<ModerationAction>) {}

  /** Registers a listener that writes in the transaction of each logged action. */
  onRecord(listener: ModerationListener): void {
    this.listeners.push(listener);
  }

  /** As `add`, except for an action on one's own content. */
  async record(entry: ModerationEntry, tx: Transaction): Promise<void> {
    if (entry.by === null || entry.by.id !== entry.ownerId?.toHexString()) await this.add(entry, tx);
  }

  /** Inserts a row in the transaction of the action. The server log line is written after the commit. */
  async add(entry: ModerationEntry, tx: Transaction): Promise<LoggedAction> {
    const { by, ownerId, detail, ...fields } = entry;
    const row: ModerationAction = {
      _id: new ObjectId(),
      actorId: by === null ? null : by._id,
      actorRole: by === null ? 'operator' : (by.role as ActorRole),
      ownerId: ownerId ?? null,
      detail: detail ?? null,
      ...DEFAULT_FIELDS,
      ...fields,
      createdAt: new Date(),
    };
    await this.actions.insertOne(row, { session: tx.session });
    for (const listener of this.listeners) await listener({ ...entry, _id: row._id }, tx);
    if (DISCLOSED_KINDS.includes(row.kind)) tx.invalidate([LOG_TAG]);
    tx.afterCommit(() => this.logger.log(lineOf(row)));
    return row;
  }
}

function lineOf({ actorId, actorRole, kind, targetKind, targetId, ownerId, detail }: ModerationAction): string {
  const actor = actorId === null ? actorRole : `${actorRole} ${actorId.toHexString()}`;
  const owner = ownerId === null || ownerId.equals(targetId) ? '' : ` of user ${ownerId.toHexString()}`;
  return `${actor} ${ACTIONS[kind]} ${targetKind} ${targetId.toHexString()}${owner}${detail === null ? '' : `: ${detail}`}`;
}
