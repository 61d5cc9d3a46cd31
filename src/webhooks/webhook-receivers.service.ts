import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { hasRole } from '../platform/access/viewer.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { CachedRead } from '../platform/events/cached-read.js';
import { EventStream } from '../platform/events/event-stream.js';
import { findMany, type Projected } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { Actor } from '../users/actor.js';
import { isBanned } from '../users/standing.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { WebhookEvent } from './webhook-events.js';
import { OF_ACCOUNT, Webhook } from './webhook.schema.js';
import { WEBHOOKS_CHANGED } from './webhooks.events.js';

export const RECEIVER = { userId: 1, url: 1, isSlow: 1 } as const;
export type Receiver = Projected<Webhook, typeof RECEIVER>;

/** Whether a webhook of this account receives events now. */
export function mayReceive(owner: Actor | null | undefined, { isSiteWide }: Pick<Webhook, 'isSiteWide'>): boolean {
  return !!owner && !isBanned(owner) && (!isSiteWide || hasRole(owner, 'admin'));
}

/** The webhooks that ask for an event. */
export class Receivers {
  private readonly byOwner = new Map<string, Receiver[]>();

  constructor(
    own: readonly Receiver[],
    private readonly ofSite: readonly Receiver[],
  ) {
    for (const receiver of own) {
      const owner = receiver.userId.toHexString();
      this.byOwner.set(owner, [...(this.byOwner.get(owner) ?? []), receiver]);
    }
  }

  get isEmpty(): boolean {
    return this.byOwner.size === 0 && this.ofSite.length === 0;
  }

  /** @param isPublic whether the webhooks of the site receive the event, too */
  of(owners: readonly ObjectId[], isPublic: boolean): Receiver[] {
    const own = owners.flatMap((id) => this.byOwner.get(id.toHexString()) ?? []);
    return isPublic ? [...own, ...this.ofSite] : own;
  }
}

type Requested = { own: ReadonlySet<string>; ofSite: ReadonlySet<string> };

/** Finds the receivers of an event. Each process knows the events that any webhook asks for, so that the others cost no query. */
@Injectable()
export class WebhookReceiversService {
  private readonly requested: CachedRead<Requested>;

  constructor(
    stream: EventStream,
    bus: ClusterBus,
    private readonly accounts: UserAccountsService,
    @InjectModel(Webhook.name) private readonly webhooks: Model<Webhook>,
  ) {
    this.requested = new CachedRead(WEBHOOKS_CHANGED, stream, bus, () => this.readRequested());
  }

  /** Joins the transaction of a change of a webhook. */
  invalidate(tx: Transaction): void {
    this.requested.invalidate(tx);
  }

  async isRequested(type: WebhookEvent): Promise<boolean> {
    const { own, ofSite } = await this.requested.get();
    return own.has(type) || ofSite.has(type);
  }

  /** Finds the webhooks of these accounts, and those of admins for the site. */
  async find(userIds: readonly ObjectId[], type: WebhookEvent, tx: Transaction): Promise<Receivers> {
    const { own, ofSite } = await this.requested.get();
    const among = { userId: { $in: [...userIds] }, isSiteWide: false, isEnabled: true, events: type };
    return new Receivers(
      userIds.length > 0 && own.has(type)
        ? await findMany(this.webhooks, among, RECEIVER, { session: tx.session, hint: OF_ACCOUNT })
        : [],
      ofSite.has(type) ? await this.findOfSite(type, tx) : [],
    );
  }

  private async findOfSite(type: WebhookEvent, tx: Transaction): Promise<Receiver[]> {
    const filter = { isSiteWide: true, isEnabled: true, events: type };
    const rows = await findMany(this.webhooks, filter, RECEIVER, { session: tx.session });
    const owners = await this.accounts.actors([...new Set(rows.map(({ userId }) => userId.toHexString()))]);
    return rows.filter(({ userId }) => mayReceive(owners.get(userId.toHexString()), { isSiteWide: true }));
  }

  /** Reads all enabled webhooks, after changes only. */
  private async readRequested(): Promise<Requested> {
    const read = async (isSiteWide: boolean) =>
      new Set<string>(await this.webhooks.distinct('events', { isSiteWide, isEnabled: true }));
    const [own, ofSite] = await Promise.all([read(false), read(true)]);
    return { own, ofSite };
  }
}
