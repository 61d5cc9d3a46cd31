import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BatchLoader } from '../../common/batch-loader.js';
import { CodedError } from '../../common/errors.js';
import { filesUrl } from '../../common/own-files.js';
import { within } from '../../common/within.js';
import { ImageLookupService } from '../../media/image-lookup.service.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { EncodedJson } from '../../platform/http/text-response.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { findMany } from '../../platform/mongo/lean-reads.js';
import { compressBody, decompressBody } from '../../rendering/body-codec.js';
import type { WrittenText } from '../content-format.js';
import { ContentFormatsService } from '../content-formats.service.js';
import { PostsService } from '../posts.service.js';
import { PostRendererService } from '../../rendering/post-renderer.service.js';
import type { EncodedHtml, EncodedPost, RenderedHtml } from '../../rendering/rendered-html.js';
import { htmlRow, PostHtml, RENDERER } from './post-html.schema.js';

const VERSION = { renderer: 1, version: 1, filesUrl: 1, codec: 1 } as const;
const PAGE = { ...VERSION, rawLength: 1, bytes: 1 } as const;
const FEED = { ...VERSION, feed: 1 } as const;

type PageRow = Pick<PostHtml, '_id' | keyof typeof PAGE>;
type FeedRow = Pick<PostHtml, '_id' | keyof typeof FEED>;
type Version = Pick<PostHtml, 'renderer' | 'version' | 'filesUrl'>;

/** The maximum time for rendering feed texts without current HTML. */
const FEED_RENDER_MS = 10_000;

/** Returns the HTML of posts and unsaved texts. Writes store the HTML of a post, and reads render rows of an earlier renderer again. */
@Injectable()
export class PostHtmlService {
  private readonly logger = new Logger('PostHtml');
  private readonly reads: BatchLoader<PageRow>;
  /** running renderings by id and version, which all readers of a text share */
  private readonly renderings = new Map<string, Promise<EncodedPost>>();

  constructor(
    private readonly posts: PostsService,
    private readonly renderer: PostRendererService,
    private readonly images: ImageLookupService,
    private readonly formats: ContentFormatsService,
    @InjectModel(PostHtml.name) private readonly rows: Model<PostHtml>,
  ) {
    this.reads = new BatchLoader({
      maxBatch: 50,
      read: async (keys) => {
        const ids = keys.map((key) => ObjectId.createFromHexString(key));
        const found = await findMany(this.rows, { _id: { $in: ids } }, PAGE);
        return new Map(found.map((row) => [row._id.toHexString(), row]));
      },
    });
  }

  /** @throws CodedError `post_not_found`, like the post itself; `overloaded` */
  async get(id: ObjectId, viewer: Viewer | null): Promise<EncodedJson> {
    const { version } = await this.posts.getVisible(id, viewer);
    const row = await this.reads.get(id.toHexString());
    return isCurrent(row, version) ? decodeRow(row) : toEncodedJson((await this.renderOnce(id, version, viewer)).html);
  }

  /**
   * Returns the feed forms of public posts, by hex id. Omits texts that are too long, or would exceed `maxBytes` in total.
   * @throws CodedError `overloaded` when rendering takes too long
   */
  async getFeedForms(ids: ObjectId[], maxBytes: number): Promise<Map<string, string>> {
    const rows = await findMany(this.rows, { _id: { $in: ids } }, FEED);
    const byId = new Map(rows.map((row) => [row._id.toHexString(), row]));
    const posts = await Promise.all(ids.map((id) => ifVisible(this.posts.getVisible(id, null))));
    const deadline = performance.now() + FEED_RENDER_MS;
    const forms = new Map<string, string>();
    let left = maxBytes;
    for (const [at, id] of ids.entries()) {
      const [key, post] = [id.toHexString(), posts[at]];
      if (post === undefined) continue;
      const row = byId.get(key);
      const feed = isCurrent(row, post.version) ? storedFeed(row) : await this.renderFeed(id, post.version, deadline);
      if (feed === null || feed.rawLength > left) continue;
      left -= feed.rawLength;
      forms.set(key, decompressBody(feed));
    }
    return forms;
  }

