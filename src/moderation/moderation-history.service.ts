import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { allFields, findMany, findOne, type ReadOptions, streamMany } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { ACTION_KINDS, type ActionKind, DISCLOSED_KINDS } from './action-kinds.js';
import type { ModerationLogQuery } from './dto/moderation-log.query.js';
import {
  BY_ACTOR,
  BY_KIND,
  BY_OWNER,
  BY_TARGET,
  ModerationAction,
  ModerationActionSchema,
} from './moderation-action.schema.js';
import type { LoggedAction } from './moderation-log.service.js';
import type { Removal } from './removal.js';

const FIELDS = allFields(ModerationActionSchema);

const ALL = { _id: 1 } as const;
const LATEST_FIRST = { _id: -1 } as const;

type Filter = QueryFilter<ModerationAction>;

/** Reads the log of moderation, latest actions first. */
@Injectable()
export class ModerationHistoryService {
  constructor(
    private readonly paginator: Paginator,
    @InjectModel(ModerationAction.name) private readonly actions: Model<ModerationAction>,
  ) {}

  /** Lists all actions, or those of one actor or on one target. */
  list({ actorId, targetId, ...query }: ModerationLogQuery): Promise<Page<LoggedAction>> {
    const filter = {
      ...(actorId === undefined ? {} : { actorId: new ObjectId(actorId) }),
      ...(targetId === undefined ? {} : { targetId: new ObjectId(targetId) }),
    };
    const hint = targetId !== undefined ? BY_TARGET : actorId !== undefined ? BY_ACTOR : ALL;
    return this.page(`moderation-log:${actorId ?? ''}:${targetId ?? ''}`, filter, hint, query);
  }

  /** Lists the actions that visitors of a public log see. */
  listDisclosed(query: PageQuery): Promise<Page<LoggedAction>> {
    return this.page('public-moderation-log', { kind: { $in: [...DISCLOSED_KINDS] } }, BY_KIND, query);
  }

  /** Lists the actions on an account and its content that the account sees. */
  listOfOwner(ownerId: ObjectId, query: PageQuery): Promise<Page<LoggedAction>> {
    return this.page(`moderation-of:${ownerId.toHexString()}`, disclosedOf(ownerId), BY_OWNER, query);
  }

  async *streamOfOwner(ownerId: ObjectId): AsyncGenerator<LoggedAction, void, undefined> {
    const rows = streamMany(this.actions, disclosedOf(ownerId), FIELDS, { sort: LATEST_FIRST, hint: BY_OWNER });
    yield* rows;
  }

  latestOn(targetId: ObjectId, limit: number): Promise<LoggedAction[]> {
    return this.find({ targetId }, { limit, hint: BY_TARGET });
  }

  /** Returns the latest actions on an account and its content, with dismissed reports. */
  latestOfOwner(ownerId: ObjectId, limit: number): Promise<LoggedAction[]> {
    return this.find({ ownerId, kind: { $in: ACTION_KINDS } }, { limit, hint: BY_OWNER });
  }

  /** Returns the latest action of these kinds on a target. */
  async findLatest(
    { targetKind, targetId }: Pick<ModerationAction, 'targetKind' | 'targetId'>,
    kinds: readonly ActionKind[],
    tx: Transaction,
  ): Promise<LoggedAction | null> {
    const [row] = await this.find(
      { targetId, targetKind, kind: { $in: [...kinds] } },
      { limit: 1, hint: BY_TARGET, session: tx.session },
    );
    return row ?? null;
  }

  async findById(_id: ObjectId, tx?: Transaction): Promise<LoggedAction | null> {
    return findOne(this.actions, { _id }, FIELDS, tx && { session: tx?.session });
  }

  /** Returns the removal of all content of an account by an action, or null without an action. */
  async removalBy(actionId: ObjectId | null): Promise<Removal | null> {
    if (actionId === null) return null;
    const reason = (await this.findById(actionId))?.publicReason ?? '';
    return { actionId, at: new Date(), reason, isOfAccount: true };
  }

  async findByIds(ids: readonly ObjectId[]): Promise<Map<string, LoggedAction>> {
    const rows = ids.length === 0 ? [] : await this.find({ _id: { $in: [...ids] } }, {});
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  /** Returns the hex ids of the actions that were undone. */
  async findReversed(ids: readonly ObjectId[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await findMany(this.actions, { reverses: { $in: [...ids] } }, { reverses: 1 });
    return new Set(rows.map(({ reverses }) => reverses!.toHexString()));
  }

  private page(
    scope: string,
    filter: Filter,
    hint: NonNullable<ReadOptions['hint']>,
    query: PageQuery,
  ): Promise<Page<LoggedAction>> {
    return this.paginator.listLatest(this.actions, { filter, fields: FIELDS, hint, query, scope });
  }

  private async find(filter: Filter, options: ReadOptions): Promise<LoggedAction[]> {
    return findMany(this.actions, filter, FIELDS, { ...options, sort: LATEST_FIRST });
  }
}

function disclosedOf(ownerId: ObjectId): Filter {
  return { ownerId, kind: { $in: [...DISCLOSED_KINDS] } };
}
