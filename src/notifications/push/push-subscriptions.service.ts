import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../../common/errors.js';
import { Encryptor } from '../../common/encryptor.js';
import { hashOfSecret } from '../../common/secret-hash.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../../platform/auth/viewer.js';
import { findMany, findOne } from '../../platform/mongo/lean-reads.js';
import type { CreatePushSubscription, PushKeyDto, PushSubscriptionDto } from '../dto/push.dto.js';
import { PushSubscription } from './push-subscription.schema.js';
import { areSubscriptionKeys, type SubscriptionKeys, Vapid } from './web-push.js';

const MAX_SUBSCRIPTIONS = 10;

export type PushTarget = { endpoint: string; keys: SubscriptionKeys };
type Row = Pick<PushSubscription, '_id' | 'sealed' | 'createdAt'>;

/** Browsers that receive notifications of an account by Web Push. */
@Injectable()
export class PushSubscriptions {
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
   * Creates a subscription. Idempotent. A browser belongs to the account that subscribed last.
   * @throws CodedError `push_not_configured`, `invalid_input`, `too_many_push_subscriptions`
   */
  async create(viewer: Viewer, { endpoint, keys }: CreatePushSubscription): Promise<PushSubscriptionDto> {
    this.requireVapid();
    if (!areSubscriptionKeys(keys)) {
      const fields = [{ field: 'keys', message: 'must be a public key of P-256 and a secret of 16 bytes' }];
      throw new CodedError('invalid_input', 'The keys do not belong to a push subscription.', { fields });
    }
    const userId = ObjectId.createFromHexString(viewer.id);
    const _id = hashOfSecret(endpoint);
    const own = await findMany(this.subscriptions, { userId }, { _id: 1 }, { limit: MAX_SUBSCRIPTIONS });
    // Concurrent requests may exceed the limit slightly, which is acceptable.
    if (own.length >= MAX_SUBSCRIPTIONS && !own.some((row) => hex(row._id) === hex(_id))) {
      const detail = `An account has at most ${MAX_SUBSCRIPTIONS} push subscriptions. Delete one first.`;
      throw new CodedError('too_many_push_subscriptions', detail);
    }
    const target: PushTarget = { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
    const row = { userId, sealed: new Binary(this.encryptor.encrypt(target)), createdAt: new Date() };
    await this.subscriptions.updateOne({ _id }, { $set: row }, { upsert: true });
    return this.dtoOf({ _id, ...row });
  }

  async list(viewer: Pick<Viewer, 'id'>): Promise<PushSubscriptionDto[]> {
    const filter = { userId: ObjectId.createFromHexString(viewer.id) };
    const rows = await findMany(this.subscriptions, filter, { sealed: 1, createdAt: 1 }, { limit: MAX_SUBSCRIPTIONS });
    return rows.map((row) => this.dtoOf(row));
  }

  /** Idempotent. */
  async remove(viewer: Viewer, id: string): Promise<void> {
    const _id = new Binary(Buffer.from(id, 'base64url'));
    await this.subscriptions.deleteOne({ _id, userId: ObjectId.createFromHexString(viewer.id) });
  }

  /** Returns null if the subscription was deleted, or its encryption secret is no longer configured. */
  async find(_id: Binary): Promise<(PushTarget & { userId: ObjectId }) | null> {
    const row = await findOne(this.subscriptions, { _id }, { userId: 1, sealed: 1 });
    const target = row && (this.encryptor.decrypt(row.sealed.buffer) as PushTarget | null);
    return target && { ...target, userId: row.userId };
  }

  /** Deletes a subscription that the push service has rejected as expired. */
  async deleteExpired(_id: Binary): Promise<void> {
    await this.subscriptions.deleteOne({ _id });
  }

  private dtoOf({ _id, sealed, createdAt }: Row): PushSubscriptionDto {
    const target = this.encryptor.decrypt(sealed.buffer) as PushTarget | null;
    const host = target && new URL(target.endpoint).host;
    return { id: Buffer.from(_id.buffer).toString('base64url'), host, createdAt: createdAt.toISOString() };
  }

  private requireVapid(): Vapid {
    if (this.vapid === null) throw new CodedError('push_not_configured', 'This server sends no Web Push.');
    return this.vapid;
  }
}

function hex({ buffer }: Binary): string {
  return Buffer.from(buffer).toString('hex');
}
