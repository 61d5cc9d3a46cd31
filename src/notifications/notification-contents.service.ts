import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { ActorRange } from '../activity/actor-range.js';
import { type ListFilter, NO_FILTER } from '../blocks/list-filter.js';
import { CollectionsService } from '../collections/collections.service.js';
import type { CommentJson } from '../comments/comment-view.js';
import { CommentsService } from '../comments/comments.service.js';
import { uniqueIds } from '../common/unique-ids.js';
import { DraftsService } from '../drafts/drafts.service.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import type { LoggedAction } from '../moderation/moderation-log.service.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { PostSummary } from '../posts/card/post-card.js';
import { PostsService } from '../posts/posts.service.js';
import { CasesService, type ListedCase } from '../reports/cases.service.js';
import { UsersService } from '../users/users.service.js';
import type { NotificationDto, NotifiedActionDto, NotifiedCaseDto } from './dto/notification.dto.js';
import { encodeId, rangeOf, targetOf } from './notification-id.js';
import { KIND_OPTIONS, type KindOptions, type NotificationKind } from './notification-kinds.js';
import type { Notification } from './notification.schema.js';

export const MAX_COUNTED = 100;
const MAX_ACTORS = 3;
/** maximum number of ranges in one aggregation */
const MAX_RANGES = 50;

type Row = { actor?: ObjectId; row: ObjectId };
type Group = {
  notification: Notification;
  options: KindOptions;
  on: KindOptions['on'];
  targetId: ObjectId;
  rows: Row[];
  /** hex ids of the accounts of the rows, latest first */
  actorIds: string[];
  isCapped: boolean;
};
/** A count reads only the first rows of groups, because it needs no accounts. */
const FIRST_ROWS = 10;
/** a notification without the fields that depend on the read mark */
export type NotificationContent = Omit<NotificationDto, 'isRead'>;

/** What the contents are made of, by hex id. */
type Sources = {
  filter: ListFilter;
  posts: ReadonlyMap<string, PostSummary>;
  drafts: Awaited<ReturnType<DraftsService['findFailed']>>;
  actions: ReadonlyMap<string, LoggedAction>;
  cases: ReadonlyMap<string, ListedCase>;
  actors: Awaited<ReturnType<UsersService['findListedAuthors']>>;
  collections: Awaited<ReturnType<CollectionsService['findVisible']>>;
  comments: ReadonlyMap<string, CommentJson>;
  /** by Markdown: what readers see */
  visible: ReadonlyMap<string, string>;
};

const hex = (id: ObjectId): string => id.toHexString();

