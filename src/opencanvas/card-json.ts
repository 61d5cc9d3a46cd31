import { BSON, type Document } from 'mongodb';
import type { RawDocuments } from '../platform/mongo/raw-read.js';
import { SerializedCards } from '../posts/card/card-json.js';
import { type PostCardRow, toPostCard } from '../posts/card/post-card.js';
import { toOpenCanvasCard } from './opencanvas-post.js';

const COMMA = Buffer.from(',');
const ID_AT = '{"_id":"'.length;

/** Converts raw BSON cards to the JSON of OpenCanvas. @param rankField the field of `rank` that sorts the feed */
export function serializeOpenCanvasCards({ buffer, offsets }: RawDocuments, rankField: string): SerializedCards {
  const starts = [0];
  const values: number[] = [];
  const pieces: Buffer[] = [];
  for (const index of offsets) {
    const row = BSON.deserialize(buffer, { allowObjectSmallerThanBufferSize: true, index }) as PostCardRow & Document;
    const json = Buffer.from(JSON.stringify(toOpenCanvasCard(toPostCard(row))));
    pieces.push(json, COMMA);
    starts.push(starts.at(-1)! + json.length + COMMA.length);
    values.push(Number((row['rank'] as Record<string, number> | undefined)?.[rankField] ?? 0));
  }
  return new SerializedCards(Buffer.concat(pieces), starts, values, ID_AT);
}
