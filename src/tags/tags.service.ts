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
import { BY_TREND, Tag, TagSchema } from './tag.schema.js';

/** cache tag of the lists */
export const TAGS_TAG = 'tags';
const NO_ID = '0'.repeat(24);
const LAST_CHARACTER = '\u{10ffff}';
const FIELDS = allFields(TagSchema);
const ORDERS = { popular: { postsCount: -1, _id: -1 }, trending: BY_TREND, name: { _id: 1 } } as const;
/** the counter of the order */
const VALUES = { popular: 'postsCount', trending: 'trend' } as const;

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
    const order = ORDERS[sort];
    return this.paginator.list<Tag, TagDto>({
      query,
      scope: `tags|${sort}|${prefix ?? ''}`,
      positionOf: ({ _id, ...row }) => ({ value: sort === 'name' ? 0 : row[VALUES[sort]], id: NO_ID, key: _id }),
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

export function toTag({ _id: tag, postsCount, followersCount, trend }: Tag): TagDto {
  return { tag, postsCount, followersCount, trend };
}

/** Returns the rows of the list after a position. */
function filterOf({ sort, prefix }: TagsQuery, after: CursorPosition | null): QueryFilter<Tag> {
  const shown = { isHidden: false, aliasOf: null, postsCount: { $gt: 0 } };
  const named = prefix === undefined ? {} : { $gte: prefix, $lt: prefix + LAST_CHARACTER };
  const list = {
    ...shown,
    ...(sort === 'trending' && { trend: { $gt: 0 } }),
    ...(prefix !== undefined && { _id: named }),
  };
  if (after === null) return list;
  const { key = '', value } = after;
  if (sort === 'name') return { ...list, _id: { ...named, $gt: key } };
  const counter = VALUES[sort];
  return {
    $or: [
      { ...list, [counter]: value, _id: { ...named, $lt: key } },
      { ...list, [counter]: { $lt: value, $gt: 0 } },
    ],
  };
}
