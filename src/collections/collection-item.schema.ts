import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { COLLECTION_ITEMS, type CollectionItemRow, POST_SERIES, type PostSeriesRow } from './collection-row.js';
import { POSITION_PATTERN } from './positions.js';

/** the names the models are registered under */
export const COLLECTION_ITEM_MODEL = 'CollectionItem';
export const POST_SERIES_MODEL = 'PostSeries';

export const MAX_NOTE = 280;

/** the index of a collection's order, which contains all fields of the order */
export const ITEM_ORDER = { collectionId: 1, position: 1, _id: 1 } as const;

const id = { type: Schema.Types.ObjectId, required: true };

export const CollectionItemSchema = new Schema<CollectionItemRow>(
  {
    _id: { type: Schema.Types.Buffer, required: true },
    collectionId: id,
    postId: id,
    position: { type: String, required: true },
    isListed: { type: Boolean, required: true },
    note: { type: String, default: null },
    addedAt: { type: Date, required: true },
  },
  schemaOptions(COLLECTION_ITEMS),
);
// GET /collections/:id/posts; the order for a new item
CollectionItemSchema.index(ITEM_ORDER);
// cleanup: the items of a deleted, hidden or published post
CollectionItemSchema.index({ postId: 1, isListed: 1 });

// enforced by the server for every writer, also those that bypass mongoose
const note = { bsonType: ['string', 'null'], maxLength: MAX_NOTE };
const position = { bsonType: 'string', pattern: POSITION_PATTERN };
declareValidator(CollectionItemSchema, exactShape(CollectionItemSchema, { position, note }));

/** Its primary key is the post, so a post is in at most one series. */
export const PostSeriesSchema = new Schema<PostSeriesRow>({ _id: id, collectionId: id }, schemaOptions(POST_SERIES));
// cleanup: the posts of a deleted series
PostSeriesSchema.index({ collectionId: 1 });

declareValidator(PostSeriesSchema, exactShape(PostSeriesSchema));
