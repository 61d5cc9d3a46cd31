import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Interval } from '@nestjs/schedule';
import type { Model } from 'mongoose';
import { FeedService } from '../../feed/feed.service.js';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { CodedError } from '../../common/errors.js';
import { eachRow } from '../../platform/jobs/each-row.js';
import { Leased } from '../../platform/jobs/leased.decorator.js';
import { findMany } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { skipRow } from '../../platform/mongo/readable-rows.js';
import { PostsService } from '../../posts/posts.service.js';
import type { Actor } from '../../users/actor.js';
import { isBanned } from '../../users/standing.js';
import { UserAccountsService } from '../../users/user-accounts.service.js';
import { digestOffsetMs, nextDigestAt, periodMs } from './digest-time.js';
import { type DigestPost, type DigestSections, NotificationMailsService } from './notification-mails.service.js';
import { DEFAULT_SETTINGS } from '../notification-settings.js';
import { NotificationState } from '../notification.schema.js';
import { NotificationsService } from '../notifications.service.js';

const INTERVAL_MS = 60_000;
const BATCH = 100;
const MAX_UNREAD = 10;
const MAX_POSTS = 5;
/** number of latest posts from which the digest takes those with the highest scores */
const CONSIDERED_POSTS = 100;

type DueState = Pick<NotificationState, '_id' | 'settings' | 'nextDigestAt'>;

/** Sends due digests. The mail and the time of the next digest commit together, so each digest is sent once. */
@Injectable()
export class DigestJob {
  constructor(
    private readonly mongo: MongoService,
    private readonly notifications: NotificationsService,
    private readonly feed: FeedService,
    private readonly posts: PostsService,
    private readonly mails: NotificationMailsService,
    private readonly accounts: UserAccountsService,
    @InjectModel(NotificationState.name) private readonly states: Model<NotificationState>,
  ) {}

  /** Sends digests until none is due. @throws as `eachRow` */
  @Interval(INTERVAL_MS)
  @Leased<DigestJob>('digests', { isDue: async (job) => (await job.findDue(1)).length > 0 })
  async run(signal: AbortSignal): Promise<void> {
    for (let rows = await this.findDue(BATCH); rows.length > 0; rows = await this.findDue(BATCH))
      await eachRow(rows, signal, (row) => this.send(row).catch((error: unknown) => this.skip(row, error)));
  }

  private findDue(limit: number): Promise<DueState[]> {
    const filter = { nextDigestAt: { $type: 'date', $lte: new Date() } } as const;
    return findMany(this.states, filter, { settings: 1, nextDigestAt: 1 }, { sort: { nextDigestAt: 1 }, limit });
  }

  /** Sends no mail if both sections are empty, or to a banned account. */
  private async send({ _id, settings, nextDigestAt: dueAt }: DueState): Promise<void> {
    const all = { ...DEFAULT_SETTINGS, ...settings };
    const { digest } = all;
    const reader = digest === 'off' ? null : await this.accounts.actor(_id);
    const isSent = digest !== 'off' && reader !== null && !isBanned(reader);
    const sections = isSent ? await this.sectionsOf(reader, dueAt!, periodMs(digest)) : NOTHING;
    const next = nextDigestAt(all, new Date(), digestOffsetMs(_id));
    await this.mongo.transaction(async (tx) => {
      const moved = next === null ? { $unset: { nextDigestAt: 1 as const } } : { $set: { nextDigestAt: next } };
      const { matchedCount } = await this.states.updateOne({ _id, nextDigestAt: dueAt! }, moved, {
        session: tx.session,
      });
      // The account changed its settings, or another process has sent this digest.
      if (matchedCount === 0 || sections.unread.length + sections.posts.length === 0) return;
      await this.mails.sendDigest(_id, sections, tx);
    });
  }

  /** Leaves out a digest that cannot be made, for a day; an outage or a rejection is tried again. */
  private async skip({ _id, nextDigestAt: dueAt }: DueState, error: unknown): Promise<void> {
    if (isDatabaseOutage(error) || error instanceof CodedError) throw error;
    skipRow('digests', _id, error);
    const next = new Date(Date.now() + periodMs('daily'));
    await this.states.updateOne({ _id, nextDigestAt: dueAt! }, { $set: { nextDigestAt: next } }).exec();
  }

  private async sectionsOf(viewer: Actor, dueAt: Date, period: number): Promise<DigestSections> {
    const since = new Date(dueAt.getTime() - period).toISOString();
    const [{ data }, posts] = await Promise.all([
      this.notifications.list(viewer, { limit: MAX_UNREAD, unread: true }),
      this.topPosts(viewer, since),
    ]);
    return { unread: data.filter(({ updatedAt }) => updatedAt >= since), posts };
  }

  /** Returns the top posts since `since` of accounts that the viewer follows, highest score first. */
  private async topPosts(viewer: Actor, since: string): Promise<DigestPost[]> {
    const ids = await this.feed.latestFollowed(viewer, CONSIDERED_POSTS);
    const cards = (await this.posts.findCards(ids, viewer)).filter(({ createdAt }) => createdAt >= since);
    const scores = await this.posts.topScoresOf(ids);
    const scoreOf = ({ id }: { id: string }): number => scores.get(id) ?? 0;
    return cards.sort((a, b) => scoreOf(b) - scoreOf(a)).slice(0, MAX_POSTS);
  }
}

const NOTHING: DigestSections = { unread: [], posts: [] };
