import { Binary } from 'mongodb';
import { Schema } from 'mongoose';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { POST_BODIES, type PostBodyRow } from './post-row.js';
import type { CompressedBody } from '../rendering/body-codec.js';

export const POST_BODY_MODEL = 'PostBody';
export const BODY_FIELDS = { codec: 1, rawLength: 1, bytes: 1 } as const;

/** The Markdown of a post under the post's id; read by that id only, so it needs no other index. */
export const PostBodySchema = new Schema<PostBodyRow>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    codec: { type: String, required: true, enum: ['zstd'] },
    rawLength: { type: Number, required: true, min: 1 },
    bytes: { type: Buffer, required: true },
    text: {
      type: {
        _id: false,
        rawLength: { type: Number, required: true, min: 1 },
        bytes: { type: Buffer, required: true },
      },
    },
  },
  schemaOptions(POST_BODIES),
);

export function storedText({ rawLength, bytes }: CompressedBody): Required<PostBodyRow>['text'] {
  return { rawLength, bytes: new Binary(bytes) };
}
