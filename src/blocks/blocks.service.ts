import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { pairId, pairsOf } from '../common/pair-id.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { AuthorJson } from '../users/author-snapshot.js';
import { Exported } from '../users/exported.decorator.js';
import { UsersService } from '../users/users.service.js';
import { ACCOUNT_BLOCKED } from './blocks.events.js';
import { Block, MAX_PAIRS, Mute } from './block.schema.js';
import type { BlockDto, BlockedUserDto, MuteDto, MutedUserDto } from './dto/block.dto.js';
import { endOf, isInForce } from './until.js';
import { ViewerFiltersService } from './viewer-filters.service.js';

type Pair = { _id: Binary; ownerId: ObjectId; otherId: ObjectId; username: string };
const LISTED = { otherId: 1, seq: 1 } as const;

/** Blocks and mutes accounts, and lists them for their owner only. */
@Injectable()
export class BlocksService {
  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly paginator: Paginator,
    private readonly filters: ViewerFiltersService,
    @InjectModel(Block.name) private readonly blocks: Model<Block>,
    @InjectModel(Mute.name) private readonly mutes: Model<Mute>,
  ) {}

  /**
   * Blocks an account, and ends the follows in both directions in the same transaction. Idempotent.
   * @throws CodedError `user_not_found`, `block_self`, `too_many_blocks`
   */
  async block(viewer: Viewer, username: string): Promise<BlockDto> {
    const pair = await this.pairOf(viewer, username);
    const { _id, ownerId, otherId } = pair;
    await this.mongo.transaction(async (tx) => {
      if ((await findOne(this.blocks, { _id }, { _id: 1 }, { session: tx.session })) !== null) return;
      const row: Block = { _id, ownerId, otherId, seq: new ObjectId() };
      const isMarked = await this.users.markBlock([ownerId, otherId], row.seq, tx);
      if (!isMarked) throw new CodedError('user_not_found', 'Account not found.');
      // The count is exact, because two blocks of an account conflict at its row.
      const count = await this.blocks.countDocuments(
        { _id: pairsOf(ownerId) },
        { limit: MAX_PAIRS, session: tx.session },
      );
      if (count >= MAX_PAIRS) throw tooMany('too_many_blocks', 'blocks');
      await this.blocks.insertOne(row, { session: tx.session });
      this.filters.invalidate([ownerId, otherId], tx);
      await tx.runHooks(ACCOUNT_BLOCKED, { ownerId, otherId });
    });
    return { username: pair.username, isBlocked: true };
  }

  /** Idempotent. Restores no follow. @throws CodedError `user_not_found`, `block_self` */
  async unblock(viewer: Viewer, username: string): Promise<BlockDto> {
    const { _id, ownerId, otherId, ...pair } = await this.pairOf(viewer, username);
    await this.mongo.transaction(async (tx) => {
      const { deletedCount } = await this.blocks.deleteOne({ _id }, { session: tx.session });
      if (deletedCount > 0) this.filters.invalidate([ownerId, otherId], tx);
    });
    return { username: pair.username, isBlocked: false };
  }

  /**
   * Mutes an account, or changes the end of its mute. Idempotent.
   * @param until RFC 3339; undefined: until it is unmuted
   * @throws CodedError `user_not_found`, `block_self`, `invalid_expiry`, `too_many_mutes`
   */
  async mute(viewer: Viewer, username: string, until: string | undefined): Promise<MuteDto> {
    const end = endOf(until);
    const { _id, ownerId, otherId, ...pair } = await this.pairOf(viewer, username);
    const change = { $set: { until: end }, $setOnInsert: { ownerId, otherId, seq: new ObjectId() } };
    await this.mongo.transaction(async (tx) => {
      // Concurrent requests may exceed the limit slightly, which is acceptable.
      const count = await this.mutes.countDocuments(
        { _id: pairsOf(ownerId) },
        { limit: MAX_PAIRS, session: tx.session },
      );
      const options = { upsert: count < MAX_PAIRS, session: tx.session };
      const { matchedCount, upsertedCount } = await this.mutes.updateOne({ _id }, change, options);
      if (matchedCount + upsertedCount === 0) throw tooMany('too_many_mutes', 'has muted');
      this.filters.invalidate([ownerId], tx);
    });
    return { username: pair.username, isMuted: true, until: end?.toISOString() ?? null };
  }

  /** Idempotent. @throws CodedError `user_not_found`, `block_self` */
  async unmute(viewer: Viewer, username: string): Promise<MuteDto> {
    const { _id, ownerId, ...pair } = await this.pairOf(viewer, username);
    await this.mongo.transaction(async (tx) => {
      const { deletedCount } = await this.mutes.deleteOne({ _id }, { session: tx.session });
      if (deletedCount > 0) this.filters.invalidate([ownerId], tx);
    });
    return { username: pair.username, isMuted: false, until: null };
  }

  listBlocks(viewer: Viewer, query: PageQuery): Promise<Page<BlockedUserDto>> {
    return this.paginator.listLatest(this.blocks, {
      filter: { ownerId: viewer._id },
      fields: LISTED,
      by: 'seq',
      query,
      scope: `blocks:${viewer.id}`,
      resolve: (rows) => this.show(rows, (user, { seq }) => ({ user, blockedAt: timeOf(seq) })),
    });
  }

  /** Omits expired mutes. */
  listMutes(viewer: Viewer, query: PageQuery): Promise<Page<MutedUserDto>> {
    return this.paginator.listLatest(this.mutes, {
      filter: { ownerId: viewer._id },
      fields: { ...LISTED, until: 1 },
      by: 'seq',
      query,
      scope: `mutes:${viewer.id}`,
      resolve: (rows) =>
        this.show(rows, (user, { seq, until }) =>
          isInForce({ until }) ? { user, mutedAt: timeOf(seq), until: until?.toISOString() ?? null } : null,
        ),
    });
  }

  /** Returns the usernames that an account blocks and has muted, for its export. */
  @Exported('blocks.json')
  async ownPairs(userId: ObjectId): Promise<{ blocks: string[]; mutes: { username: string; until: Date | null }[] }> {
    const own = { _id: pairsOf(userId) };
    const [blocks, mutes] = await Promise.all([
      findMany(this.blocks, own, { otherId: 1 }),
      findMany(this.mutes, own, { otherId: 1, until: 1 }),
    ]);
    const users = await this.users.findAuthors([...blocks, ...mutes].map(({ otherId }) => otherId));
    const nameOf = ({ otherId }: Pick<Block, 'otherId'>) => users.get(otherId.toHexString())?.username;
    return {
      blocks: blocks.flatMap((row) => nameOf(row) ?? []),
      mutes: mutes.flatMap(({ until, ...row }) => {
        const username = nameOf(row);
        return username === undefined ? [] : [{ username, until }];
      }),
    };
  }

  /** Omits deleted accounts. */
  private async show<Row extends Pick<Mute, 'otherId'>, T>(
    rows: Row[],
    toJson: (user: AuthorJson, row: Row) => T | null,
  ): Promise<(T | null)[]> {
    const users = await this.users.findAuthors(rows.map(({ otherId }) => otherId));
    return rows.map((row) => {
      const user = users.get(row.otherId.toHexString());
      return user === undefined ? null : toJson(user, row);
    });
  }

  private async pairOf(viewer: Viewer, name: string): Promise<Pair> {
    const { _id: otherId, username } = await this.users.getByUsername(name);
    const ownerId = viewer._id;
    if (ownerId.equals(otherId)) throw new CodedError('block_self', 'You cannot block or mute yourself.');
    return { _id: pairId(ownerId, otherId), ownerId, otherId, username };
  }
}

/** Returns the creation time of the row, accurate to a second. */
function timeOf(seq: ObjectId): string {
  return seq.getTimestamp().toISOString();
}

function tooMany(code: 'too_many_blocks' | 'too_many_mutes', does: string): CodedError {
  return new CodedError(code, `An account ${does} at most ${MAX_PAIRS} others. Remove one first.`);
}
