import { Binary, type ObjectId } from 'mongodb';
import { Schema } from 'mongoose';
import { filesUrl } from '../../common/own-files.js';
import { schemaOptions } from '../../platform/mongo/schema-options.js';
import type { EncodedPost } from '../../rendering/rendered-html.js';

/** Increment with every change of the renderer: stored HTML of an earlier version is rendered again. */
export const RENDERER = 4;

export const POST_HTML = 'post_html';
export const POST_HTML_MODEL = 'PostHtml';

/** The HTML of a post under its id: the compressed JSON response, and the form for feeds. Derived: the next read writes a missing row. */
export type PostHtmlRow = {
  _id: ObjectId;
  renderer: number;
  /** of the post */
  version: number;
  codec: 'zstd';
  rawLength: number;
  bytes: Binary;
  /** absent in rows of an earlier renderer; null: too long for a feed */
  feed?: { rawLength: number; bytes: Binary } | null;
  /** the URL prefix of the author's images in the HTML; null: it has none. A different prefix needs a new rendering */
  filesUrl?: string | null;
};

/** Read by the id only, so it needs no other index. */
export const PostHtmlSchema = new Schema<PostHtmlRow>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    renderer: { type: Number, required: true },
    version: { type: Number, required: true },
    codec: { type: String, required: true, enum: ['zstd'] },
    rawLength: { type: Number, required: true, min: 1 },
    bytes: { type: Buffer, required: true },
    feed: {
      type: {
        _id: false,
        rawLength: { type: Number, required: true },
        bytes: { type: Buffer, required: true },
      },
    },
    filesUrl: { type: String },
  },
  schemaOptions(POST_HTML),
);

/** @param version of the post */
export function htmlRow(_id: ObjectId, version: number, { html, feed, hasOwnImages }: EncodedPost): PostHtmlRow {
  const { codec, rawLength, bytes } = html.stored;
  return {
    ...{ _id, renderer: RENDERER, version, codec, rawLength, bytes: new Binary(bytes) },
    filesUrl: hasOwnImages ? filesUrl() : null,
    feed: feed && { rawLength: feed.rawLength, bytes: new Binary(feed.bytes) },
  };
}
