import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { mentionFacts } from '../activity/activity-facts.js';
import { ActivityService } from '../activity/activity.service.js';
import { CodedError } from '../common/errors.js';
import type { Removal } from '../moderation/removal.js';
import { MediaRefsService } from '../media/media-refs.service.js';
import { ImageLookupService } from '../media/image-lookup.service.js';
import { imageAt } from '../media/responsive-image.js';
import { requireVersion } from '../platform/http/if-match.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UsersService } from '../users/users.service.js';
import { PostRendererService } from '../rendering/post-renderer.service.js';
import type { DroppedElement } from '../rendering/dropped-element.js';
import type { EncodedPost } from '../rendering/rendered-html.js';
import { decompressBody } from '../rendering/body-codec.js';
import type { PostMarkdown } from './post-body.schema.js';
import { PostChecksService } from './post-checks.service.js';
import { changesLabels, editedFields, newPost, type PostDraft } from './post-draft.js';
import type { Post, PostRemoval } from './post.schema.js';
import type { Visibility } from './post-types.js';
import { POST_BACKDATED, POST_EDITED, POST_HIDDEN, POST_LISTED } from './posts.events.js';
import { type PostJson, POST_RESOURCE, toPost } from './post-view.js';
import { bodyRow, cacheTagsOf, StoredPostsService, type WritableRow } from './stored-posts.service.js';
import { canRead, requestedVisibility, visibilityOf } from './visibility.js';
import type { TaskKey } from '../platform/mongo/transaction-rows.js';

export type CommitOptions = {
  /** Runs in the transaction, and again after a conflict. The writes of the callback commit with the post or not at all. */
  onCommit?: ((tx: Transaction, post: PostJson) => Promise<void>) | undefined;
  /** what the text lost that the author wrote as HTML; added to the response */
  dropped?: DroppedElement[] | undefined;
};

export type CreateOptions = CommitOptions & {
  /** an id that this server has issued to the author before */
  id?: ObjectId;
  /** the first publication elsewhere: the time in lists and ranks. No account is notified of the post. */
  publishedAt?: Date | undefined;
};

export type EditOptions = CommitOptions & {
  /** the raw header */
  ifMatch?: string | undefined;
  /** Hides a public post, or publishes a hidden or unlisted post. */
  togglesVisibility?: boolean;
  /** The post is in the trash, and returns with this edit. */
  isRestored?: boolean;
};

/**
 * Performs the changes of a post by its author: row, body, the author's counters and tasks in one transaction. Serializes the
 * transactions of one author, because all of them may write the author's row.
 */
