import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { hashOfSecret } from '../common/secret-hash.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { PostsService } from '../posts/posts.service.js';
import { labelsOf } from '../posts/stored-labels.js';
import { UsersService } from '../users/users.service.js';
import { draftNotFound } from './draft-plan.js';
import { contentOf, DRAFT_FIELDS, type DraftLinkDto, type SharedDraftDto, toDraftCard } from './draft-view.js';
import { Draft } from './draft.schema.js';

const TTL_MS = 30 * 86_400_000;

/** Share links of drafts. A link expires after 30 days, and shows nothing while the post that the draft edits is removed or deleted. */
@Injectable()
export class DraftSharingService {
  constructor(
    private readonly users: UsersService,
    private readonly posts: PostsService,
    @InjectModel(Draft.name) private readonly drafts: Model<Draft>,
  ) {}

  /** Creates a link and revokes the previous one. @throws CodedError `draft_not_found` */
  async share(id: ObjectId, viewer: Viewer): Promise<DraftLinkDto> {
    const key = randomBytes(32).toString('base64url');
    const expiresAt = new Date(Date.now() + TTL_MS);
    await this.set(id, viewer, { keyHash: hashOfSecret(key), expiresAt });
    return { path: `/v1/shared-drafts/${key}`, expiresAt: expiresAt.toISOString() };
  }

  /** @throws CodedError `draft_not_found` */
  async unshare(id: ObjectId, viewer: Viewer): Promise<void> {
    await this.set(id, viewer, null);
  }

  /** @throws CodedError `draft_not_found` */
  async get(key: string): Promise<SharedDraftDto> {
    const filter = { 'share.keyHash': hashOfSecret(key), 'share.expiresAt': { $gt: new Date() } };
    const row = await findOne(this.drafts, filter, DRAFT_FIELDS);
    if (row === null) throw draftNotFound();
    // The background cleanup of a deleted post removes the link later.
    if (row.postId !== null && !(await this.posts.isLive(row.postId))) throw draftNotFound();
    const card = toDraftCard(row);
    const { version, bytes, savedAt } = card;
    const author = (await this.users.findAuthors([row.authorId])).get(row.authorId.toHexString());
    // The account is deleted, and the cleanup deletes its drafts next.
    if (author === undefined) throw draftNotFound();
    return { version, ...labelsOf(card), bytes, savedAt, content: contentOf(row), author };
  }

  private async set(id: ObjectId, viewer: Viewer, share: Draft['share']): Promise<void> {
    const { matchedCount } = await this.drafts.updateOne(
      { _id: id, authorId: viewer.id, state: { $ne: 'trashed' } },
      { $set: { share } },
    );
    if (matchedCount === 0) throw draftNotFound();
  }
}
