import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { MAX_TAGS } from '../platform/http/validation/labels.dto.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { COLLECTION_COUNTERS, COLLECTION_KINDS, COLLECTIONS, type CollectionRow, MAX_ITEMS } from './collection-row.js';

/** the name of the model */
export const COLLECTION_MODEL = 'Collection';

export const MAX_COLLECTION_TITLE = 100;
export const MAX_DESCRIPTION = 500;

const counter = { type: Number, required: true, min: 0, default: 0 };
const text = { type: String, required: true };

export const CollectionSchema = new Schema<CollectionRow>(
  {
    ownerId: { type: Schema.Types.ObjectId, required: true },
    ownerSnapshot: { _id: false, username: text, fullName: text, profilePicture: { type: String, default: null } },
    // lengths are in the validator of the collection: mongoose counts UTF-16 units, the rules characters
    title: text,
    slug: text,
    description: { type: String, default: '' },
    kind: { ...text, enum: COLLECTION_KINDS },
    isPublic: { type: Boolean, required: true },
    isListed: { type: Boolean, required: true },
    tags: { type: [String], required: true },
    thumbnailUrl: { type: String, default: null },
    stats: { _id: false, postsCount: counter, likesCount: counter, dislikesCount: counter, followersCount: counter },
    topScore: { type: Number, required: true, default: 0 },
    orderEpoch: counter,
    version: { type: Number, required: true, min: 1 },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
  },
  schemaOptions(COLLECTIONS),
);

// Only collections that readers can find: private and deleted ones are not in these indexes.
const listed = { partialFilterExpression: { isListed: true } };

/** the indexes of the lists, each hinted where it is used */
export const COLLECTION_LISTS = {
  latest: { isListed: 1, _id: -1 },
  top: { isListed: 1, topScore: -1, _id: -1 },
  latestOfTag: { tags: 1, _id: -1 },
  topOfTag: { tags: 1, topScore: -1, _id: -1 },
  ofOwner: { ownerId: 1, _id: -1 },
  mine: { ownerId: 1, deletedAt: 1, _id: -1 },
} as const;

// GET /collections
CollectionSchema.index(COLLECTION_LISTS.latest, listed);
// GET /collections?sort=top
CollectionSchema.index(COLLECTION_LISTS.top, listed);
// GET /collections?tag=
CollectionSchema.index(COLLECTION_LISTS.latestOfTag, listed);
// GET /collections?sort=top&tag=
CollectionSchema.index(COLLECTION_LISTS.topOfTag, listed);
// GET /users/:username/collections
CollectionSchema.index(COLLECTION_LISTS.ofOwner, listed);
// GET /users/me/collections; cleanup and audit: all of one owner
CollectionSchema.index(COLLECTION_LISTS.mine);

const count = { bsonType: ['int', 'long'], minimum: 0 };

// enforced by the server for every writer, also those that bypass mongoose
declareValidator(
  CollectionSchema,
  exactShape(CollectionSchema, {
    ownerSnapshot: { bsonType: 'object', required: ['username', 'fullName'] },
    title: { bsonType: 'string', minLength: 1, maxLength: MAX_COLLECTION_TITLE },
    slug: { bsonType: 'string', minLength: 1 },
    description: { bsonType: 'string', maxLength: MAX_DESCRIPTION },
    kind: { enum: [...COLLECTION_KINDS] },
    tags: { bsonType: 'array', maxItems: MAX_TAGS, items: { bsonType: 'string' } },
    stats: {
      bsonType: 'object',
      required: [...COLLECTION_COUNTERS],
      properties: {
        ...Object.fromEntries(COLLECTION_COUNTERS.map((name) => [name, count])),
        postsCount: { ...count, maximum: MAX_ITEMS },
      },
    },
    topScore: { bsonType: ['int', 'long'] },
    orderEpoch: count,
    version: { ...count, minimum: 1 },
  }),
);