@Injectable()
export class PostWritesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly rows: StoredPostsService,
    private readonly users: UsersService,
    private readonly mediaRefs: MediaRefsService,
    private readonly lookup: ImageLookupService,
    private readonly renderer: PostRendererService,
    private readonly activity: ActivityService,
    private readonly checks: PostChecksService,
  ) {}

  /**
   * Stores the response under the key of the request, with the post or not at all. A post that is held is private, with a removal.
   * @throws CodedError `newcomer_limit`, also for a time in the past; `newcomer_content`, `content_rejected`
   * @throws a duplicate key for an id of an existing post
   */
  async create(
    { viewer, idempotencyKey }: WriteRequest,
    draft: PostDraft,
    options: CreateOptions = {},
  ): Promise<PostJson> {
    const { id = new ObjectId(), publishedAt } = options;
    const now = new Date();
    const authorId = viewer._id;
    if (publishedAt === undefined) await this.checks.requireCapacity(viewer);
    else this.checks.requireMayBackdate(viewer);
    const shown = await this.lookup.find(authorId, [draft.content, draft.thumbnailUrl]);
    const thumbnail = imageAt(draft.thumbnailUrl, shown);
    const text = await this.renderer.renderForWrite(draft.content, viewer.id, shown);
    this.checks.requirePlain(viewer, draft, text);
    const body = bodyRow(id, draft.content, text);
    const { isPublic = true, isUnlisted = false } = requestedVisibility(draft);
    const isReadable = isPublic || isUnlisted;
    const verdict = isReadable ? await this.checks.check({ _id: id, authorId }, draft, text.shown) : null;
    return this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const { snapshot, isLimited } = await this.users.getAuthor(authorId, tx);
      const removal = await this.checks.hold({ _id: id, authorId, isPublic, isUnlisted }, verdict, isReadable, tx);
      const stored = removal === null ? draft : privately(draft);
      const row: Post = {
        ...newPost(id, authorId, snapshot, stored, text, thumbnail, { now, publishedAt }, isLimited),
        ...(removal && { removal }),
      };
      await this.rows.insert(row, body, text, tx);
      await this.mediaRefs.attach([draft.content, row.thumbnailUrl], { holderId: id, ownerId: authorId }, tx);
      if (row.isListed) await this.users.applyStats(new Map([[viewer.id, { postsCount: 1 }]]), tx);
      const created = withDropped(toPost(row, draft.content), options);
      if (row.isListed) {
        if (publishedAt === undefined) await this.addMentions(row, row, tx);
        tx.addTask(publishedAt === undefined ? POST_LISTED : POST_BACKDATED, id, {
          keysOf: () => [`cause:${authorId.toHexString()}`],
        });
        tx.invalidate(cacheTagsOf(row));
      }
      await options.onCommit?.(tx, created);
      const headers = POST_RESOURCE.createdHeaders(created);
      tx.storeResponse(idempotencyKey, { status: 201, headers, body: created });
      return created;
    });
  }

  /**
   * Runs the hooks of POST_EDITED with the replaced text.
   * @throws CodedError `post_not_found`, `forbidden` for listed posts of others, `precondition_failed`, `post_removed`, `newcomer_content`,
   * `content_rejected`
   */
  async edit(id: ObjectId, viewer: Viewer, draft: Partial<PostDraft>, options: EditOptions = {}): Promise<PostJson> {
    const { isRestored = false } = options;
    const before = await this.rows.getOwn(id, viewer, undefined, isRestored);
    const isEntering = !canRead(before, undefined) && makesReadable(requestOf(before, draft, options));
    const source = draft.content ?? (isEntering ? contentOf(await this.rows.getBody(id)) : undefined);
    const shown = await this.lookup.find(before.authorId, [source, draft.thumbnailUrl]);
    // Renders outside of the transaction, because the pool may be busy.
    const rendered = source === undefined ? undefined : await this.renderer.renderForWrite(source, viewer.id, shown);
    this.checks.requirePlain(viewer, draft, rendered);
    return this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const row = await this.rows.getOwn(id, viewer, tx, isRestored);
      requireVersion(options.ifMatch, row.version, 'The post');
      const body = await this.rows.getBody(id, tx);
      const stored = contentOf(body);
      const content = draft.content !== stored ? draft.content : undefined;
      const text = content === undefined ? undefined : rendered;
      const requested = requestOf(row, draft, options);
      const now = new Date();
      const restored = isRestored ? { ...touched(row, now), deletedAt: null } : null;
      let changes: Partial<Post> | null = await this.changesOf(row, requested, text, now, tx);
      if (restored !== null) changes = { ...restored, ...changes };
      if (changes === null) {
        const same = withDropped(toPost(row, stored), options);
        await options.onCommit?.(tx, same);
        return same;
      }
      if (row.removal && (changes.isPublic !== undefined || changes.isUnlisted !== undefined)) throw postRemoved();
      // A concurrent edit may have replaced the text that was rendered.
      const renderStored = async (): Promise<EncodedPost> =>
        source === stored && rendered ? rendered : this.renderer.renderForWrite(stored, viewer.id);
      const removal = await this.holdEdit(row, changes, { text, renderStored }, tx);
      if (removal !== null)
        changes = { ...touched(row, now), ...restored, ...editedFields(row, privately(requested), text, now), removal };
      if (changes.thumbnailUrl !== undefined) changes.thumbnail = imageAt(changes.thumbnailUrl, shown) ?? null;
      await this.apply(row, changes, { body, content, text }, tx);
      const edited = withDropped(toPost({ ...row, ...changes }, content ?? stored), options);
      await options.onCommit?.(tx, edited);
      return edited;
    });
  }

  /**
   * Restores a post of the trash with its id and rows, by the rules of a publication.
   * @param onCommit removes it from the trash, in the same transaction
   * @throws CodedError as `create`
   */
  async restore(
    id: ObjectId,
    viewer: Viewer,
    visibility: Visibility,
    onCommit: CommitOptions['onCommit'],
  ): Promise<PostJson> {
    await this.checks.requireCapacity(viewer);
    return this.edit(id, viewer, { visibility }, { isRestored: true, onCommit });
  }

  /**
   * Makes a post private for its removal, or restores the visibility that it had (null).
   * @throws CodedError `post_not_found`, `already_removed`, `not_removed`
   */
  async setRemoval(id: ObjectId, removal: Removal | null, tx: Transaction): Promise<void> {
    const row = await this.rows.getLive(id, tx);
    const removed = row.removal ?? null;
    if (removal !== null && removed !== null) throw new CodedError('already_removed', 'The post is already removed.');
    const visibility = removal === null ? removed?.visibility : 'private';
    if (visibility === undefined) throw new CodedError('not_removed', 'The post is not removed.');
    const now = new Date();
    const changes = {
      ...touched(row, now),
      ...(await this.changesOf(row, { visibility }, undefined, now, tx)),
      removal: removal && { ...removal, visibility: visibilityOf(row) },
    };
    await this.apply(row, changes, { body: await this.rows.getBody(id, tx) }, tx);
  }

  /** Removes a public post from lists while its author is limited, or lists it again. Readers with its address see no change. */
  async setLimited(id: ObjectId, tx: Transaction): Promise<void> {
    const row = await this.rows.getLive(id, tx);
    const now = new Date();
    const changes = row.isPublic && (await this.changesOf(row, { visibility: 'public' }, undefined, now, tx));
    if (changes) await this.apply(row, changes, { body: await this.rows.getBody(id, tx) }, tx);
  }

  /** As `editedFields`. The standing of the author is read if it matters. */
  private async changesOf(
    row: WritableRow,
    draft: Partial<PostDraft>,
    text: EncodedPost | undefined,
    now: Date,
    tx: Transaction,
  ): Promise<Partial<Post> | null> {
    const isPublished = requestedVisibility(draft).isPublic === true;
    const isLimited = isPublished && (await this.users.getAuthor(row.authorId, tx)).isLimited;
    return editedFields(row, draft, text, now, isLimited);
  }

  /** Checks the changed texts of a post that others can read: all texts if they could not read it before. @returns as PostChecksService.hold */
  private async holdEdit(
    row: WritableRow,
    changes: Partial<Post>,
    { text, renderStored }: { text: EncodedPost | undefined; renderStored: () => Promise<EncodedPost> },
    tx: Transaction,
  ): Promise<PostRemoval | null> {
    const next = { ...row, ...changes };
    if (row.removal || !canRead(next, undefined)) return null;
    const isEntering = !canRead(row, undefined);
    const { shown } = text ?? (isEntering ? await renderStored() : { shown: undefined });
    const verdict = await this.checks.check(row, isEntering ? next : changes, shown);
    return this.checks.hold(next, verdict, isEntering, tx);
  }

  /** Writes the changes of a post, and all that follows from them. */
  private async apply(
    row: WritableRow,
    changes: Partial<Post>,
    { body, content, text }: { body: PostMarkdown; content?: string | undefined; text?: EncodedPost | undefined },
    tx: Transaction,
  ): Promise<void> {
    const { _id: id } = row;
    const [wasReadable, isReadable] = [canRead(row, undefined), canRead({ ...row, ...changes }, undefined)];
    // A copy made while the post was hidden or deleted may have missed a change of the author.
    if ((isReadable && !wasReadable) || changes.deletedAt === null)
      changes.authorSnapshot = await this.users.getSnapshot(row.authorId, tx);
    const keysOf = (): TaskKey[] => [`cause:${row.authorId.toHexString()}`];
    if (changes.isListed !== undefined) tx.addTask(changes.isListed ? POST_LISTED : POST_HIDDEN, id, { keysOf });
    await this.rows.setFields(id, changes, tx);
    await this.addMentions(row, changes, tx);
    const replaced = { row, body, isTextChanged: content !== undefined || changesLabels(changes) };
    await tx.runHooks(POST_EDITED, replaced);
    await this.rows.replaceText(id, row.version, changes.version!, content, text, tx);
    await this.mediaRefs.attach([content, changes.thumbnailUrl], { holderId: id, ownerId: row.authorId }, tx);
    // Writes the author's row, which conflicts with featuring the post concurrently.
    if (changes.isListed !== undefined) await this.rows.countListing([row], changes.isListed ? 1 : -1, tx);
    if (changes.isListed === false) await this.users.removeFeatured(row.authorId, id, tx);
    // No cached response contains a draft.
    if (wasReadable || isReadable) tx.invalidate(cacheTagsOf({ ...row, ...changes }));
  }

  /** Notifies the accounts that an edit adds, or all accounts when the post enters lists. Each account is notified once. */
  private async addMentions(row: WritableRow, changes: Partial<Post>, tx: Transaction): Promise<void> {
    if (!(changes.isListed ?? row.isListed)) return;
    const mentions = changes.mentions ?? row.mentions;
    const before = changes.isListed === true ? [] : row.mentions;
    const about = { kind: 'mention_in_post', actor: row.authorId, target: row._id } as const;
    await this.activity.add(tx, mentionFacts(about, mentions, before));
  }
}

function withDropped(post: PostJson, { dropped }: CommitOptions): PostJson {
  return dropped === undefined ? post : Object.assign(post, { dropped });
}

function contentOf(body: PostMarkdown): string {
  return decompressBody({ ...body, bytes: body.bytes.buffer });
}

function requestOf(
  { isPublic }: WritableRow,
  draft: Partial<PostDraft>,
  { togglesVisibility = false }: EditOptions,
): Partial<PostDraft> {
  return togglesVisibility ? { ...draft, isPublic: !isPublic } : draft;
}

function makesReadable(draft: Partial<PostDraft>): boolean {
  const { isPublic = false, isUnlisted = false } = requestedVisibility(draft);
  return isPublic || isUnlisted;
}

/** Returns a draft with another visibility. */
function privately<Draft extends Partial<PostDraft>>({ isPublic: _, ...draft }: Draft) {
  return { ...draft, visibility: 'private' as const };
}

/** Returns the fields that every write of a post changes. */
function touched({ version }: WritableRow, now: Date): Pick<Post, 'updatedAt' | 'version'> {
  return { updatedAt: now, version: version + 1 };
}

function postRemoved(): CodedError {
  return new CodedError('post_removed', 'A moderator removed this post. Its visibility cannot be changed.');
}
