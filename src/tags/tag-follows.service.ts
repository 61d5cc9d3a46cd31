import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { Exported } from '../users/exported.decorator.js';
import { NEW_TAG } from './count-tags.js';
import type { TagDto, TagFollowDto } from './dto/tag.dto.js';
import { MAX_FOLLOWED_TAGS, TagFollow, tagFollowId } from './tag-follow.schema.js';
import { Tag, TagSchema } from './tag.schema.js';
import { toTag } from './tags.service.js';

const FIELDS = allFields(TagSchema);
const { followersCount: _, ...OF_NEW_TAG } = NEW_TAG;

/** Follows of tags, with the exact number of followers of each tag. */
@Injectable()
export class TagFollowsService {
  constructor(
    private readonly mongo: MongoService,
    @InjectModel(Tag.name) private readonly tags: Model<Tag>,
    @InjectModel(TagFollow.name) private readonly follows: Model<TagFollow>,
  ) {}

  /**
   * Follows the tag that an alias stands for.
   * @returns the state and the count right after this change
   * @throws CodedError `too_many_tags`
   */
  follow({ viewer }: WriteRequest, tag: string): Promise<TagFollowDto> {
    return this.mongo.serializedTransaction(cacheTagOf(tag), async (tx) => {
      const name = (await this.findTag(tag, tx))?.aliasOf ?? tag;
      if ((await this.add(viewer._id, [name], tx)) === 'too many') throw tooMany();
      return this.stateOf(name, true, tx);
    });
  }

  /** Unfollows the tag and, if it is an alias, the tag that it stands for. */
  unfollow({ viewer }: WriteRequest, tag: string): Promise<TagFollowDto> {
    return this.mongo.serializedTransaction(cacheTagOf(tag), async (tx) => {
      const name = (await this.findTag(tag, tx))?.aliasOf ?? tag;
      for (const one of new Set([tag, name])) {
        const { deletedCount } = await this.follows.deleteOne(
          { _id: tagFollowId(viewer._id, one) },
          { session: tx.session },
        );
        if (deletedCount > 0) await this.count([one], -1, tx);
      }
      return this.stateOf(name, false, tx);
    });
  }

  /** Follows these tags in the transaction of their account, up to the limit, the first ones first. */
  async add(userId: ObjectId, tags: readonly string[], tx: Transaction): Promise<'followed' | 'too many'> {
    const rows = await findMany(this.follows, { userId }, { tag: 1 }, { session: tx.session });
    const known = new Set(rows.map(({ tag }) => tag));
    const missing = tags.filter((tag) => !known.has(tag));
    // Concurrent requests may exceed the limit slightly; readers of the follows take only as many.
    const added = missing.slice(0, Math.max(0, MAX_FOLLOWED_TAGS - known.size));
    if (added.length > 0) {
      const documents = added.map((tag) => ({ _id: tagFollowId(userId, tag), userId, tag, seq: new ObjectId() }));
      await this.follows.insertMany(documents, { session: tx.session });
      await this.count(added, 1, tx);
    }
    return added.length < missing.length ? 'too many' : 'followed';
  }

  /** Deletes at most `limit` follows of an account. Returns their number. */
  deleteOf(userId: ObjectId, limit: number): Promise<number> {
    return this.mongo.transaction(async (tx) => {
      const rows = await findMany(this.follows, { userId }, { tag: 1 }, { limit, session: tx.session });
      if (rows.length === 0) return 0;
      await this.follows.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session: tx.session });
      await this.count(
        rows.map(({ tag }) => tag),
        -1,
        tx,
      );
      return rows.length;
    });
  }

  /** Returns the followed tags, latest follow first. */
  async followedTags(userId: ObjectId): Promise<string[]> {
    const latest = { sort: { seq: -1 }, limit: MAX_FOLLOWED_TAGS } as const;
    return (await findMany(this.follows, { userId }, { tag: 1 }, latest)).map(({ tag }) => tag);
  }

  /** As `followedTags`, with the counts. */
  @Exported('tags.json')
  async list(userId: ObjectId): Promise<TagDto[]> {
    const followed = await this.followedTags(userId);
    const rows = await findMany(this.tags, { _id: { $in: followed } }, FIELDS);
    const byName = new Map(rows.map((row) => [row._id, toTag(row)]));
    return followed.flatMap((tag) => byName.get(tag) ?? []);
  }

  private findTag(tag: string, tx: Transaction): Promise<Pick<Tag, 'aliasOf' | 'followersCount'> | null> {
    return findOne(this.tags, { _id: tag }, { aliasOf: 1, followersCount: 1 }, { session: tx.session });
  }

  private async stateOf(tag: string, isFollowing: boolean, tx: Transaction): Promise<TagFollowDto> {
    return { tag, isFollowing, followersCount: (await this.findTag(tag, tx))?.followersCount ?? 0 };
  }

  private async count(tags: readonly string[], change: 1 | -1, tx: Transaction): Promise<void> {
    for (const _id of tags) {
      const update = { $inc: { followersCount: change }, $setOnInsert: OF_NEW_TAG };
      await this.tags.updateOne({ _id }, update, { upsert: true, session: tx.session });
    }
    tx.invalidate(tags.map(cacheTagOf));
  }
}

export function cacheTagOf(tag: string): string {
  return `tag:${tag}`;
}

function tooMany(): CodedError {
  return new CodedError('too_many_tags', `An account follows at most ${MAX_FOLLOWED_TAGS} tags. Unfollow one first.`);
}
