import { BsonFields } from '../common/bson-fields.js';
import type { JsonWriter } from '../common/json-writer.js';
import { FILES_PATH, filesUrlJson } from '../common/own-files.js';
import { AUTHOR_FIELDS } from './author-snapshot.js';

const author = new BsonFields(AUTHOR_FIELDS);
/** The image is the last field. */
const PICTURE_AT = AUTHOR_FIELDS.indexOf('profilePicture');
const LABELS = AUTHOR_FIELDS.slice(0, PICTURE_AT).map((name) => Buffer.from(`,"${name}":`));
const PICTURE = Buffer.from(',"profilePicture":');

/** Writes the members of an author's JSON after the id, from the BSON snapshot at `at`: the same bytes as `toAuthor`. */
export function writeAuthor(writer: JsonWriter, source: Buffer, at: number): void {
  author.read(source, at);
  writer.members(source, author, LABELS);
  writer.text(PICTURE);
  const { types, offsets } = author;
  writer.address(source, types[PICTURE_AT]!, offsets[PICTURE_AT]!, filesUrlJson(), FILES_PATH.length);
}
