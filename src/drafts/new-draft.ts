import { Binary, ObjectId } from 'mongodb';
import { labelsOf } from '../posts/stored-labels.js';
import { compressBody } from '../rendering/body-codec.js';
import type { Draft } from './draft.schema.js';
import type { SaveDraft } from './dto/draft-input.dto.js';

/** Creates the row of a draft. @param fields with a stored thumbnail */
export function newDraft(
  authorId: ObjectId,
  postId: string | null,
  fields: Omit<SaveDraft, 'thumbnailMediaId'>,
): Draft {
  const { codec, rawLength, bytes } = compressBody(fields.content ?? '');
  const now = new Date();
  return {
    _id: new ObjectId(),
    authorId,
    postId: postId === null ? null : ObjectId.createFromHexString(postId),
    ...labelsOf(fields),
    ...{ codec, rawLength, bytes: new Binary(bytes) },
    version: 1,
    ...{ state: 'open', publishAt: null, failure: null, share: null, visibility: fields.visibility ?? null },
    createdAt: now,
    updatedAt: now,
  };
}
