import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { NEW_TAG } from './count-tags.js';
import type { TagDetailsDto } from './dto/tag.dto.js';
import type { UpdateTag } from './dto/update-tag.dto.js';
import { hashOfTag } from './tag-follow.schema.js';
import { cacheTagOf } from './tag-follows.service.js';
import { Tag } from './tag.schema.js';
import { TAGS_TAG, TagsService } from './tags.service.js';

/** The texts and aliases of tags, by moderators. */
@Injectable()
export class TagEditsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly reads: TagsService,
    private readonly log: ModerationLogService,
    @InjectModel(Tag.name) private readonly tags: Model<Tag>,
  ) {}

  /** @returns the tag, or the one that it now stands for. @throws CodedError `invalid_alias` */
  async update(by: Viewer, tag: string, body: UpdateTag): Promise<TagDetailsDto> {
    const given = Object.entries(body).filter(([, value]) => value !== undefined);
    const changes: UpdateTag = Object.fromEntries(given);
    if (given.length === 0) return this.reads.get(tag);
    // Two aliases at the same time could make a cycle.
    await this.mongo.serializedTransaction('aliases of tags', async (tx) => {
      if (typeof changes.aliasOf === 'string') await this.requireRealTag(tag, changes.aliasOf, tx);
      const { postsCount, followersCount, trend, ...texts } = NEW_TAG;
      const $setOnInsert = { postsCount, followersCount, trend, ...omit(texts, changes) };
      const update = { $set: changes, $setOnInsert };
      await this.tags.updateOne({ _id: tag }, update, { upsert: true, session: tx.session });
      const detail = `${tag}: ${Object.keys(changes).join(', ')}`;
      await this.log.add({ by, kind: 'change_tag', targetKind: 'tag', targetId: hashOfTag(tag), detail }, tx);
      tx.invalidate([TAGS_TAG, cacheTagOf(tag)]);
    });
    return this.reads.get(tag);
  }

  /** An alias stands for a tag that is no alias, so no chain and no cycle exists. @throws CodedError `invalid_alias` */
  private async requireRealTag(tag: string, of: string, tx: Transaction): Promise<void> {
    if (of === tag) throw invalidAlias('must be another tag');
    const target = await findOne(this.tags, { _id: of }, { aliasOf: 1 }, { session: tx.session });
    if (target !== null && target.aliasOf !== null) throw invalidAlias(`is an alias of ${target.aliasOf}`);
    const ofTag = { aliasOf: { $type: 'string', $eq: tag } } as const;
    const own = await findOne(this.tags, ofTag, { _id: 1 }, { session: tx.session });
    if (own !== null) throw invalidAlias(`must not be set, because ${own._id} is an alias of this tag`);
  }
}

function omit<Fields extends object>(fields: Fields, names: object): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in names))) as Partial<Fields>;
}

function invalidAlias(message: string): CodedError {
  return new CodedError('invalid_alias', `aliasOf ${message}.`, { fields: [{ field: 'aliasOf', message }] });
}
