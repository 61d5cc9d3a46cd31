import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { REMOVED_MS } from './removal.js';
import { OF_TARGET, RemovedText, TEXT_TARGETS, type TextTarget } from './removed-text.schema.js';

const FIELDS = { targetKind: 1, targetId: 1, ownerId: 1, before: 1, after: 1, expiresAt: 1 } as const;

/** for other rooms, which do not import the schema */
export type StoredTexts = RemovedText;
export type TextsOfTarget = Pick<RemovedText, 'targetKind' | 'targetId' | 'ownerId'>;

export function isTextTarget(kind: string): kind is TextTarget {
  return (TEXT_TARGETS as readonly string[]).includes(kind);
}

/** Stores the texts that removals have emptied: 30 days, and usernames until the account is deleted. */
@Injectable()
export class RemovedTextsService {
  constructor(@InjectModel(RemovedText.name) private readonly texts: Model<RemovedText>) {}

  /** @throws CodedError `already_removed` if nothing would change */
  async add(_id: ObjectId, of: TextsOfTarget, before: object, after: object, tx: Transaction): Promise<void> {
    if (Object.keys(before).length === 0) throw new CodedError('already_removed', 'These texts are already removed.');
    const expiresAt = 'username' in before ? null : keptUntil(_id);
    const { targetKind, targetId, ownerId } = of;
    await this.texts.insertOne(
      { _id, targetKind, targetId, ownerId, before: { ...before }, after: { ...after }, expiresAt },
      { session: tx.session },
    );
  }

  /** Deletes the texts of a removal. @throws CodedError `not_removed` */
  async take(_id: ObjectId | null, tx: Transaction): Promise<RemovedText> {
    const row = _id && (await findOne(this.texts, { _id }, FIELDS, { session: tx.session }));
    if (!row) throw new CodedError('not_removed', 'No text is removed.');
    await this.texts.deleteOne({ _id: row._id }, { session: tx.session });
    return row;
  }

  async has(_id: ObjectId, tx: Transaction): Promise<boolean> {
    return (await findOne(this.texts, { _id }, { _id: 1 }, { session: tx.session })) !== null;
  }

  /** Returns the latest action whose texts are still removed. */
  async findLatest(kind: TextTarget, targetId: ObjectId, tx: Transaction): Promise<ObjectId | null> {
    const options = { sort: { _id: -1 }, hint: OF_TARGET, session: tx.session } as const;
    return (await findOne(this.texts, { targetId, targetKind: kind }, { _id: 1 }, options))?._id ?? null;
  }

  /** Returns the removed texts of these targets, latest first. */
  async findOf(targetIds: readonly ObjectId[]): Promise<RemovedText[]> {
    if (targetIds.length === 0) return [];
    return findMany(this.texts, { targetId: { $in: [...targetIds] } }, FIELDS, { sort: { _id: -1 } });
  }

  /** Returns the removed images of a profile, with the end of the time in which they can be restored. */
  async findPictures(userId: ObjectId): Promise<{ picture: string; until: Date }[]> {
    return (await this.findOf([userId])).flatMap(({ _id, before: { profilePicture: picture } }) =>
      typeof picture === 'string' ? [{ picture, until: keptUntil(_id) }] : [],
    );
  }

  /** Returns the removed texts by the hex id of their action. */
  async findByActions(ids: readonly ObjectId[]): Promise<Map<string, RemovedText>> {
    const rows = ids.length === 0 ? [] : await findMany(this.texts, { _id: { $in: [...ids] } }, FIELDS);
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  /** Deletes the texts of a deleted account. Idempotent. */
  async deleteOf(ownerId: ObjectId): Promise<void> {
    await this.texts.deleteMany({ ownerId });
  }

  /** Whether a moderator removed this username of the account. */
  async hasName(ownerId: ObjectId, username: string, tx: Transaction): Promise<boolean> {
    return (
      (await findOne(this.texts, { ownerId, 'before.username': username }, { _id: 1 }, { session: tx.session })) !==
      null
    );
  }
}

function keptUntil(actionId: ObjectId): Date {
  return new Date(actionId.getTimestamp().getTime() + REMOVED_MS);
}

/** Returns the texts that the owner has not replaced since the removal. */
export function restorable({ before, after }: RemovedText, now: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(before).filter(([field]) => isDeepStrictEqual(now[field] ?? null, after[field] ?? null)),
  );
}

/** Returns removed texts as plain strings. */
export function plainTexts({ before }: Pick<RemovedText, 'before'>): { name: string; text: string }[] {
  return Object.entries(before).map(([name, value]) => ({ name, text: plain(value) }));
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join('\n');
  if (typeof value === 'object' && value !== null) return Object.values(value).map(plain).join(' ');
  return String(value);
}
