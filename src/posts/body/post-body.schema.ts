import { Schema } from 'mongoose';
import { POST_BODIES, type PostBodyRow } from '../post-row.js';

export const POST_BODY_MODEL = 'PostBody';

/** The Markdown of a post under the post's id; read by that id only, so it needs no other index. */
export const PostBodySchema = new Schema<PostBodyRow>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    codec: { type: String, required: true, enum: ['zstd'] },
    rawLength: { type: Number, required: true, min: 1 },
    bytes: { type: Buffer, required: true },
  },
  { collection: POST_BODIES, autoIndex: false, autoCreate: false, versionKey: false },
);
