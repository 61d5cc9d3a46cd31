import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { storedUrl } from '../common/own-files.js';
import { beyond } from '../common/keyset.js';
import { imageIdsIn } from '../media/file-key.js';
import { MediaRefsService } from '../media/media-refs.service.js';
import { ImageLookupService } from '../media/image-lookup.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { requireVersion } from '../platform/http/if-match.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { compressBody } from '../rendering/body-codec.js';
import { ContentFormatsService } from '../posts/content-formats.service.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { PostsService } from '../posts/posts.service.js';
import { labelsOf } from '../posts/stored-labels.js';
import type { RevisionCardDto, RevisionDto } from '../revisions/revision.dto.js';
import { RevisionStoreService } from '../revisions/revision-store.service.js';
import { draftNotFound, isTrashed } from './draft-plan.js';
import {
  contentOf,
  createdHeaders,
  DRAFT_CARD_FIELDS,
  DRAFT_FIELDS,
  type DraftCardDto,
  type DraftCardRow,
  type DraftDto,
  toDraftCard,
} from './draft-view.js';
import { DraftWriterService } from './draft-writer.service.js';
import { Draft, OF_AUTHOR } from './draft.schema.js';
import { newDraft } from './new-draft.js';
import { DRAFT_REMOVED } from './drafts.events.js';
import { countImported } from './imported-drafts.service.js';
import type { CreateDraft, SaveDraft } from './dto/draft-input.dto.js';
import type { DraftsQuery } from './dto/drafts.query.js';

/** per account, and as many deleted posts */
export const MAX_DRAFTS = 500;
const UNPUBLISHED = { $ne: 'trashed' } as const;

export type FailedDraft = Pick<Draft, '_id' | 'title' | 'failure'>;

