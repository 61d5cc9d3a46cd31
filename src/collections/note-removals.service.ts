import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { pairId } from '../common/pair-id.js';
import { type ModerationTarget, ModerationTargets, type RemovedPart } from '../moderation/moderation-targets.js';
import type { Removal } from '../moderation/removal.js';
import { RemovedTextsService, restorable } from '../moderation/removed-texts.service.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { CollectionItem, ITEM_ORDER } from './collection-item.schema.js';
import { tagOf } from './collection-tags.js';
import { MAX_ITEMS } from './collection-rules.js';

/** Removes notes of a collection for moderators. The posts stay in the collection, and the owner can write new notes. */
@Injectable()
export class NoteRemovalsService implements ModerationTarget {
  constructor(
    private readonly texts: RemovedTextsService,
    private readonly targets: ModerationTargets,
    @InjectModel(CollectionItem.name) private readonly items: Model<CollectionItem>,
  ) {
    targets.register('note', this);
  }

  ownerOf(collectionId: ObjectId, tx: Transaction): Promise<ObjectId> {
    return this.targets.of('collection').ownerOf(collectionId, tx);
  }

  /**
   * Removes the notes on these posts (hex ids); undefined: all.
   * @returns the number of notes, or the post, for the log
   * @throws CodedError `already_removed` without such a note
   */
  async moderate(
    collectionId: ObjectId,
    { actionId }: Pick<Removal, 'actionId'>,
    tx: Transaction,
    { ownerId, postIds }: RemovedPart,
  ): Promise<string> {
    const notes = await this.notesOf(collectionId, tx, postIds);
    const of = { targetKind: 'note', targetId: collectionId, ownerId } as const;
    const posts = Object.keys(notes);
    const none = Object.fromEntries(posts.map((post) => [post, null]));
    await this.texts.add(actionId, of, notes, none, tx);
    await this.write(collectionId, none, tx);
    return posts.length === 1 ? `note on post ${posts[0]}` : `${posts.length} notes`;
  }

  /** Restores the notes that the owner has not replaced since. @throws CodedError `not_removed` */
  async restore(collectionId: ObjectId, tx: Transaction, actionId: ObjectId | null): Promise<void> {
    const removed = await this.texts.take(actionId, tx);
    const current = await this.notesOf(collectionId, tx, Object.keys(removed.before));
    await this.write(collectionId, restorable(removed, current) as Record<string, string>, tx);
  }

  /** Returns the notes of a collection by hex post id, in its order. */
  async notesOf(
    collectionId: ObjectId,
    tx?: Transaction,
    postIds?: readonly string[],
  ): Promise<Record<string, string>> {
    const among = postIds && { _id: { $in: postIds.map((id) => idOf(collectionId, id)) } };
    const filter = { collectionId, note: { $type: 'string' as const }, ...among };
    const options = { sort: ITEM_ORDER, limit: MAX_ITEMS, ...(tx && { session: tx?.session }) };
    const rows = await findMany(this.items, filter, { postId: 1, note: 1 }, options);
    return Object.fromEntries(rows.map(({ postId, note }) => [postId.toHexString(), note!]));
  }

  private async write(collectionId: ObjectId, notes: Record<string, string | null>, tx: Transaction): Promise<void> {
    const updates = Object.entries(notes).map(([post, note]) => {
      return { updateOne: { filter: { _id: idOf(collectionId, post) }, update: { $set: { note } } } };
    });
    if (updates.length > 0) await this.items.bulkWrite(updates, { session: tx.session });
    tx.invalidate([tagOf(collectionId.toHexString())]);
  }
}

function idOf(collectionId: ObjectId, postId: string): CollectionItem['_id'] {
  return pairId(collectionId, ObjectId.createFromHexString(postId));
}
