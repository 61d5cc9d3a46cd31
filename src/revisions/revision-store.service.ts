import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { publicUrl } from '../common/own-files.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { LABEL_PROJECTION, labelsOf, presentLabels } from '../posts/stored-labels.js';
import { decompressBody } from '../rendering/body-codec.js';
import { Revision, revisionId, revisionsOf, versionOf } from './revision.schema.js';
import type { RevisionCardDto, RevisionDto } from './revision.dto.js';
import type { StoredText } from './stored-text.js';

/** number of latest versions of a holder that are always retained */
const MAX_REVISIONS = 50;
/** how long the last version of each older day is retained */
const RETENTION_DAYS = 365;
/** number of versions between two checks for thinning */
const THIN_EVERY = 25;
const DAY_MS = 86_400_000;

const CARD_FIELDS = { ...LABEL_PROJECTION, rawLength: 1, savedAt: 1 } as const;
const ALL_FIELDS = { ...CARD_FIELDS, codec: 1, bytes: 1 } as const;

type CardRow = Pick<Revision, '_id' | keyof typeof CARD_FIELDS>;

/** The versions of a holder to read: all, or only public ones. */
export type RevisionScope = 'all' | 'public';
const FILTERS = { all: {}, public: { wasPublic: true } } as const;

/** Earlier versions of the texts of posts and drafts. The modules that own posts and drafts check access. */
@Injectable()
export class RevisionStoreService {
  constructor(
    private readonly paginator: Paginator,
    @InjectModel(Revision.name) private readonly revisions: Model<Revision>,
  ) {}

  /** Stores versions in the transaction that replaces them. */
  async store(rows: Revision[], tx: Transaction): Promise<void> {
    await tx.insert(this.revisions.collection, rows);
  }

  /** Lists versions, newest first. */
  list(holderId: ObjectId, query: PageQuery, readable: RevisionScope = 'all'): Promise<Page<RevisionCardDto>> {
    const id = holderId.toHexString();
    return this.paginator.list<CardRow, RevisionCardDto>({
      query,
      scope: `revisions|${id}`,
      positionOf: (row) => ({ value: versionOf(row), id }),
      read: (after, limit) => {
        const filter = { ...revisionsOf(holderId, after?.value), ...FILTERS[readable] };
        return findMany(this.revisions, filter, CARD_FIELDS, { sort: { _id: -1 }, limit });
      },
      resolve: async (rows) => rows.map(cardOf),
    });
  }

  /** @throws CodedError `revision_not_found` */
  async get(holderId: ObjectId, version: number, readable: RevisionScope = 'all'): Promise<RevisionDto> {
    const filter = { _id: revisionId(holderId, version), ...FILTERS[readable] };
    const row = await findOne(this.revisions, filter, ALL_FIELDS);
    if (row === null) throw revisionNotFound();
    return { ...cardOf(row), content: decompressBody({ ...row, bytes: row.bytes.buffer }) };
  }

  /** @throws CodedError `revision_not_found` */
  async delete(holderId: ObjectId, version: number): Promise<void> {
    const { deletedCount } = await this.revisions.deleteOne({ _id: revisionId(holderId, version) }).exec();
    if (deletedCount === 0) throw revisionNotFound();
  }

  /** Deletes all versions of a deleted holder. @returns the number of deleted rows, at most some hundred */
  async deleteAll(holderId: ObjectId): Promise<number> {
    return (await this.revisions.deleteMany(revisionsOf(holderId))).deletedCount;
  }

  /** Whether to thin the versions after this version was replaced. */
  isThinningDue(version: number): boolean {
    return version > MAX_REVISIONS && version % THIN_EVERY === 0;
  }

  /** Retains the newest MAX_REVISIONS, and the last version of each older day for a year. @returns the number of deleted rows */
  async thin(holderId: ObjectId): Promise<number> {
    const options = { sort: { _id: -1 } } as const;
    const rows = await findMany(this.revisions, revisionsOf(holderId), { savedAt: 1 }, options);
    const days = new Set<number>();
    const oldest = Date.now() - RETENTION_DAYS * DAY_MS;
    const over: Binary[] = rows.slice(MAX_REVISIONS).flatMap(({ _id, savedAt }) => {
      const day = Math.floor(savedAt.getTime() / DAY_MS);
      const isKept = savedAt.getTime() >= oldest && !days.has(day);
      days.add(day);
      return isKept ? [] : [_id];
    });
    if (over.length > 0) await this.revisions.deleteMany({ _id: { $in: over } });
    return over.length;
  }
}

/** Returns the row of a replaced text. @param wasPublic whether everyone could read the text before */
export function revisionRow(
  holderId: ObjectId,
  version: number,
  text: StoredText,
  savedAt: Date,
  wasPublic = false,
): Revision {
  const { codec, rawLength, bytes } = text;
  return {
    _id: revisionId(holderId, version),
    ...{ ...presentLabels(text), codec, rawLength, bytes, savedAt, wasPublic },
  };
}

function cardOf(row: CardRow): RevisionCardDto {
  const labels = { ...labelsOf(row), thumbnailUrl: publicUrl(row.thumbnailUrl) };
  return { version: versionOf(row), ...labels, bytes: row.rawLength, savedAt: row.savedAt.toISOString() };
}

function revisionNotFound(): CodedError {
  return new CodedError('revision_not_found', 'Version not found: it is the current version, or it was not stored.');
}
