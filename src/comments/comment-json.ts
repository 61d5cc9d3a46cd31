import { BSON } from 'mongodb';
import { type ListFilter, NO_FILTER } from '../blocks/list-filter.js';
import { BSON_TYPE, BsonFields, int32, numberAt } from '../common/bson-fields.js';
import { JsonWriter } from '../common/json-writer.js';
import type { RawDocuments } from '../platform/mongo/raw-read.js';
import type { Viewer } from '../platform/access/viewer.js';
import { writeAuthor } from '../users/author-json.js';
import { COMMENT_COUNTERS } from './comment.schema.js';
import { COMMENT_PROJECTION, type CommentViewRow, seesRemoved, toListedComment } from './comment-view.js';

const NAMES = ['_id', ...Object.keys(COMMENT_PROJECTION)] as ('_id' | keyof typeof COMMENT_PROJECTION)[];
const AT = Object.fromEntries(NAMES.map((name, index) => [name, index])) as Record<(typeof NAMES)[number], number>;

const comment = new BsonFields(NAMES);
const stats = new BsonFields(COMMENT_COUNTERS);
const writer = new JsonWriter();

const OPEN = Buffer.from('{"id":');
const POST = Buffer.from(',"postId":');
const PARENT = Buffer.from(',"parentId":');
const AUTHOR = Buffer.from(',"author":{"id":');
const CONTENT = Buffer.from('},"content":');
const DELETED = Buffer.from(',"author":null,"content":null');
const STATS = Buffer.from(',"stats":{');
const STAT_LABELS = COMMENT_COUNTERS.map((name, index) => Buffer.from(`${index === 0 ? '' : ','}"${name}":`));
const EDITED = Buffer.from('},"isEdited":');
const IS_DELETED = Buffer.from(',"isDeleted":true,"createdAt":');
const IS_NOT_DELETED = Buffer.from(',"isDeleted":false,"createdAt":');
const UPDATED = Buffer.from(',"updatedAt":');
const CLOSE = Buffer.from('}');
const CLOSE_HIDDEN = Buffer.from(',"isHiddenForYou":true}');

/**
 * Serializes the first `limit` raw BSON comments as CommentJson, separated by commas. A test compares the bytes with `toListedComment`.
 * @param filter of the viewer, who gets hidden comments without author and text
 * @param visible what readers see of Markdown, for the filter
 * @returns the bytes, the hex id and like count of the last comment, and the authors of comments that moderators removed
 */
export function commentsJson(
  { buffer, offsets }: RawDocuments,
  limit: number,
  filter = NO_FILTER,
  viewer: Viewer | null = null,
  visible: ReadonlyMap<string, string> = new Map(),
): { json: Buffer; lastId: string; lastLikes: number; removedAuthors: string[] } {
  writer.reset();
  let [lastId, lastLikes] = ['', 0];
  const removedAuthors: string[] = [];
  for (let index = 0; index < offsets.length && index < limit; index++) {
    if (index > 0) writer.comma();
    comment.read(buffer, offsets[index]!);
    const idAt = comment.offsets[AT._id]!;
    const removedAuthor = removedAuthorOf(buffer, comment);
    if (removedAuthor !== null) removedAuthors.push(removedAuthor);
    if (removedAuthor !== null && seesRemoved(removedAuthor, viewer) && !filter.hidesAccount(removedAuthor))
      writeRemoved(buffer, offsets[index]!, viewer);
    else writeComment(buffer, comment, idAt, filter, visible);
    lastId = hexAt(buffer, idAt);
    // of the last comment
    lastLikes = numberAt(buffer, stats.types[0]!, stats.offsets[0]!);
  }
  return { json: writer.copy(), lastId, lastLikes, removedAuthors };
}

/** Returns the Markdown of the first `limit` comments. */
export function contentsOf({ buffer, offsets }: RawDocuments, limit: number): string[] {
  return offsets.slice(0, limit).map((at) => {
    comment.read(buffer, at);
    return textAt(buffer, comment.offsets[AT.content]!);
  });
}

function writeComment(
  source: Buffer,
  { types, offsets }: BsonFields,
  idAt: number,
  filter: ListFilter,
  visible: ReadonlyMap<string, string>,
): void {
  const member = (label: Buffer, at: number): void => {
    writer.text(label);
    writer.value(source, types[at]!, offsets[at]!);
  };
  writer.text(OPEN);
  writer.quotedId(source, idAt);
  member(POST, AT.postId);
  member(PARENT, AT.parentId);
  const isDeleted = types[AT.deletedAt] === BSON_TYPE.date;
  const isLimited = types[AT.isLimited] === BSON_TYPE.boolean && source[offsets[AT.isLimited]!] === 1;
  const filtered = isDeleted || filter === NO_FILTER ? [] : filtersOf(source, offsets, filter, visible);
  const isHidden = filtered === 'hidden' || (isLimited && !isDeleted);
  if (isDeleted || isHidden) writer.text(DELETED);
  else {
    member(AUTHOR, AT.authorId);
    writeAuthor(writer, source, offsets[AT.authorSnapshot]!);
    member(CONTENT, AT.content);
  }
  writer.text(STATS);
  stats.read(source, offsets[AT.stats]!);
  writer.members(source, stats, STAT_LABELS);
  member(EDITED, AT.isEdited);
  member(isDeleted ? IS_DELETED : IS_NOT_DELETED, AT.createdAt);
  member(UPDATED, AT.updatedAt);
  if (isHidden) writer.text(CLOSE_HIDDEN);
  else if (filtered.length === 0) writer.text(CLOSE);
  else writer.text(Buffer.from(`,"filtered":${JSON.stringify(filtered)}}`));
}

/** Returns null for a comment that no moderator has removed. */
function removedAuthorOf(source: Buffer, { types, offsets }: BsonFields): string | null {
  return types[AT.removal] === BSON_TYPE.document ? hexAt(source, offsets[AT.authorId]!) : null;
}

/** Decodes the comment, because few comments are removed. */
function writeRemoved(source: Buffer, at: number, viewer: Viewer): void {
  const row = BSON.deserialize(source.subarray(at, at + int32(source, at))) as CommentViewRow;
  writer.text(Buffer.from(JSON.stringify(toListedComment(row, viewer))));
}

function filtersOf(
  source: Buffer,
  offsets: Int32Array,
  filter: ListFilter,
  visible: ReadonlyMap<string, string>,
): ReturnType<ListFilter['filterComment']> {
  const content = textAt(source, offsets[AT.content]!);
  return filter.filterComment(hexAt(source, offsets[AT.authorId]!), visible.get(content) ?? content);
}

/** Reads a BSON string: its length with a final zero, then UTF-8. */
function textAt(source: Buffer, at: number): string {
  return source.toString('utf8', at + 4, at + 3 + int32(source, at));
}

function hexAt(source: Buffer, at: number): string {
  return source.toString('hex', at, at + 12);
}
