import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import type { Fact } from '../activity/activity-facts.js';
import { BlockLookupService } from '../blocks/block-lookup.service.js';
import { pairId } from '../common/pair-id.js';
import { uniqueIds } from '../common/unique-ids.js';
import { FollowsService } from '../follows/follows.service.js';
import { byIds, type UpdateStatement } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { notificationId } from './notification-id.js';
import { KIND_OPTIONS } from './notification-kinds.js';
import { NotificationMailsService } from './mails/notification-mails.service.js';
import { type NotificationEntry, NotificationRecipientsService } from './notification-recipients.service.js';
import { isMailed } from './notification-settings.js';
import { NOTIFIED } from './notifications.events.js';
import { PushSenderService } from './push/push-sender.service.js';
import {
  type Notification,
  NotificationSchema,
  type NotificationState,
  NotificationStateSchema,
} from './notification.schema.js';

const NOTIFICATION_TTL_MS = 90 * 86_400_000;
/** likes of one target whose accounts are checked first */
const CHECKED_LIKES = 100;

type EnabledEntry = NotificationEntry & { isMailed: boolean };

/** Writes groups, each once per transaction. Uses the settings of accounts at the time of the write. */
@Injectable()
export class NotificationWriterService {
  private readonly rows: Collection<Notification>;
  private readonly states: Collection<NotificationState>;

  constructor(
    mongo: MongoService,
    private readonly recipients: NotificationRecipientsService,
    private readonly follows: FollowsService,
    private readonly blocks: BlockLookupService,
    private readonly mails: NotificationMailsService,
    private readonly pushes: PushSenderService,
  ) {
    this.rows = mongo.collection(NotificationSchema);
    this.states = mongo.collection(NotificationStateSchema);
  }

  /** Writes the groups and queues their mails in the transaction that deletes the facts. */
  async apply(facts: readonly Fact[], tx: Transaction): Promise<void> {
    await this.write(await this.recipients.findFor(facts, tx), ({ kind }) => kind === 'mention', tx);
  }

  /** Adds groups. Idempotent, because existing groups stay unchanged. */
  async addMissing(entries: NotificationEntry[], tx: Transaction): Promise<void> {
    await this.write(entries, () => true, tx);
  }

  private async write(
    entries: NotificationEntry[],
    isUnchanged: (known: Notification) => boolean,
    tx: Transaction,
  ): Promise<void> {
    const now = new Date();
    const times = { createdAt: now, updatedAt: now, expiresAt: new Date(now.getTime() + NOTIFICATION_TTL_MS) };
    const groups = new Map<string, Notification>();
    const mailed = new Map<Notification, NotificationEntry>();
    for (const entry of oncePerComment(await this.allowedEntries(entries, tx))) {
      const { userId, kind, targetId, postId, since } = entry;
      const _id = notificationId(userId, kind, targetId, since);
      const key = _id.toString('hex');
      const fresh = { _id, userId, kind, postId, seq: new ObjectId(), since, ownMark: 'none' as const, ...times };
      const group: Notification = groups.get(key) ?? fresh;
      if (since.toHexString() < group.since.toHexString()) group.since = since;
      groups.set(key, group);
      if (entry.isMailed) mailed.set(group, entry);
    }
    const all = [...groups.values()];
    const fixed = all.filter(isUnchanged);
    const moved = all.filter((group) => !isUnchanged(group));
    const statements = moved.map(({ _id, ...group }): UpdateStatement => ({
      q: { _id },
      u: addTo(group),
      upsert: true,
    }));
    await this.pushes.add(all, isUnchanged, tx);
    await tx.update(this.rows, statements);
    const added = (await tx.insertMissing(this.rows, fixed)).map((at) => fixed[at]!);
    await this.mails.send(
      [...moved, ...added].flatMap((group) => mailed.get(group) ?? []),
      tx,
    );
    const users = new Set([...groups.values()].map(({ userId }) => userId.toHexString()));
    if (users.size > 0) tx.publish(NOTIFIED, [...users]);
  }