/** Drafts of an author, readable only by the author. */
@Injectable()
export class DraftsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly revisions: RevisionStoreService,
    private readonly writer: DraftWriterService,
    private readonly mediaRefs: MediaRefsService,
    private readonly lookup: ImageLookupService,
    private readonly formats: ContentFormatsService,
    private readonly paginator: Paginator,
    @InjectModel(Draft.name) private readonly drafts: Model<Draft>,
  ) {}

  /** Returns the author's drafts whose scheduled publication failed, by hex id. */
  async findFailed(ids: readonly ObjectId[], authorId: ObjectId): Promise<Map<string, FailedDraft>> {
    if (ids.length === 0) return new Map();
    const filter = { _id: { $in: [...ids] }, authorId, state: 'failed' } as const;
    const rows = await findMany(this.drafts, filter, { title: 1, failure: 1 });
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  /**
   * Creates a draft. Its transaction also stores the response under the idempotency key of the request.
   * @throws CodedError `too_many_drafts`, `draft_exists`, `post_not_found`, `forbidden` for a post of another account
   */
  async create({ viewer, idempotencyKey }: WriteRequest, fields: CreateDraft): Promise<DraftDto> {
    const { postId = null } = fields;
    const begun = postId === null ? {} : await this.textOf(ObjectId.createFromHexString(postId), viewer);
    const authorId = viewer._id;
    const { input, dropped } = await this.formats.toMarkdown(fields, viewer.id, { mayBeBlank: true });
    const own = await this.lookup.resolveThumbnail(authorId, input);
    const row = newDraft(authorId, postId, { ...begun, ...own });
    try {
      return await this.mongo.transaction(async (tx) => {
        const { _id, thumbnailUrl } = row;
        // Concurrent creations may exceed the limit, which only bounds lists.
        const limit = MAX_DRAFTS + (await countImported(this.drafts, authorId));
        const drafts = { authorId, state: UNPUBLISHED };
        if ((await this.drafts.countDocuments(drafts, { limit, session: tx.session })) >= limit)
          throw new CodedError('too_many_drafts', `An account has at most ${MAX_DRAFTS} drafts. Delete one first.`);
        await this.drafts.insertOne(row, { session: tx.session });
        const texts = [contentOf(row), thumbnailUrl];
        await this.mediaRefs.attach(texts, { holderId: _id, ownerId: authorId }, tx);
        const draft = { ...toDraft(row), ...(dropped && { dropped }) };
        tx.storeResponse(idempotencyKey, { status: 201, headers: createdHeaders(draft), body: draft });
        return draft;
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new CodedError('draft_exists', 'The post already has a draft. Continue with it.', { cause: error });
    }
  }

  /** Lists drafts, last saved first, or deleted posts, last deleted first. */
  list(viewer: Viewer, { state, ...query }: DraftsQuery): Promise<Page<DraftCardDto>> {
    const own = { authorId: viewer._id, state: state ?? UNPUBLISHED };
    return this.paginator.list<DraftCardRow, DraftCardDto>({
      query,
      scope: `drafts:${state ?? ''}:${viewer.id}`,
      positionOf: ({ updatedAt, _id }) => ({ value: updatedAt.getTime(), id: _id.toHexString() }),
      read: (after, limit) => {
        const filter =
          after === null
            ? own
            : beyond(own, 'updatedAt', '$lt', { value: new Date(after.value), id: new ObjectId(after.id) });
        const options = { sort: { updatedAt: -1, _id: -1 }, limit, hint: OF_AUTHOR } as const;
        return findMany(this.drafts, filter, DRAFT_CARD_FIELDS, options);
      },
      resolve: async (rows) => rows.map(toDraftCard),
    });
  }

  /** @throws CodedError `draft_not_found` */
  async get(id: ObjectId, viewer: Viewer): Promise<DraftDto> {
    return toDraft(await this.getRow(id, viewer));
  }

  /** @throws CodedError `draft_not_found`, also for a deleted post */
  async getUnpublished(id: ObjectId, viewer: Viewer): Promise<Draft> {
    const row = await this.getRow(id, viewer);
    if (isTrashed(row)) throw draftNotFound();
    return row;
  }

  /** @throws CodedError `draft_not_found`, also for a draft that is not a deleted post */
  async getTrashed(id: ObjectId, viewer: Viewer): Promise<Draft> {
    const row = await this.getRow(id, viewer);
    if (!isTrashed(row)) throw draftNotFound();
    return row;
  }

  /**
   * Autosaves a draft. The replaced text is stored as a version.
   * @param ifMatch the raw If-Match header, which must name the current version
   * @throws CodedError `precondition_required`, `precondition_failed`, `draft_not_found`
   */
  async save(
    id: ObjectId,
    { viewer, isDisconnected }: WriteRequest,
    input: SaveDraft,
    ifMatch: string | undefined,
  ): Promise<DraftCardDto> {
    if (ifMatch === undefined) throw new CodedError('precondition_required', 'Send the ETag of the draft as If-Match.');
    const written = await this.formats.toMarkdown(input, viewer.id, { mayBeBlank: true });
    const own = await this.lookup.resolveThumbnail(viewer._id, written.input);
    const { content, ...labels } = own;
    const { rawLength, bytes } = compressBody(content ?? '');
    const body = content === undefined ? {} : { body: { rawLength, bytes: Buffer.from(bytes).toString('base64') } };
    const named = imageIdsIn([content, labels.thumbnailUrl]);
    const images = named.length === 0 ? {} : { imageIds: named };
    const save = {
      draftId: id.toHexString(),
      authorId: viewer.id,
      ifMatch,
      labels: omitUndefined(labels),
      ...images,
      ...body,
    };
    const card = await this.writer.submit(save, isDisconnected);
    return written.dropped === undefined ? card : { ...card, dropped: written.dropped };
  }

  /** @throws CodedError `draft_not_found`, `precondition_failed` */
  async delete(id: ObjectId, viewer: Viewer, ifMatch?: string): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const row = await this.getRow(id, viewer, tx);
      requireVersion(ifMatch, row.version, 'The draft');
      await this.deleteUnchanged(row, tx);
    });
  }

  /**
   * Deletes the draft in the caller's transaction, with the post that it keeps in the trash, unless the caller restores that post.
   * @returns false if the draft changed since it was read
   */
  async deleteUnchanged(
    { _id, version, state, publishAt, hasPost }: Pick<Draft, '_id' | 'version' | 'state' | 'publishAt' | 'hasPost'>,
    tx: Transaction,
    { keepsPost = false } = {},
  ): Promise<boolean> {
    const asRead = { _id, version, state, publishAt };
    if ((await this.drafts.deleteOne(asRead, { session: tx.session })).deletedCount === 0) return false;
    if (!keepsPost) tx.addTask(hasPost === true ? POST_DELETED : DRAFT_REMOVED, _id);
    return true;
  }

  /** @throws CodedError `draft_not_found` */
  async listVersions(id: ObjectId, viewer: Viewer, query: PageQuery): Promise<Page<RevisionCardDto>> {
    await this.getUnpublished(id, viewer);
    return this.revisions.list(id, query);
  }

  /** @throws CodedError `draft_not_found`, `revision_not_found` */
  async getVersion(id: ObjectId, version: number, viewer: Viewer): Promise<RevisionDto> {
    await this.getUnpublished(id, viewer);
    return this.revisions.get(id, version);
  }

  private async getRow(id: ObjectId, viewer: Viewer, tx?: Transaction): Promise<Draft> {
    const filter = { _id: id, authorId: viewer._id };
    const row = await findOne(this.drafts, filter, DRAFT_FIELDS, tx === undefined ? {} : { session: tx?.session });
    if (row === null) throw draftNotFound();
    return row;
  }

  private async textOf(postId: ObjectId, viewer: Viewer): Promise<SaveDraft> {
    const post = await this.posts.get(postId, viewer);
    if (post.author.id !== viewer.id) throw new CodedError('forbidden', 'Only the author can edit this post.');
    return { ...labelsOf(post), content: post.content, thumbnailUrl: storedUrl(post.thumbnailUrl) };
  }
}

function toDraft(row: Draft): DraftDto {
  return { ...toDraftCard(row), content: contentOf(row) };
}

/** Removes undefined fields, because messages between processes cannot contain them. */
function omitUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
