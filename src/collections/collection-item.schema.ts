import { Schema } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import { COLLECTION_ITEMS, type CollectionItemRow, POST_SERIES, type PostSeriesRow } from './collection-row.js';
import { POSITION_PATTERN } from './positions.js';

/** the names the models are registered under */
export const COLLECTION_ITEM_MODEL = 'CollectionItem';
export const POST_SERIES_MODEL = 'PostSeries';

export const MAX_NOTE = 280;

/** the index that a collection is read by, in its order; holds all that its order is made of */
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
// GET /collections/:id/posts; the order that an item is put into
CollectionItemSchema.index(ITEM_ORDER);
// cleanup: where a deleted post is, or one that was hidden or shown
CollectionItemSchema.index({ postId: 1, isListed: 1 });

// held by the server for every writer, also those that bypass mongoose
const note = { bsonType: ['string', 'null'], maxLength: MAX_NOTE };
const position = { bsonType: 'string', pattern: POSITION_PATTERN };
declareValidator(CollectionItemSchema, exactShape(CollectionItemSchema, { position, note }));

/** Its primary key is the post: a post is in one series. */
export const PostSeriesSchema = new Schema<PostSeriesRow>({ _id: id, collectionId: id }, schemaOptions(POST_SERIES));
// cleanup: the posts of a deleted series
PostSeriesSchema.index({ collectionId: 1 });

declareValidator(PostSeriesSchema, exactShape(PostSeriesSchema));