  /** Checks the likes of a target beyond the oldest ones only if none of those notifies: each would lead to the same group. */
  private async allowedEntries(entries: NotificationEntry[], tx: Transaction): Promise<EnabledEntry[]> {
    const check = async (some: NotificationEntry[]): Promise<EnabledEntry[]> =>
      this.enabledEntries(await this.blocks.withoutSilenced(await this.recipients.withoutLimited(some, tx), tx), tx);
    const { first, rest } = oldestLikes(entries);
    const allowed = await check(first);
    const notified = new Set(allowed.map(targetOfLike));
    return [...allowed, ...(await check(rest.filter((entry) => !notified.has(targetOfLike(entry)))))];
  }

  private async enabledEntries(entries: NotificationEntry[], tx: Transaction): Promise<EnabledEntry[]> {
    const users = uniqueIds(entries.map(({ userId }) => userId));
    if (users.length === 0) return [];
    const find = { ...byIds(users), settings: { $exists: true } };
    const rows = await tx.find<NotificationState>(this.states, find, { settings: 1 }, users.length);
    const settings = new Map(rows.map((row) => [row._id.toHexString(), row.settings!]));
    const of = ({ userId }: NotificationEntry) => settings.get(userId.toHexString()) ?? {};
    const isChosen = (entry: NotificationEntry): boolean =>
      of(entry).from === 'followed' && !KIND_OPTIONS[entry.kind].isFromAnyone;
    const pairs = entries.filter(isChosen).map(({ userId, actorId }) => [userId, actorId] as const);
    const followed = new Set((await this.follows.findRows(pairs, tx)).map(({ _id }) => _id.toString('hex')));
    const isFollowed = (entry: NotificationEntry): boolean =>
      followed.has(pairId(entry.userId, entry.actorId).toString('hex'));
    return entries.flatMap((entry): EnabledEntry[] => {
      const delivery = of(entry)[entry.kind];
      const isOfThreads = entry.isWatcher !== true || entry.kind !== 'thread' || of(entry).threads === 'watched';
      const isWanted = delivery !== 'off' && isOfThreads && (!isChosen(entry) || isFollowed(entry));
      return isWanted ? [{ ...entry, isMailed: isMailed(delivery) }] : [];
    });
  }
}

/** Splits off the likes of each target beyond the `CHECKED_LIKES` oldest. */
function oldestLikes(entries: NotificationEntry[]): { first: NotificationEntry[]; rest: NotificationEntry[] } {
  const likes = new Map<string, NotificationEntry[]>();
  const first: NotificationEntry[] = [];
  for (const entry of entries) {
    const target = targetOfLike(entry);
    if (target === null) first.push(entry);
    else if (likes.has(target)) likes.get(target)!.push(entry);
    else likes.set(target, [entry]);
  }
  const rest = [...likes.values()].flatMap((ofTarget) => {
    if (ofTarget.length > CHECKED_LIKES) ofTarget.sort((one, other) => Buffer.compare(one.since.id, other.since.id));
    first.push(...ofTarget.slice(0, CHECKED_LIKES));
    return ofTarget.slice(CHECKED_LIKES);
  });
  return { first, rest };
}

/** Returns the hex id of the liked row, or null for other kinds. A target has one author. */
function targetOfLike({ kind, targetId }: NotificationEntry): string | null {
  return kind === 'like_post' || kind === 'like_comment' ? targetId.toHexString() : null;
}

/** Returns one entry per account and comment: the kinds of comments take precedence over `mention`. */
function oncePerComment(entries: EnabledEntry[]): EnabledEntry[] {
  const ofComments = entries.filter(({ kind }) => KIND_OPTIONS[kind].latest === 'comment');
  const reached = new Set(ofComments.map(({ userId, since }) => `${String(userId)} ${String(since)}`));
  return entries.filter(
    ({ kind, userId, targetId, isAlreadyNotified = false }) =>
      !isAlreadyNotified && (kind !== 'mention' || !reached.has(`${String(userId)} ${String(targetId)}`)),
  );
}

/** Moves an existing group to the top of the list and marks it as unread. */
function addTo({ since, createdAt, userId, kind, postId, ...moved }: Omit<Notification, '_id'>): object {
  return { $set: moved, $min: { since }, $setOnInsert: { userId, kind, postId, createdAt } };
}
