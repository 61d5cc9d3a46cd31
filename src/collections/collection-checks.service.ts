import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { CheckedText } from '../rules/rule-matcher.js';
import { TextChecksService } from '../rules/text-checks.service.js';
import type { Verdict } from '../rules/verdict.js';
import { PostCollection } from './collection.schema.js';
import { NoteRemovalsService } from './note-removals.service.js';

type Texts = Partial<Pick<PostCollection, 'title' | 'description' | 'tags' | 'thumbnailUrl'>>;
type Checked = Pick<PostCollection, '_id' | 'ownerId'>;

/** Checks texts of public collections with the rules for texts. A private collection is checked when its owner publishes it. */
@Injectable()
export class CollectionChecksService {
  constructor(
    private readonly mongo: MongoService,
    private readonly texts: TextChecksService,
    private readonly notes: NoteRemovalsService,
    @InjectModel(PostCollection.name) private readonly collections: Model<PostCollection>,
  ) {}

  /** Returns what the rules demand for the texts of a new collection. @throws CodedError `content_rejected`, `overloaded` */
  checkNew(row: Checked, texts: Texts): Promise<Verdict | null> {
    return this.texts.check(contentOf(row), textsOf(texts));
  }

  /** As `checkNew` for changed texts, and for all texts and notes of a published collection. */
  async checkEdit(
    row: Checked & Texts & Pick<PostCollection, 'isPublic'>,
    changes: Partial<PostCollection>,
  ): Promise<Verdict | null> {
    if (!(changes.isPublic ?? row.isPublic)) return null;
    const isPublished = !row.isPublic;
    const notes = isPublished ? Object.values(await this.notes.notesOf(row._id)) : [];
    const all = textsOf(isPublished ? { ...row, ...changes } : changes);
    return this.texts.check(contentOf(row), [...all, ...notes.map((text) => ({ field: 'note', text }))]);
  }

  /** Applies the verdict in the transaction that stores the texts. */
  async apply(verdict: Verdict | null, row: Checked, tx: Transaction): Promise<void> {
    if (verdict !== null) await this.texts.apply(verdict, contentOf(row), tx);
  }

  /** Stores a note of an owner between the check and its effects, because items are stored in the batch of another process. */
  async aroundNote<T>(
    { collectionId, ownerId, note }: { collectionId: ObjectId; ownerId: ObjectId; note: string | null | undefined },
    store: () => Promise<T>,
  ): Promise<T> {
    if (!note || !(await this.texts.hasRules())) return store();
    const ownPublic = { _id: collectionId, ownerId, isPublic: true };
    if ((await findOne(this.collections, ownPublic, { _id: 1 })) === null) return store();
    const content = { ...contentOf({ _id: collectionId, ownerId }), isNote: true };
    const verdict = await this.texts.check(content, [{ field: 'note', text: note }]);
    const stored = await store();
    if (verdict !== null) await this.mongo.transaction((tx) => this.texts.apply(verdict, content, tx));
    return stored;
  }
}

function contentOf({ _id, ownerId }: Checked) {
  return { scope: 'collection', authorId: ownerId, targetId: _id } as const;
}

function textsOf({ title, description, tags, thumbnailUrl }: Texts): CheckedText[] {
  const texts = Object.entries({ title, description, tags: tags?.join('\n') });
  return [
    ...texts.flatMap(([field, text]) => (text ? [{ field, text }] : [])),
    ...(thumbnailUrl ? [{ field: 'thumbnailUrl', text: thumbnailUrl, isUrl: true }] : []),
  ];
}
