import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { ActivityService } from '../activity/activity.service.js';
import { CodedError } from '../common/errors.js';
import { EmailVerification } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { requireVersion } from '../platform/http/if-match.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { type PostJson, POST_RESOURCE } from '../posts/post-view.js';
import { PostWritesService } from '../posts/post-writes.service.js';
import { labelsOf } from '../posts/stored-labels.js';
import { requireMayWrite } from '../users/actor.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { contentOf, DRAFT_CARD_FIELDS, DRAFT_FIELDS, type DraftCardDto, toDraftCard } from './draft-view.js';
import { Draft } from './draft.schema.js';
import { DRAFT_DUE, IMPORTED_DRAFT_PUBLISHED } from './drafts.events.js';
import { DraftsService } from './drafts.service.js';

const EARLIEST_MS = 5 * 60_000;
const LATEST_MS = 366 * 86_400_000;
const RETRY_SECONDS = 60;

/** False after the draft was published on request, rescheduled or unscheduled. */
const IS_DUE = { state: 'scheduled', $expr: { $lte: ['$publishAt', '$$NOW'] } } as const;

/** Result of a published draft: a new or restored post, or an edited post. */
export type Published = { post: PostJson; isNew: boolean };

type Publication = {
  isScheduled?: boolean;
  /** the post gets the time of the publication elsewhere */
  keepsDate?: boolean;
  /** Markdown in place of the stored one */
  content?: string;
};

/** Returns status 201 for a new or restored post, 200 for an edit. */
export function publishedResponse({ post, isNew }: Published) {
  const headers = isNew ? POST_RESOURCE.createdHeaders(post) : POST_RESOURCE.currentHeaders(post);
  return { status: isNew ? 201 : 200, headers, body: post };
}

/** Publishes drafts, on request and at the scheduled time. One transaction deletes the draft and creates the post, exactly once. */
@Injectable()
export class DraftPublisherService implements OnModuleInit {
  private readonly logger = new Logger('Drafts');
  private readImported = (row: Draft): Promise<string> => Promise.resolve(contentOf(row));

  constructor(
    private readonly reads: DraftsService,
    private readonly posts: PostWritesService,
    private readonly mongo: MongoService,
    private readonly handlers: TaskHandlers,
    @InjectModel(Draft.name) private readonly drafts: Model<Draft>,
    private readonly activity: ActivityService,
    private readonly accounts: UserAccountsService,
    private readonly verification: EmailVerification,
  ) {}

  onModuleInit(): void {
    const run = ({ payload }: { payload: ObjectId }) => this.publishDue(payload);
    this.handlers.register(DRAFT_DUE, { name: 'drafts: scheduled', lane: 'foreground', run });
  }

  /** Sets how the text of an imported draft is read when it is published alone. */
  rewriteImported(read: (row: Draft) => Promise<string>): void {
    this.readImported = read;
  }

  /**
   * Publishes a draft. The transaction of the post also stores the response under the idempotency key of the request.
   * @param ifMatch the raw If-Match header
   * @param keepsDate the post of an imported draft gets its earlier time, and no account is notified
   * @throws CodedError `draft_not_found`, `draft_incomplete`, `precondition_failed`, `post_not_found`; `invalid_input` if the draft has no
   * earlier time
   */
  async publish(id: ObjectId, write: WriteRequest, ifMatch?: string, keepsDate = false): Promise<Published> {
    const row = await this.reads.getUnpublished(id, write.viewer);
    requireVersion(ifMatch, row.version, 'The draft');
    if (keepsDate && row.importedAt === undefined) throw withoutDate();
    return this.publishRow(row, write, { keepsDate });
  }

  /** Publishes an imported draft with its earlier time. @param content Markdown in place of the stored one @throws as `publish` */
  async publishImported(row: Draft, viewer: Viewer, content: string): Promise<void> {
    await this.publishRow(row, { viewer }, { keepsDate: true, content });
  }

  /**
   * Restores a deleted post with its id, votes and comments, or as a new post if only its text was kept.
   * @throws CodedError `draft_not_found` if the post is not in the trash, `precondition_failed` if it was just restored
   */
  async restore(id: ObjectId, write: WriteRequest): Promise<Published> {
    const row = await this.reads.getTrashed(id, write.viewer);
    if (row.hasPost !== true) return this.publishRow(row, write);
    const onCommit = async (tx: Transaction, post: PostJson): Promise<void> => {
      if (!(await this.reads.deleteUnchanged(row, tx, { keepsPost: true }))) throw changedSinceRead();
      tx.storeResponse(write.idempotencyKey, publishedResponse({ post, isNew: true }));
    };
    return { post: await this.posts.restore(id, write.viewer, row.visibility!, onCommit), isNew: true };
  }

  /**
   * Schedules a publication by the clock of the database. The publication may be late after an outage, but happens only once.
   * @throws CodedError `draft_not_found`, `draft_incomplete`, `invalid_schedule`
   */
  async schedule(id: ObjectId, viewer: Viewer, publishAt: Date): Promise<DraftCardDto> {
    const ahead = publishAt.getTime() - Date.now();
    // NaN fails both comparisons.
    if (!(ahead >= EARLIEST_MS && ahead <= LATEST_MS)) throw invalidSchedule();
    requireComplete(await this.reads.getUnpublished(id, viewer));
    return this.mark(id, viewer, { state: 'scheduled', publishAt, failure: null });
  }

