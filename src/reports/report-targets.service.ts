import { Injectable } from '@nestjs/common';
import { Binary, ObjectId } from 'mongodb';
import { CollectionsService } from '../collections/collections.service.js';
import { NoteRemovalsService } from '../collections/note-removals.service.js';
import { collectionNotFound } from '../collections/visibility.js';
import { CommentsService } from '../comments/comments.service.js';
import { commentNotFound } from '../comments/visibility.js';
import { Encryptor } from '../common/encryptor.js';
import { CodedError } from '../common/errors.js';
import { storedUrl } from '../common/own-files.js';
import { AppConfig } from '../config/app-config.js';
import { MediaModerationService, mediaNotFound } from '../media/media-moderation.service.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { PostsService } from '../posts/posts.service.js';
import { UsersService } from '../users/users.service.js';
import type { ReportTargetKind } from './report-rules.js';
import { ReportedHtmlService } from './reported-html.service.js';

/** characters of a comment in the list of cases */
const BEGINNING = 100;

/** What moderators see of a target. */
export type ReportedContent = {
  /** title, name, or the beginning of a comment */
  title: string;
  /** subtitle and Markdown of a post, Markdown of a comment, description of a collection, bio of an account; all texts of a profile, all notes with their posts */
  text: string;
  /** of the author, or of the account */
  username: string;
  /** stored address */
  imageUrl: string | null;
};

type ProfileTexts = Record<'headline' | 'location' | 'bio', string> & {
  interests: string[];
  links: { title: string; url: string }[];
};

export type ReportTarget = { ownerId: ObjectId; content: ReportedContent };

/** Reads the content that is reported, with the access of a viewer, and encrypts its copies. */
@Injectable()
export class ReportTargetsService {
  private readonly encryptor: Encryptor;

  constructor(
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly notes: NoteRemovalsService,
    private readonly media: MediaModerationService,
    private readonly users: UsersService,
    private readonly html: ReportedHtmlService,
    { auth }: AppConfig,
  ) {
    this.encryptor = new Encryptor(auth.encryptionKeys, 'reported-content');
  }

  /**
   * @throws CodedError `post_not_found`, `comment_not_found`, `collection_not_found` also without notes, `user_not_found`,
   * `media_not_found`
   */
  async get(kind: ReportTargetKind, id: ObjectId, viewer: Viewer): Promise<ReportTarget> {
    switch (kind) {
      case 'post': {
        const { author, title, subtitle, content, thumbnailUrl } = await this.posts.get(id, viewer);
        return targetBy(author, title, subtitle === null ? content : `${subtitle}\n\n${content}`, thumbnailUrl);
      }
      case 'comment': {
        const { author, content } = await this.comments.get(id, viewer);
        if (author === null || content === null) throw commentNotFound();
        return targetBy(author, [...content].slice(0, BEGINNING).join(''), content, null);
      }
      case 'collection': {
        const { owner, title, description, thumbnailUrl } = await this.collections.get(id, viewer);
        return targetBy(owner, title, description, thumbnailUrl);
      }
      case 'user': {
        const { username, fullName, bio, profilePicture } = await this.users.getById(id);
        return targetBy({ id: id.toHexString(), username }, fullName, bio, profilePicture);
      }
      case 'profile': {
        const { username, fullName, profilePicture, ...row } = await this.users.getById(id);
        return targetBy({ id: id.toHexString(), username }, fullName, profileText(row), profilePicture);
      }
      case 'note': {
        const { owner, title } = await this.collections.get(id, viewer);
        const notes = Object.entries(await this.notes.notesOf(id));
        if (notes.length === 0) throw collectionNotFound();
        return targetBy(owner, title, notes.map(([postId, note]) => `${postId}: ${note}`).join('\n\n'), null);
      }
      case 'media': {
        const row = await this.media.getRow(id);
        if (row.state === 'removed' && !hasRole(viewer, 'moderator')) throw mediaNotFound();
        const { username } = await this.users.getById(row.ownerId);
        const owner = { id: row.ownerId.toHexString(), username };
        return targetBy(owner, row.alt === '' ? 'Image' : row.alt, row.alt, this.media.addressOf(row));
      }
    }
  }

  /** Returns null if the target was deleted. */
  async find(kind: ReportTargetKind, id: ObjectId, viewer: Viewer): Promise<ReportTarget | null> {
    try {
      return await this.get(kind, id, viewer);
    } catch (error) {
      if (error instanceof CodedError && error.status === 404) return null;
      throw error;
    }
  }

  /** Returns null for the kinds with plain texts. @throws CodedError `overloaded` */
  htmlOf(kind: ReportTargetKind, ownerId: ObjectId, { text }: ReportedContent): Promise<string | null> {
    return this.html.render(kind, ownerId, text);
  }

  encrypt(content: ReportedContent): Binary {
    return new Binary(this.encryptor.encrypt(content));
  }

  /** Returns null if the key is no longer configured. */
  decrypt({ buffer }: Binary): ReportedContent | null {
    return this.encryptor.decrypt(buffer) as ReportedContent | null;
  }
}

function profileText({ headline, location, interests, links, bio }: ProfileTexts): string {
  const addresses = links.map(({ title, url }) => `${title} ${url}`);
  return [headline, location, interests.join(', '), ...addresses, bio].filter((text) => text !== '').join('\n\n');
}

function targetBy(
  { id, username }: { id: string; username: string },
  title: string,
  text: string,
  imageUrl: string | null,
): ReportTarget {
  const content = { title, text, username, imageUrl: storedUrl(imageUrl) };
  return { ownerId: ObjectId.createFromHexString(id), content };
}