/** Reads the accounts and counts of groups from the current rows, so that undone, deleted and hidden actions do not appear. */
@Injectable()
export class NotificationContentsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly drafts: DraftsService,
    private readonly history: ModerationHistoryService,
    private readonly cases: CasesService,
    private readonly users: UsersService,
  ) {}

  /**
   * Returns the contents in the order of the groups, without hidden accounts. An item is null while no rows are left, the viewer may not
   * read the target, or the filter hides it.
   */
  async read(
    notifications: Notification[],
    viewer: Viewer,
    filter: ListFilter,
  ): Promise<(NotificationContent | null)[]> {
    return this.readRows(notifications, viewer, filter, () => MAX_COUNTED + 1);
  }

  /** Whether `read` returns a content, in the order of the groups. */
  async areShown(notifications: Notification[], viewer: Viewer, filter: ListFilter): Promise<boolean[]> {
    // A filter, or the visibility of collections, may hide any number of the first rows.
    const rowsOf = (kind: NotificationKind): number =>
      filter === NO_FILTER && kind !== 'collected' ? FIRST_ROWS : MAX_COUNTED + 1;
    const shown = (await this.readRows(notifications, viewer, filter, rowsOf)).map((content) => content !== null);
    if (filter !== NO_FILTER) return shown;
    // Limited accounts may have all of the first rows.
    const others = notifications.filter((_, at) => !shown[at]);
    const contents = await this.read(others, viewer, filter);
    const found = new Set(others.filter((_, at) => contents[at] !== null));
    return notifications.map((notification, at) => shown[at] || found.has(notification));
  }

  private async readRows(
    notifications: Notification[],
    viewer: Viewer,
    filter: ListFilter,
    rowsOf: (kind: NotificationKind) => number,
  ): Promise<(NotificationContent | null)[]> {
    // A newer version may have written a kind that this program does not know.
    const known = notifications.filter(({ kind }) => kind in KIND_OPTIONS);
    if (known.length === 0) return notifications.map(() => null);
    const groups = known.map((notification): Group => {
      const options = KIND_OPTIONS[notification.kind];
      const on = notification.postId === null ? options.on : 'comment';
      const none = { rows: [], actorIds: [], isCapped: false };
      return { notification, options, on, targetId: targetOf(notification._id), ...none };
    });
    const targets = (on: Group['on']): ObjectId[] =>
      uniqueIds(groups.flatMap((group) => (group.on === on ? [group.targetId] : [])));
    const [posts, drafts, actions, openCases] = await Promise.all([
      this.posts.findSummaries(uniqueIds(groups.flatMap((group) => postIdOf(group) ?? [])), viewer),
      this.drafts.findFailed(targets('draft'), viewer._id),
      this.history.findByIds(targets('action')),
      hasRole(viewer, 'moderator') ? this.cases.findOpen(targets('case')) : [],
      this.readRanges(groups, rowsOf),
    ]);
    const cases = new Map(openCases.map((row) => [hex(row.targetId), row]));
    const { actors, collections } = await this.findActors(groups, posts, viewer, filter);
    const latest = groups.flatMap(({ options, rows }) =>
      options.latest === 'comment' && rows[0] ? [rows[0].row] : [],
    );
    const texts = await this.comments.findOn(posts, uniqueIds([...latest, ...targets('comment')]));
    const comments = new Map(texts.map((comment) => [comment.id, comment]));
    const visible = await this.comments.visibleTexts(filter, () => texts.map(({ content }) => content ?? ''));
    const sources = { filter, posts, drafts, actions, cases, actors, collections, comments, visible };
    const contents = new Map(groups.map((group) => [group.notification, contentOf(group, sources)]));
    return notifications.map((notification) => contents.get(notification) ?? null);
  }

  /** Finds the accounts of the groups and their latest collections. Removes the rows of hidden accounts from the groups. */
  private async findActors(
    groups: Group[],
    posts: Sources['posts'],
    viewer: Viewer,
    filter: ListFilter,
  ): Promise<Pick<Sources, 'actors' | 'collections'>> {
    const held = groups.flatMap(({ options, rows }) => (options.latest === 'collection' ? rows : []));
    const collections = await this.collections.findVisible(uniqueIds(held.map(({ row }) => row)), viewer);
    const ownerOf = ({ row }: Row): string | undefined => {
      const collection = collections.get(hex(row));
      return collection?.isPublic ? collection.owner.id : undefined;
    };
    const actorOf = (row: Row): string | undefined => (row.actor === undefined ? ownerOf(row) : hex(row.actor));
    const acted = groups.flatMap((group) => {
      const author = group.options.isByAuthor && posts.get(hex(group.targetId))?.author.id;
      return author ? [author] : group.rows.flatMap((row) => actorOf(row) ?? []);
    });
    // Without deleted, limited and banned accounts
    const actors = await this.users.findListedAuthors(
      [...new Set(acted)].map((id) => ObjectId.createFromHexString(id)),
    );
    for (const group of groups) {
      group.rows = group.rows.filter((row) => {
        const actor = actorOf(row);
        return actor !== undefined && actor !== viewer.id && actors.has(actor) && !filter.hidesAccount(actor);
      });
      group.actorIds = [...new Set(group.rows.map((row) => actorOf(row)!))];
    }
    return { actors, collections };
  }

  /** Reads the latest rows of each group, with one query per MAX_RANGES groups. */
  private async readRanges(groups: Group[], rowsOf: (kind: NotificationKind) => number): Promise<void> {
    const ranges = groups.flatMap((group) => {
      const { targetId, notification } = group;
      const { _id, since, userId, postId, kind } = notification;
      const range = group.options.rows?.({ userId, targetId, postId }, rangeOf(_id, since));
      return range === undefined ? [] : [{ group, range, limit: rowsOf(kind) }];
    });
    const reads: Promise<void>[] = [];
    for (let from = 0; from < ranges.length; from += MAX_RANGES)
      reads.push(this.readTogether(ranges.slice(from, from + MAX_RANGES)));
    await Promise.all(reads);
  }

  private async readTogether(ranges: { group: Group; range: ActorRange; limit: number }[]): Promise<void> {
    const [first, ...others] = ranges.map(({ range, limit }, at) => {
      const { collection: coll, filter, sort, actor, row } = range;
      const fields = actor === null ? { row } : { actor, row };
      const rows = { $push: fields };
      return {
        coll,
        pipeline: [{ $match: filter }, { $sort: sort }, { $limit: limit }, { $group: { _id: at, rows } }],
      };
    });
    const pipeline = [...first!.pipeline, ...others.map(($unionWith) => ({ $unionWith }))];
    const found = this.mongo.db.collection(first!.coll).aggregate<{ _id: number; rows: Row[] }>(pipeline);
    for await (const { _id, rows } of found) {
      const { group } = ranges[_id]!;
      group.isCapped = rows.length > MAX_COUNTED;
      group.rows = rows;
    }
  }
}

