import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/access/viewer.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { Exported } from '../users/exported.decorator.js';
import { ContentFilter, FILTER_FIELDS, type FilterRow, MAX_FILTERS } from './content-filter.schema.js';
import type { ContentFilterDto, CreateContentFilter, UpdateContentFilter } from './dto/content-filter.dto.js';
import { keyOf } from './phrase-matcher.js';
import { endOf, isInForce } from './until.js';
import { ViewerFiltersService } from './viewer-filters.service.js';

/** Creates, updates and deletes filters by phrase, and lists them for their owner only. */
@Injectable()
export class ContentFiltersService {
  constructor(
    private readonly mongo: MongoService,
    private readonly viewerFilters: ViewerFiltersService,
    @InjectModel(ContentFilter.name) private readonly filters: Model<ContentFilter>,
  ) {}

  /** Returns the filters by phrase, without expired ones. */
  @Exported('filters.json')
  async list(ownerId: ObjectId): Promise<ContentFilterDto[]> {
    const rows = await findMany(this.filters, { ownerId }, FILTER_FIELDS, { sort: { key: 1 }, limit: MAX_FILTERS });
    return rows.filter(isInForce).map(toDto);
  }

  /** @throws CodedError `invalid_input` for a phrase without letters and signs, `invalid_expiry`, `filter_exists`, `too_many_filters` */
  async create({ _id: ownerId }: Viewer, draft: CreateContentFilter): Promise<ContentFilterDto> {
    const { phrase, isWholeWord = true, in: kinds, action } = draft;
    const key = requireKey(phrase);
    const until = endOf(draft.until);
    const row: ContentFilter = { _id: new ObjectId(), ownerId, phrase, key, isWholeWord, in: kinds, action, until };
    await this.change(ownerId, async (tx) => {
      // Concurrent requests may exceed the limit slightly, which is acceptable.
      const count = await this.filters.countDocuments({ ownerId }, { limit: MAX_FILTERS, session: tx.session });
      if (count >= MAX_FILTERS) throw tooMany();
      await this.filters.insertOne(row, { session: tx.session });
    });
    return toDto(row);
  }

  /** @throws CodedError `filter_not_found`, and as `create` */
  async update(
    { _id: ownerId }: Viewer,
    _id: ObjectId,
    { until, ...edit }: UpdateContentFilter,
  ): Promise<ContentFilterDto> {
    const key = edit.phrase === undefined ? {} : { key: requireKey(edit.phrase) };
    const $set = { ...edit, ...key, ...(until === undefined ? {} : { until: endOf(until) }) };
    return this.change(ownerId, async (tx) => {
      const row = await this.filters
        .findOneAndUpdate(
          { _id, ownerId },
          { $set },
          { returnDocument: 'after', projection: FILTER_FIELDS, session: tx.session },
        )
        .lean<FilterRow | null>()
        .exec();
      if (row === null) throw notFound();
      return toDto(row);
    });
  }

  /** @throws CodedError `filter_not_found` */
  async delete({ _id: ownerId }: Viewer, _id: ObjectId): Promise<void> {
    await this.change(ownerId, async (tx) => {
      const { deletedCount } = await this.filters.deleteOne({ _id, ownerId }, { session: tx.session });
      if (deletedCount === 0) throw notFound();
    });
  }

  private async change<T>(ownerId: ObjectId, write: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.mongo.transaction(async (tx) => {
        const result = await write(tx);
        this.viewerFilters.invalidate([ownerId], tx);
        return result;
      });
    } catch (error) {
      throw isDuplicateKey(error)
        ? new CodedError('filter_exists', 'You already have a filter of this phrase. Update it instead.')
        : error;
    }
  }
}

function toDto({ _id, phrase, isWholeWord, in: kinds, action, until }: FilterRow): ContentFilterDto {
  return { id: _id.toHexString(), phrase, isWholeWord, in: kinds, action, until };
}

/** @throws CodedError `invalid_input` */
function requireKey(phrase: string): string {
  const key = keyOf(phrase);
  if (key !== '') return key;
  const message = 'must contain a letter, a digit or a sign other than an accent';
  throw new CodedError('invalid_input', `phrase ${message}`, { fields: [{ field: 'phrase', message }] });
}

function notFound(): CodedError {
  return new CodedError('filter_not_found', 'Filter not found.');
}

function tooMany(): CodedError {
  return new CodedError('too_many_filters', `An account has at most ${MAX_FILTERS} filters. Delete one first.`);
}