  /** As `preview`, for Markdown or HTML. @throws CodedError `overloaded`, `invalid_input` */
  async previewText(text: WrittenText & { content: string }, viewer: Viewer): Promise<EncodedJson> {
    const { input, dropped } = await this.formats.toMarkdown(text, viewer.id, { mayBeBlank: true });
    const preview = await this.preview(input.content, viewer);
    if (dropped === undefined) return preview;
    const json = JSON.stringify({ ...(JSON.parse(preview.json.toString()) as RenderedHtml), dropped });
    return toEncodedJson({ json, stored: compressBody(json) });
  }

  /** @throws CodedError `overloaded` */
  async preview(markdown: string, viewer: Viewer): Promise<EncodedJson> {
    const images = await this.images.find(viewer._id, [markdown]);
    return toEncodedJson((await this.renderer.render(markdown, viewer.id, images)).html);
  }

  /** Returns null for a post that was hidden or deleted since. Stores a late result for the next call. */
  private async renderFeed(id: ObjectId, version: number, deadline: number): Promise<EncodedPost['feed']> {
    const rendering = ifVisible(this.renderOnce(id, version, null)).then((post) => ({ feed: post?.feed ?? null }));
    const rendered = await within(deadline - performance.now(), rendering);
    if (rendered !== undefined) return rendered.feed;
    throw new CodedError('overloaded', 'Texts of this feed are still being rendered.', { retryAfterSeconds: 5 });
  }

  private renderOnce(id: ObjectId, version: number, viewer: Viewer | null): Promise<EncodedPost> {
    const key = `${id.toHexString()} ${version}`;
    const running = this.renderings.get(key);
    if (running !== undefined) return running;
    const rendering = this.render(id, viewer).finally(() => this.renderings.delete(key));
    this.renderings.set(key, rendering);
    return rendering;
  }

  private async render(id: ObjectId, viewer: Viewer | null): Promise<EncodedPost> {
    // `getBody` reads the version before the text. A newer text under an older version only costs another rendering.
    const { row, body } = await this.posts.getBody(id, viewer);
    const markdown = decompressBody({ ...body, bytes: body.bytes.buffer });
    const images = await this.images.find(row.authorId, [markdown]);
    const post = await this.renderer.render(markdown, null, images);
    await this.store(htmlRow(id, row.version, post));
    return post;
  }

  /** Stores a row, but never replaces a newer row. */
  private async store({ _id, ...row }: PostHtml): Promise<void> {
    const isOlder = { _id, renderer: { $lte: row.renderer }, version: { $lte: row.version } };
    try {
      await this.rows.updateOne(isOlder, { $set: row }, { upsert: true }).exec();
    } catch (error) {
      // The next reader stores the HTML.
      if (!isDuplicateKey(error)) this.logger.warn(`The HTML of ${_id.toHexString()} is not stored: ${String(error)}`);
    }
  }
}

/** Returns undefined for a post that was hidden or deleted since. */
async function ifVisible<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CodedError && error.code === 'post_not_found') return undefined;
    throw error;
  }
}

function isCurrent<Row extends Version>(row: Row | undefined, version: number): row is Row {
  if (row === undefined || row.renderer < RENDERER || row.version < version) return false;
  // null: a text without images of the author
  return (row.filesUrl ?? filesUrl()) === filesUrl();
}

function storedFeed({ codec, feed }: FeedRow): EncodedPost['feed'] {
  return feed ? { codec, rawLength: feed.rawLength, bytes: feed.bytes.buffer } : null;
}

function decodeRow({ bytes, ...row }: PageRow): EncodedJson {
  const stored = { ...row, bytes: bytes.buffer };
  return toEncodedJson({ json: decompressBody(stored), stored });
}

function toEncodedJson({ json, stored: { codec, bytes } }: EncodedHtml): EncodedJson {
  return new EncodedJson(Buffer.from(json), codec, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
