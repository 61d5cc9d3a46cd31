import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, type ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { IMPORTED_DRAFT_PUBLISHED } from '../drafts/drafts.events.js';
import { ImportedDraftsService } from '../drafts/imported-drafts.service.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { ArchiveEntryRow, ArchiveImport } from './import.schema.js';

/** Remembers which posts of archives an account has imported, and which posts they became. */
@Injectable()
export class ArchiveEntries implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly drafts: ImportedDraftsService,
    private readonly posts: PostsService,
    @InjectModel(ArchiveEntryRow.name) private readonly entries: Model<ArchiveEntryRow>,
    @InjectModel(ArchiveImport.name) private readonly imports: Model<ArchiveImport>,
  ) {}

  onModuleInit(): void {
    const progress = { $inc: { 'counts.published': 1 }, $set: { attempts: 0 } };
    this.mongo.hook(IMPORTED_DRAFT_PUBLISHED, async ({ importId, draftId }, { session }) => {
      await this.entries.updateOne({ draftId }, { $set: { isPublished: true } }, { session });
      await this.imports.updateOne({ _id: importId }, progress, { session });
    });
  }

  /** Whether the account still has the draft or the post of an earlier import. Two reads by keys. */
  async isImported(key: Binary): Promise<boolean> {
    const fields = { draftId: 1, postId: 1, isPublished: 1 } as const;
    const row = await findOne(this.entries, { _id: key }, fields);
    if (row === null) return false;
    return row.isPublished ? this.posts.isLive(row.postId) : this.drafts.exists(row.draftId);
  }

  /** Returns the old address of the text of a draft. */
  async findAddress(draftId: ObjectId): Promise<string | null> {
    return (await findOne(this.entries, { draftId }, { address: 1 }))?.address ?? null;
  }

  /** Replaces the row of a draft or post that was deleted. */
  async put({ _id, ...row }: ArchiveEntryRow, tx: Transaction): Promise<void> {
    await this.entries.replaceOne({ _id }, row, { upsert: true, session: tx.session });
  }

  /** Returns the hex ids of posts by their old addresses: published ones, and those that an import is about to publish. */
  async findPosts(
    userId: ObjectId,
    addresses: readonly string[],
    importId?: ObjectId,
  ): Promise<ReadonlyMap<string, string>> {
    if (addresses.length === 0) return new Map();
    const known = {
      userId,
      address: { $in: [...addresses] },
      $or: [{ isPublished: true }, ...(importId ? [{ importId }] : [])],
    };
    const rows = await findMany(this.entries, known, { address: 1, postId: 1 });
    return new Map(rows.map(({ address, postId }) => [address!, postId.toHexString()]));
  }

  /** Forgets the unpublished posts of an import, so that another import may bring them. */
  async forget(importId: ObjectId): Promise<void> {
    await this.entries.deleteMany({ importId, isPublished: false });
  }
}

/** @param sourceId identifies the post in its archive */
export function entryKey(userId: ObjectId, sourceId: string): Binary {
  return new Binary(createHash('sha256').update(userId.id).update(sourceId).digest());
}
