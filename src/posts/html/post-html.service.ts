import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BatchLoader } from '../../common/batch-loader.js';
import { CodedError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { EncodedJson } from '../../platform/http/encoded-json.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { findMany } from '../../platform/mongo/lean-reads.js';
import { decompressBody } from '../body/body-codec.js';
import { PostsService } from '../posts.service.js';
import { POST_HTML_MODEL, type PostHtmlRow, RENDERER } from './post-html.schema.js';
import { PostRenderer } from './post-renderer.service.js';
import type { EncodedHtml, RenderedHtml } from './rendered-html.js';

const FIELDS = { renderer: 1, version: 1, codec: 1, rawLength: 1, bytes: 1 } as const;

export type HtmlBudget = { renderMs: number; maxBytes: number };

/** HTML of posts and of texts that are being written. Publishing and editing store it; rows of an earlier renderer are written again by a read. */
@Injectable()
export class PostHtmlService {
  private readonly logger = new Logger('PostHtml');
  private readonly reads: BatchLoader<PostHtmlRow>;

  constructor(
    private readonly posts: PostsService,
    private readonly renderer: PostRenderer,
    @InjectModel(POST_HTML_MODEL) private readonly rows: Model<PostHtmlRow>,
  ) {
    this.reads = new BatchLoader({
      maxBatch: 50,
      read: async (keys) => {
        const ids = keys.map((key) => ObjectId.createFromHexString(key));
        const found = await findMany(this.rows, { _id: { $in: ids } }, FIELDS);
        return new Map(found.map((row) => [row._id.toHexString(), row]));
      },
    });
  }

  /** @throws CodedError `post_not_found`, as the post itself; `overloaded` */
  async get(id: ObjectId, viewer: Viewer | null): Promise<EncodedJson> {
    const row = await this.findRow(id, viewer);
    return row === undefined ? this.renderPost(id, viewer) : answerOf(row);
  }

  /**
   * Of posts that all may read, by hex id: what is stored, and what is rendered within `renderMs`, one after the other, so that a list
   * takes one thread of the pool. What comes later, or would make it more than `maxBytes`, is missing.
   */
  async findMany(ids: ObjectId[], { renderMs, maxBytes }: HtmlBudget): Promise<Map<string, string>> {
    const rows = await Promise.all(ids.map((id) => ifPossible(this.findRow(id, null))));
    const deadline = performance.now() + renderMs;
    const found = new Map<string, string>();
    let left = maxBytes;
    for (const [at, id] of ids.entries()) {
      const row = rows[at];
      if (row !== undefined && row.rawLength > left) continue;
      const answer = row === undefined ? await this.renderUntil(deadline, id) : answerOf(row);
      if (answer === undefined || answer.json.length > left) continue;
      left -= answer.json.length;
      found.set(id.toHexString(), (JSON.parse(answer.json.toString()) as RenderedHtml).html);
    }
    return found;
  }

  /** @throws CodedError `overloaded` */
  async preview(markdown: string): Promise<EncodedJson> {
    return toAnswer((await this.renderer.render(markdown)).html);
  }

  /** Undefined where it is to be rendered. @throws CodedError `post_not_found` */
  private async findRow(id: ObjectId, viewer: Viewer | null): Promise<PostHtmlRow | undefined> {
    const { version } = await this.posts.getVisible(id, viewer);
    const row = await this.reads.get(id.toHexString());
    return row !== undefined && isCurrent(row, version) ? row : undefined;
  }

  private async renderUntil(deadline: number, id: ObjectId): Promise<EncodedJson | undefined> {
    const leftMs = deadline - performance.now();
    return leftMs > 0 ? within(leftMs, ifPossible(this.renderPost(id, null))) : undefined;
  }

  private async renderPost(id: ObjectId, viewer: Viewer | null): Promise<EncodedJson> {
    // the version before the text: a newer text under an older version is rendered once more, never the other way round
    const { row, body } = await this.posts.getBody(id, viewer);
    const markdown = decompressBody({ ...body, bytes: body.bytes.buffer });
    const { html } = await this.renderer.render(markdown);
    await this.store(id, row.version, html);
    return toAnswer(html);
  }

  /** Never over a newer one. */
  private async store(id: ObjectId, version: number, { stored }: EncodedHtml): Promise<void> {
    const { codec, rawLength, bytes } = stored;
    const row = { renderer: RENDERER, version, codec, rawLength, bytes: new Binary(bytes) };
    const isOlder = { _id: id, renderer: { $lte: RENDERER }, version: { $lte: version } };
    try {
      await this.rows.updateOne(isOlder, { $set: row }, { upsert: true }).exec();
    } catch (error) {
      // the next reader stores it
      if (!isDuplicateKey(error)) this.logger.warn(`The HTML of ${id.toHexString()} is not stored: ${String(error)}`);
    }
  }
}

/** Undefined for a post that has gone since, and where the pool is full. */
async function ifPossible<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CodedError && ['post_not_found', 'overloaded'].includes(error.code)) return undefined;
    throw error;
  }
}

function isCurrent(row: PostHtmlRow, version: number): boolean {
  return row.renderer >= RENDERER && row.version >= version;
}

function answerOf({ bytes, ...row }: PostHtmlRow): EncodedJson {
  const stored = { ...row, bytes: bytes.buffer };
  return toAnswer({ json: decompressBody(stored), stored });
}

function toAnswer({ json, stored: { codec, bytes } }: EncodedHtml): EncodedJson {
  return new EncodedJson(Buffer.from(json), codec, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
