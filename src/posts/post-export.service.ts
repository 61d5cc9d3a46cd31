import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Collection, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, streamBatches } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { readRows } from '../platform/mongo/readable-rows.js';
import { decompressBody } from '../rendering/body-codec.js';
import { Exported, type ExportedFile } from '../users/exported.decorator.js';
import { type Post, PostSchema } from './post.schema.js';
import { BODY_FIELDS, PostBody, type PostMarkdown } from './post-body.schema.js';
import { olderThan, LATEST, positionOf } from './publication-order.js';
import { POST_PROJECTION, type PostViewRow, toPost } from './post-view.js';
import { frontMatter, presentLabels } from './stored-labels.js';
import { ownPosts } from './visibility.js';

const BATCH = 50;

/** Streams all posts of one account with their texts, including hidden posts. */
@Injectable()
export class PostExportService {
  private readonly posts: Collection<Post>;

  constructor(
    mongo: MongoService,
    @InjectModel(PostBody.name) private readonly bodies: Model<PostBody>,
  ) {
    this.posts = mongo.collection(PostSchema);
  }

  /** Returns posts newest first. Posts deleted during the stream may be missing. */
  @Exported('posts/')
  async *stream(authorId: ObjectId): AsyncGenerator<ExportedFile, void, undefined> {
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
        (row) => toFile(row, byId.get(row._id.toHexString())),
      ).flat();
    }
  }
}

/** Returns nothing for a post that is being deleted. */
function toFile(row: PostViewRow, body: PostMarkdown | undefined): ExportedFile[] {
  if (body === undefined) return [];
  const post = toPost(row, decompressBody({ ...body, bytes: body.bytes.buffer }));
  const { id, slug, isPublic, visibility, createdAt, updatedAt, content } = post;
  const head = frontMatter({ id, ...presentLabels(post), isPublic, visibility, createdAt, updatedAt });
  return [{ name: `${createdAt.slice(0, 10)}-${slug}.md`, content: [head, content] }];
}
