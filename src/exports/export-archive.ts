import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { ZipFile } from 'yazl';
import { OwnModerationService } from '../actions/own-moderation.service.js';
import { AuthService } from '../auth/auth.service.js';
import { BlocksService } from '../blocks/blocks.service.js';
import { ContentFiltersService } from '../blocks/content-filters.service.js';
import { OwnCollectionsService } from '../collections/own-collections.service.js';
import { OwnCommentsService } from '../comments/own-comments.service.js';
import { type OwnDraft, OwnDraftsService } from '../drafts/own-drafts.service.js';
import { FollowsService } from '../follows/follows.service.js';
import type { InteractionKind } from '../interactions/interaction-id.js';
import { OwnInteractionsService } from '../interactions/own-interactions.service.js';
import { OwnMediaService } from '../media/own-media.service.js';
import { SubscriptionsService } from '../notifications/subscriptions.service.js';
import { PostExportService } from '../posts/post-export.service.js';
import type { PostJson } from '../posts/post-view.js';
import { presentLabels } from '../posts/stored-labels.js';
import { InvitesService } from '../registration/invites.service.js';
import { ReportsService } from '../reports/reports.service.js';
import { UsersService } from '../users/users.service.js';

/** Writes the data of an account as a ZIP, part by part: memory holds a batch of rows and one compression buffer. */
@Injectable()
export class ExportArchive {
  constructor(
    private readonly auth: AuthService,
    private readonly users: UsersService,
    private readonly posts: PostExportService,
    private readonly drafts: OwnDraftsService,
    private readonly comments: OwnCommentsService,
    private readonly interactions: OwnInteractionsService,
    private readonly follows: FollowsService,
    private readonly blocks: BlocksService,
    private readonly filters: ContentFiltersService,
    private readonly collections: OwnCollectionsService,
    private readonly media: OwnMediaService,
    private readonly subscriptions: SubscriptionsService,
    private readonly invites: InvitesService,
    private readonly reports: ReportsService,
    private readonly moderation: OwnModerationService,
  ) {}

  /** Resolves when the last part has been read. The caller reads `zip.outputStream` concurrently. */
  async write(zip: ZipFile, userId: ObjectId, signal: AbortSignal): Promise<void> {
    const addStream = async (name: string, stream: Readable, compress = true): Promise<void> => {
      let content: Readable | null = stream;
      const taken = finished(content, { signal });
      zip.addReadStreamLazy(name, { compress }, (open) => {
        open(null, content!);
        // The list of entries references this function until the end, and would retain every text with it.
        content = null;
      });
      // Adds one entry at a time, because queued entries stay in memory.
      await taken;
    };
    const add = (name: string, lines: Iterable<string> | AsyncIterable<string>): Promise<void> =>
      addStream(name, Readable.from(lines, { objectMode: false }));
    const { settings } = await this.users.getById(userId);
    await add('account.json', [json({ ...(await this.auth.me(userId)), settings })]);
    for await (const post of this.posts.stream(userId)) await add(postName(post), [postHead(post), post.content]);
    for await (const draft of this.drafts.stream(userId))
      await add(draftName(draft), [draftHead(draft), draft.markdown]);
    await add('comments.jsonl', this.commentLines(userId));
    await add('votes.jsonl', this.interactionLines(userId, 'vote'));
    await add('saved.jsonl', this.interactionLines(userId, 'save'));
    await add('hidden.jsonl', this.interactionLines(userId, 'hide'));
    await add('followed-collections.jsonl', this.interactionLines(userId, 'follow'));
    await add('follows.csv', this.followLines(userId));
    await add('blocks.json', [json(await this.blocks.ownPairs(userId))]);
    await add('filters.json', [json(await this.filters.list(userId))]);
    for await (const own of this.collections.stream(userId))
      await add(`collections/${own.collection.slug}.json`, [json({ ...own.collection, posts: own.posts })]);
    await add('notifications.jsonl', this.notificationLines(userId));
    await add('notification-settings.json', [json(await this.subscriptions.ownSubscriptions(userId))]);
    await add('invites.jsonl', this.inviteLines(userId));
    await add('reports.jsonl', this.reportLines(userId));
    await add('moderation.jsonl', this.moderationLines(userId));
    await add('pictures.jsonl', this.imageLines(userId));
    for await (const { name, open } of this.media.stream(userId))
      await addStream(`pictures/${name}`, await open(), false);
    zip.end();
  }

  private async *commentLines(userId: ObjectId): AsyncGenerator<string> {
    for await (const { _id, ...comment } of this.comments.stream(userId))
      yield `${JSON.stringify({ id: _id, ...comment })}\n`;
  }

  private async *interactionLines(userId: ObjectId, kind: InteractionKind): AsyncGenerator<string> {
    for await (const { targetModel, targetId, value, createdAt } of this.interactions.stream(userId, kind)) {
      const target = { target: targetModel.toLowerCase(), id: targetId };
      yield `${JSON.stringify(kind === 'vote' ? { ...target, value, createdAt } : { ...target, createdAt })}\n`;
    }
  }

  private async *notificationLines(userId: ObjectId): AsyncGenerator<string> {
    for await (const notification of this.subscriptions.streamOwn(userId)) yield `${JSON.stringify(notification)}\n`;
  }

  private async *inviteLines(userId: ObjectId): AsyncGenerator<string> {
    for await (const { uses, usedCount, note, createdAt, expiresAt } of this.invites.streamOwn(userId))
      yield `${JSON.stringify({ uses, usedCount, note, createdAt, expiresAt })}\n`;
  }

  private async *reportLines(userId: ObjectId): AsyncGenerator<string> {
    for await (const report of this.reports.streamOwn(userId)) yield `${JSON.stringify(report)}\n`;
  }

  private async *moderationLines(userId: ObjectId): AsyncGenerator<string> {
    for await (const action of this.moderation.stream(userId)) yield `${JSON.stringify(action)}\n`;
  }

  private async *imageLines(userId: ObjectId): AsyncGenerator<string> {
    for await (const { name, about } of this.media.stream(userId))
      yield `${JSON.stringify({ file: name, ...about })}\n`;
  }

  /** Usernames are letters, digits and underscores, so they need no quotes. */
  private async *followLines(userId: ObjectId): AsyncGenerator<string> {
    yield 'username,since\r\n';
    for await (const { username, since } of this.follows.streamFollowing(userId))
      yield `${username},${since.toISOString()}\r\n`;
  }
}

function postName({ createdAt, slug }: PostJson): string {
  return `posts/${createdAt.slice(0, 10)}-${slug}.md`;
}

function postHead(post: PostJson): string {
  const { id, isPublic, visibility, createdAt, updatedAt } = post;
  return frontMatter({ id, ...presentLabels(post), isPublic, visibility, createdAt, updatedAt });
}

/** Uses the id, because a draft may have no title yet, and titles may repeat. */
function draftName({ card }: OwnDraft): string {
  return `drafts/${card.createdAt.slice(0, 10)}-${card.id}.md`;
}

function draftHead({ card }: OwnDraft): string {
  const { id, postId, publishAt, createdAt, savedAt } = card;
  return frontMatter({ id, postId, ...presentLabels(card), publishAt, createdAt, savedAt });
}

/** Writes each value as JSON, which is YAML. The text after the second line of dashes is unchanged. */
function frontMatter(fields: object): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
