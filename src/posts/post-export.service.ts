import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Collection, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { ImageLookupService } from '../media/image-lookup.service.js';
import { findMany, streamBatches } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { readRows } from '../platform/mongo/readable-rows.js';
import { byIds } from '../platform/mongo/update-statements.js';
import { decompressBody } from '../rendering/body-codec.js';
import { Exported, type ExportedFile } from '../users/exported.decorator.js';
import { HUGO_CONFIG, linkedPostIds, toHugoFile } from './hugo-file.js';
import { type Post, PostSchema } from './post.schema.js';
import { BODY_FIELDS, PostBody, type PostMarkdown } from './post-body.schema.js';
import { olderThan, LATEST, positionOf } from './publication-order.js';
import { POST_PROJECTION, type PostJson, type PostViewRow, toPost } from './post-view.js';
import { presentLabels } from './stored-labels.js';
import { LISTED, ownPosts } from './visibility.js';

const BATCH = 50;
/** maximum number of links to other posts per text that become relative */
const MAX_LINKED = 500;

/** Streams all posts of one account with their texts, including hidden posts. */
@Injectable()
export class PostExportService {
  private readonly posts: Collection<Post>;

  constructor(
    mongo: MongoService,
    private readonly images: ImageLookupService,
    @InjectModel(PostBody.name) private readonly bodies: Model<PostBody>,
  ) {
    this.posts = mongo.collection(PostSchema);
  }

  /** The posts as stored, newest first. Posts deleted during the stream may be missing. */
  @Exported('posts.jsonl')
  async *rows(authorId: ObjectId): AsyncGenerator<object, void, undefined> {
    for await (const post of this.stream(authorId)) {
      const { id, slug, isPublic, visibility, createdAt, updatedAt, content } = post;
      yield { id, slug, ...presentLabels(post), isPublic, visibility, createdAt, updatedAt, content };
    }
  }

  /** The same posts, from which Hugo builds a site. */
  @Exported('posts/')
  async *files(authorId: ObjectId): AsyncGenerator<ExportedFile, void, undefined> {
    for await (const post of this.stream(authorId)) {
      const images = await this.images.find(authorId, [post.content, post.thumbnailUrl]);
      yield toHugoFile(post, images, await this.linkedSlugs(authorId, post.content));
    }
  }

  @Exported('hugo.toml')
  async *hugoConfig(): AsyncGenerator<string, void, undefined> {
    yield HUGO_CONFIG;
  }

  private async *stream(authorId: ObjectId): AsyncGenerator<PostJson, void, undefined> {
    const batches = streamBatches<PostViewRow>(BATCH, (last, limit) => {
      const after = last === null ? {} : olderThan(positionOf(last));
      const options = { projection: POST_PROJECTION, sort: LATEST, limit };
      return this.posts.find<PostViewRow>({ ...ownPosts(authorId), ...after }, options).toArray();
    });
    for await (const rows of batches) {
      const bodies = await findMany(this.bodies, { _id: { $in: rows.map(({ _id }) => _id) } }, BODY_FIELDS);
      const byId = new Map(bodies.map((body) => [body._id.toHexString(), body]));
      yield* readRows(
        'export: posts',
        rows,
        ({ _id }) => _id,
        (row) => read(row, byId.get(row._id.toHexString())),
      ).flat();
    }
  }

  /** Returns the slugs of the author's public posts to which a text links, by hex id. */
  private async linkedSlugs(authorId: ObjectId, text: string): Promise<Map<string, string>> {
    const ids = linkedPostIds(text).slice(0, MAX_LINKED);
    if (ids.length === 0) return new Map();
    const linked = { ...byIds(ids.map((id) => ObjectId.createFromHexString(id))), authorId, ...LISTED };
    const rows = await this.posts.find(linked, { projection: { slug: 1 }, hint: { _id: 1 } }).toArray();
    return new Map(rows.map(({ _id, slug }) => [_id.toHexString(), `${slug}-${_id.toHexString()}`]));
  }
}

/** Returns nothing for a post that is being deleted. */
function read(row: PostViewRow, body: PostMarkdown | undefined): PostJson[] {
  return body === undefined ? [] : [toPost(row, decompressBody({ ...body, bytes: body.bytes.buffer }))];
}