/** Returns null for a target that no post contains. */
function postIdOf({ on, targetId, notification }: Group): ObjectId | null {
  return on === 'post' ? targetId : notification.postId;
}

/** Returns null for a group that shows nothing now. */
function contentOf(group: Group, sources: Sources): NotificationContent | null {
  const { notification, options, on, targetId, rows, actorIds, isCapped } = group;
  const { filter, visible } = sources;
  const { _id, kind, createdAt, updatedAt } = notification;
  const own = on === 'comment' ? sources.comments.get(hex(targetId)) : null;
  const postId = postIdOf(group);
  const post = postId && sources.posts.get(hex(postId));
  const draft = on === 'draft' ? sources.drafts.get(hex(targetId)) : null;
  const action = on === 'action' ? sources.actions.get(hex(targetId)) : null;
  const report = on === 'case' ? sources.cases.get(hex(targetId)) : null;
  // Only these two kinds of rows have an ObjectId.
  const latest = <T>(from: ReadonlyMap<string, T>): T | undefined => rows[0] && from.get(hex(rows[0].row));
  const comment = options.latest === 'comment' ? latest(sources.comments) : own;
  if (own === undefined || own?.isDeleted || comment === undefined) return null;
  if (post === undefined || draft === undefined || action === undefined || report === undefined) return null;
  if (post !== null && filter.filterCard(post) === null) return null;
  // A post that was public when the author announced it may be unlisted now.
  if (options.isByAuthor && !post!.isPublic) return null;
  const ids = options.isByAuthor ? [post!.author.id] : actorIds;
  const actors = ids.slice(0, MAX_ACTORS).flatMap((id) => sources.actors.get(id) ?? []);
  const hasActors = options.isByAuthor || options.rows !== undefined;
  if (hasActors && actors.length === 0) return null;
  const content = comment?.content ?? '';
  const seen = visible.get(content) ?? content;
  if (comment?.author && filter.filterComment(comment.author.id, seen) === 'hidden') return null;
  const collection = options.latest === 'collection' ? latest(sources.collections) : undefined;
  return {
    id: encodeId(_id),
    kind,
    post: post && { id: post.id, slug: post.slug, title: post.title },
    comment: comment && { id: comment.id, content },
    collection: collection ? { id: collection.id, slug: collection.slug, title: collection.title } : null,
    draft: draft && { id: hex(draft._id), title: draft.title, failure: draft.failure ?? '' },
    action: action && toNotifiedAction(action),
    case: report && toNotifiedCase(report),
    actors,
    actorsCount: Math.min(ids.length, MAX_COUNTED),
    isCapped,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function toNotifiedCase({ _id: id, targetKind, targetId, title, reportsCount }: ListedCase): NotifiedCaseDto {
  return { id, targetKind, targetId: hex(targetId), title, reportsCount };
}

function toNotifiedAction({ _id, kind, targetKind, targetId, publicReason, until }: LoggedAction): NotifiedActionDto {
  return { id: hex(_id), kind, targetKind, targetId: hex(targetId), publicReason, until: until?.toISOString() ?? null };
}