  /** @throws CodedError `draft_not_found` */
  async unschedule(id: ObjectId, viewer: Viewer): Promise<DraftCardDto> {
    return this.mark(id, viewer, { state: 'open', publishAt: null, failure: null });
  }

  /**
   * Publishes a scheduled draft as its author may now. On failure, stores the reason and does not retry, except after an outage.
   * @returns the time of the next attempt after a limit that ends with time
   */
  private async publishDue(id: ObjectId): Promise<Date | void> {
    const row = await findOne(this.drafts, { _id: id, ...IS_DUE }, DRAFT_FIELDS);
    const viewer = row && (await this.accounts.actor(row.authorId));
    // Null: the draft has changed, or the account was deleted and its drafts follow.
    if (viewer === null) return;
    const { authorId, version, publishAt } = row!;
    try {
      requireMayWrite(viewer);
      this.verification.requireToPublish(viewer);
      await this.publishRow(row!, { viewer }, { isScheduled: true });
    } catch (error) {
      // The database is unavailable or the process is stopping, so the task is retried.
      if (!(error instanceof CodedError) || error.status >= 500) throw error;
      if (error.status === 429) return new Date(Date.now() + (error.retryAfterSeconds ?? RETRY_SECONDS) * 1_000);
      // The draft was saved after the read.
      if (error.code === 'precondition_failed') return this.publishDue(id);
      this.logger.warn(`draft ${id.toHexString()} could not be published: ${error.code}`);
      const failed = { state: 'failed', publishAt: null, failure: error.code } as const;
      await this.mongo.transaction(async (tx) => {
        const due = { _id: id, version, state: 'scheduled', publishAt } as const;
        const { modifiedCount } = await this.drafts.updateOne(due, { $set: failed }, { session: tx.session });
        const fact = { kind: 'draft_failed', actor: authorId, target: id } as const;
        if (modifiedCount > 0) await this.activity.add(tx, [fact]);
      });
    }
  }

  private async publishRow(
    row: Draft,
    { viewer, idempotencyKey }: WriteRequest,
    { isScheduled = false, keepsDate = false, content: given }: Publication = {},
  ): Promise<Published> {
    requireComplete(row);
    const { _id: draftId, postId, visibility, importId } = row;
    const content = given ?? (importId === undefined ? contentOf(row) : await this.readImported(row));
    const isNew = postId === null;
    const labels = { ...labelsOf(row), type: row.type! };
    const text = { ...labels, content, ...(visibility ? { visibility } : {}) };
    const options = {
      onCommit: async (tx: Transaction, post: PostJson): Promise<void> => {
        if (!(await this.reads.deleteUnchanged(row, tx))) throw changedSinceRead();
        const target = ObjectId.createFromHexString(post.id);
        if (isScheduled) await this.activity.add(tx, [{ kind: 'draft_published', actor: row.authorId, target }]);
        if (importId !== undefined) await tx.runHooks(IMPORTED_DRAFT_PUBLISHED, { importId, draftId });
        tx.storeResponse(idempotencyKey, publishedResponse({ post, isNew }));
      },
    };
    const { reservedId: id, importedAt } = row;
    const origin = { ...(id && { id }), ...(keepsDate && { publishedAt: importedAt }) };
    const post = isNew
      ? await this.posts.create({ viewer }, text, { ...options, ...origin })
      : await this.posts.edit(postId, viewer, text, options);
    return { post, isNew };
  }

  private async mark(id: ObjectId, viewer: Viewer, change: Partial<Draft>): Promise<DraftCardDto> {
    const { authorId } = await this.reads.getUnpublished(id, viewer);
    await this.mongo.transaction(async (tx) => {
      await this.drafts.updateOne(
        { _id: id, authorId },
        { $set: change },
        { session: tx.session, runValidators: true },
      );
      const { publishAt: runAt } = change;
      if (runAt instanceof Date) tx.addTask(DRAFT_DUE, id, { runAt });
    });
    const row = await findOne(this.drafts, { _id: id, authorId }, DRAFT_CARD_FIELDS);
    // The draft has just been published or deleted.
    return row === null ? this.reads.get(id, viewer) : toDraftCard(row);
  }
}

/** @throws CodedError `draft_incomplete` with the missing fields */
function requireComplete(row: Draft): void {
  const fields = [];
  if (row.title === '') fields.push({ field: 'title', message: 'a post needs a title' });
  if (row.type === null) fields.push({ field: 'type', message: 'a post needs a type' });
  if (contentOf(row).trim() === '') fields.push({ field: 'content', message: 'a post needs a text' });
  if (fields.length > 0)
    throw new CodedError('draft_incomplete', 'The draft lacks fields that a post requires.', { fields });
}

function withoutDate(): CodedError {
  const message = 'is only for an imported draft that was published elsewhere';
  return new CodedError('invalid_input', `keepDate ${message}.`, { fields: [{ field: 'keepDate', message }] });
}

function changedSinceRead(): CodedError {
  const detail = 'The draft was saved, scheduled or published since you read it. Read it again.';
  return new CodedError('precondition_failed', detail);
}

function invalidSchedule(): CodedError {
  const message = 'must be 5 minutes to a year ahead';
  return new CodedError('invalid_schedule', `publishAt ${message}.`, { fields: [{ field: 'publishAt', message }] });
}
