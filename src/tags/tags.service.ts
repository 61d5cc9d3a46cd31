import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import type { CursorPosition } from '../common/cursor.js';
import type { Page } from '../platform/http/pagination/page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import { NEW_TAG } from './count-tags.js';
import type { TagDetailsDto, TagDto } from './dto/tag.dto.js';
import type { TagsQuery } from './dto/tags.query.js';
import { Tag, TagSchema } from './tag.schema.js';

/** cache tag of the lists */
export const TAGS_TAG = 'tags';
const NO_ID = '0'.repeat(24);
const LAST_CHARACTER = '\u{10ffff}';
const FIELDS = allFields(TagSchema);
const BY_NAME = { _id: 1 } as const;
const BY_POSTS = { postsCount: -1, _id: -1 } as const;

/** Lists tags, and reads one. */
@Injectable()
export class TagsService {
  constructor(
    @InjectModel(Tag.name) private readonly tags: Model<Tag>,
    private readonly paginator: Paginator,
  ) {}

  /** Returns tags of public posts, without hidden ones and aliases. */
  list(query: TagsQuery): Promise<Page<TagDto>> {
    const { sort, prefix } = query;
    const order = sort === 'name' ? BY_NAME : BY_POSTS;
    return this.paginator.list<Tag, TagDto>({
      query,
      scope: `tags|${sort}|${prefix ?? ''}`,
      positionOf: ({ _id, postsCount }) => ({ value: postsCount, id: NO_ID, key: _id }),
      read: (after, limit) =>
        findMany(this.tags, filterOf(query, after), FIELDS, { sort: order, hint: order, limit }) as Promise<Tag[]>,
      resolve: async (rows) => rows.map(toTag),
    });
  }

  /** Returns the tag that an alias stands for. A tag without a row has no posts and no followers. */
  async get(tag: string): Promise<TagDetailsDto> {
    const row = await this.find(tag);
    const real = row.aliasOf === null ? row : await this.find(row.aliasOf);
    return { ...toTag(real), description: real.description };
  }

  private async find(tag: string): Promise<Tag> {
    return (await findOne(this.tags, { _id: tag }, FIELDS)) ?? { _id: tag, ...NEW_TAG };
  }
}

export function toTag({ _id: tag, postsCount, followersCount }: Tag): TagDto {
  return { tag, postsCount, followersCount };
}

/** Returns the rows of the list after a position. */
function filterOf({ sort, prefix }: TagsQuery, after: CursorPosition | null): QueryFilter<Tag> {
  const shown = { isHidden: false, aliasOf: null, postsCount: { $gt: 0 } };
  const named = prefix === undefined ? {} : { $gte: prefix, $lt: prefix + LAST_CHARACTER };
  if (after === null) return prefix === undefined ? shown : { ...shown, _id: named };
  const { key = '', value } = after;
  if (sort === 'name') return { ...shown, _id: { ...named, $gt: key } };
  return {
    $or: [
      { ...shown, postsCount: value, _id: { ...named, $lt: key } },
      { ...shown, postsCount: { $lt: value, $gt: 0 }, ...(prefix === undefined ? {} : { _id: named }) },
    ],
  };
}
