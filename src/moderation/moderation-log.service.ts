import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type ClientSession, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CursorCodec } from '../common/cursor.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { type Page, pageOf } from '../platform/http/pagination/page.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { ACTIONS, type ActionKind, type ActorRole, type TargetKind } from './action-kinds.js';
import type { ModerationLogQuery } from './dto/moderation-log.query.js';
import { BY_ACTOR, BY_TARGET, ModerationAction } from './moderation-action.schema.js';

export type ModerationEntry = {
  /** null for the operator (a CLI command) */
  by: Viewer | null;
  kind: ActionKind;
  targetKind: TargetKind;
  targetId: ObjectId;
  /** the owner of the content; actions on one's own content are not logged */
  ownerId?: ObjectId;
  detail?: string;
};

const FIELDS = {
  actorId: 1,
  actorRole: 1,
  kind: 1,
  targetKind: 1,
  targetId: 1,
  ownerId: 1,
  detail: 1,
  createdAt: 1,
} as const satisfies Record<Exclude<keyof ModerationAction, '_id'>, 1>;

const ALL = { _id: 1 } as const;

/** Writes in the transaction of an action. */
export type ModerationListener = (entry: ModerationEntry, session: ClientSession) => Promise<void>;

/** The audit log of moderators, admins and operators. Rows are never changed or deleted; each one also writes a server log line. */
@Injectable()
export class ModerationLog {
  private readonly logger = new Logger('Moderation');
  private readonly listeners: ModerationListener[] = [];

  constructor(
    private readonly mongo: MongoService,
    private readonly cursors: CursorCodec,
    @InjectModel(ModerationAction.name) private readonly actions: Model<ModerationAction>,
  ) {}

  /** Registers a listener that writes in the transaction of each logged action. */
  onRecord(listener: ModerationListener): void {
    this.listeners.push(listener);
  }

  /** Inserts a row in the transaction of the action. The server log line is written after the commit. */
  async record(entry: ModerationEntry, session: ClientSession): Promise<void> {
    const { by, kind, targetKind, targetId, ownerId, detail } = entry;
    if (by !== null && by.id === ownerId?.toHexString()) return;
    const row: ModerationAction = {
      _id: new ObjectId(),
      actorId: by === null ? null : ObjectId.createFromHexString(by.id),
      actorRole: by === null ? 'operator' : (by.role as ActorRole),
      ...{ kind, targetKind, targetId },
      ownerId: ownerId ?? null,
      detail: detail ?? null,
      createdAt: new Date(),
    };
    await this.actions.insertOne(row, { session });
    for (const listener of this.listeners) await listener(entry, session);
    this.mongo.afterCommit(session, () => this.logger.log(lineOf(row)));
  }

  /** Lists actions, latest first. */
  async list({ actorId, targetId, limit, cursor }: ModerationLogQuery): Promise<Page<ModerationAction>> {
    const scope = `moderation-log:${actorId ?? ''}:${targetId ?? ''}`;
    const before = cursor === undefined ? undefined : this.cursors.decode(scope, cursor).id;
    const filter = {
      ...(actorId === undefined ? {} : { actorId: new ObjectId(actorId) }),
      ...(targetId === undefined ? {} : { targetId: new ObjectId(targetId) }),
      ...(before === undefined ? {} : { _id: { $lt: new ObjectId(before) } }),
    };
    const hint = targetId !== undefined ? BY_TARGET : actorId !== undefined ? BY_ACTOR : ALL;
    const rows = await findMany(this.actions, filter, FIELDS, { sort: { _id: -1 }, limit: limit + 1, hint });
    return pageOf(
      rows,
      limit,
      (row) => row,
      ({ _id }) => this.cursors.encode(scope, { id: _id.toHexString() }),
    );
  }
}

function lineOf({ actorId, actorRole, kind, targetKind, targetId, ownerId, detail }: ModerationAction): string {
  const actor = actorId === null ? actorRole : `${actorRole} ${actorId.toHexString()}`;
  const owner = ownerId === null ? '' : ` of user ${ownerId.toHexString()}`;
  return `${actor} ${ACTIONS[kind]} ${targetKind} ${targetId.toHexString()}${owner}${detail === null ? '' : `: ${detail}`}`;
}
