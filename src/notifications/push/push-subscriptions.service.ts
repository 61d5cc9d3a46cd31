import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../../common/errors.js';
import { Encryptor } from '../../common/encryptor.js';
import { hashOfSecret } from '../../common/secret-hash.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { findMany, findOne, type Projected } from '../../platform/mongo/lean-reads.js';
import type { Transaction } from '../../platform/mongo/transaction.js';
import type { CreatePushSubscription, PushKeyDto, PushSubscriptionDto } from '../dto/push.dto.js';
import { LATEST, PushSubscription } from './push-subscription.schema.js';
import { areSubscriptionKeys, type SubscriptionKeys, Vapid } from './web-push.js';

const MAX_SUBSCRIPTIONS = 10;
const MAX_REFUSALS = 3;
const MAX_SLOW_MS = 86_400_000;

type PushAddress = { endpoint: string; keys: SubscriptionKeys };
export type PushTarget = PushAddress & Pick<PushSubscription, '_id' | 'userId' | 'slowSince' | 'refusals'>;
/** What a push service did with a message. A slow response counts as none, because it holds a place as long. */
export type PushResponse = 'accepted' | 'refused' | 'slow' | 'none';
const TARGET = { userId: 1, sealed: 1, slowSince: 1, refusals: 1 } as const;
type Row = Pick<PushSubscription, '_id' | 'sealed' | 'createdAt'>;

/** Browsers that receive notifications of an account by Web Push. */
@Injectable()
export class PushSubscriptionsService {
  /** null if Web Push is not configured */
  readonly vapid: Vapid | null;
  private readonly encryptor: Encryptor;

  constructor(
    @InjectModel(PushSubscription.name) private readonly subscriptions: Model<PushSubscription>,
    { auth, webPush }: AppConfig,
  ) {
    this.encryptor = new Encryptor(auth.encryptionKeys, 'push-subscription');
    this.vapid = webPush === undefined ? null : new Vapid(webPush.privateKey, webPush.subject);
  }

  /** @throws CodedError `push_not_configured` */
  key(): PushKeyDto {
    return { publicKey: this.requireVapid().publicKey };
  }

  /**
   * Creates a subscription. Idempotent. A browser belongs to the account that subscribed last. The oldest subscription above the limit
   * ends, because its owner cannot know which browser it belongs to.
   * @throws CodedError `invalid_input`
   */
  async create(viewer: Viewer, { endpoint, keys }: CreatePushSubscription): Promise<PushSubscriptionDto> {
    if (!areSubscriptionKeys(keys))
      throw invalidSubscription('keys', 'must be a public key of P-256 and a secret of 16 bytes');
    const userId = viewer._id;
    const _id = hashOfSecret(endpoint);
    const target: PushAddress = { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
    const row = { userId, sealed: new Binary(this.encryptor.encrypt(target)), createdAt: new Date() };
    await this.subscriptions.updateOne({ _id }, { $set: row }, { upsert: true });
    // After the write, not before it: of concurrent requests, the last one finds all subscriptions.
    const older = await findMany(this.subscriptions, { userId }, { _id: 1 }, { sort: LATEST, skip: MAX_SUBSCRIPTIONS });
    if (older.length > 0) await this.subscriptions.deleteMany({ _id: { $in: older.map((each) => each._id) } });
    return this.dtoOf({ _id, ...row });
  }

  async list(viewer: Pick<Viewer, '_id'>): Promise<PushSubscriptionDto[]> {
    const filter = { userId: viewer._id };
    const rows = await findMany(
      this.subscriptions,
      filter,
      { sealed: 1, createdAt: 1 },
      { sort: LATEST, limit: MAX_SUBSCRIPTIONS },
    );
    return rows.map((row) => this.dtoOf(row));
  }

  /** Idempotent. */
  async delete(viewer: Viewer, id: string): Promise<void> {
    const _id = new Binary(Buffer.from(id, 'base64url'));
    await this.subscriptions.deleteOne({ _id, userId: viewer._id });
  }

  /** Returns null if the subscription was deleted, or its encryption secret is no longer configured. */
  async find(_id: Binary): Promise<PushTarget | null> {
    const row = await findOne(this.subscriptions, { _id }, TARGET);
    return row && this.targetOf(row);
  }

  async findOf(userIds: ObjectId[], tx: Transaction): Promise<PushTarget[]> {
    const rows = await findMany(this.subscriptions, { userId: { $in: userIds } }, TARGET, { session: tx.session });
    return rows.flatMap((row) => this.targetOf(row) ?? []);
  }

  /** Deletes a subscription that can receive nothing more. */
  async deleteExpired(_id: Binary): Promise<void> {
    await this.subscriptions.deleteOne({ _id });
  }

  /** Notes how a push service responded. @returns whether the subscription must end: refused too often, or silent for a day */
  async note({ _id, slowSince, refusals = 0 }: PushTarget, response: PushResponse): Promise<boolean> {
    const now = new Date();
    if (response === 'refused') {
      await this.subscriptions.updateOne({ _id }, { $inc: { refusals: 1 } });
      return refusals + 1 >= MAX_REFUSALS;
    }
    if (response === 'none') {
      if (slowSince === undefined) await this.subscriptions.updateOne({ _id }, { $set: { slowSince: now } });
      return slowSince !== undefined && now.getTime() - slowSince.getTime() > MAX_SLOW_MS;
    }
    const isSlow = response === 'slow';
    if (!isSlow && slowSince === undefined && refusals === 0) return false;
    const unset = { refusals: 1, ...(!isSlow && { slowSince: 1 }) } as const;
    await this.subscriptions.updateOne({ _id }, { $unset: unset, ...(isSlow && { $set: { slowSince: now } }) });
    return false;
  }

  private targetOf({ sealed, ...row }: Projected<PushSubscription, typeof TARGET>): PushTarget | null {
    const address = this.encryptor.decrypt(sealed.buffer) as PushAddress | null;
    return address && { ...address, ...row };
  }

  private dtoOf({ _id, sealed, createdAt }: Row): PushSubscriptionDto {
    const target = this.encryptor.decrypt(sealed.buffer) as PushAddress | null;
    const host = target && new URL(target.endpoint).host;
    return { id: Buffer.from(_id.buffer).toString('base64url'), host, createdAt: createdAt.toISOString() };
  }

  /** @throws CodedError `push_not_configured` */
  requireVapid(): Vapid {
    if (this.vapid === null) throw new CodedError('push_not_configured', 'This server sends no Web Push.');
    return this.vapid;
  }
}

export function invalidSubscription(field: string, message: string): CodedError {
  return new CodedError('invalid_input', 'This is not a push subscription.', { fields: [{ field, message }] });
}
