import { BSON_TYPE, BsonFields, numberAt } from '../../common/bson-fields.js';
import { JsonWriter } from '../../common/json-writer.js';
import type { RawDocuments } from '../../platform/mongo/raw-read.js';
import { POST_COUNTERS } from '../post-counters.js';
import { writeAuthor } from '../../users/author-json.js';
import { writeImage } from '../../media/image-json.js';
import { FILES_PATH, filesUrlJson } from '../../common/own-files.js';
import { CARD_FIELDS, PLAIN_CARD_FIELDS } from './post-card.js';

const ID_AT = '{"id":"'.length;

/** Writes raw cards as JSON. @param rankField the field of `rank` that orders the feed ('': by time) */
export type CardSerializer = (raw: RawDocuments, rankField: string) => SerializedCards;

/** A card with its position in the list. */
export type CardEntry = { value: number; id: string; authorId: string; json: string };

/** Cards in order, as JSON text separated by commas, so that any range is one slice of the bytes. */
export class SerializedCards {
  /**
   * @param starts the offset of each card in `bytes`, and of the end
   * @param values the sort values of the feed, for cursors
   * @param idAt the offset of the id in each card
   */
  constructor(
    private readonly bytes: Buffer,
    private readonly starts: number[],
    private readonly values: number[],
    private readonly idAt = ID_AT,
  ) {}

  static concat(runs: SerializedCards[]): SerializedCards {
    const starts = [0];
    const pieces: Buffer[] = [];
    for (const run of runs) {
      const offset = starts.at(-1)!;
      for (let index = 1; index < run.starts.length; index++) starts.push(offset + run.starts[index]!);
      if (run.length > 0) pieces.push(run.bytes, COMMA);
    }
    return new SerializedCards(
      Buffer.concat(pieces),
      starts,
      runs.flatMap((run) => run.values),
      runs[0]?.idAt,
    );
  }

  /** Merges lists in the order of LATEST. A card of both is in the result once. */
  static merge(a: SerializedCards, b: SerializedCards, count: number): SerializedCards {
    const [starts, values, pieces] = [[0], [] as number[], [] as Buffer[]];
    for (let atA = 0, atB = 0; values.length < count && (atA < a.length || atB < b.length);) {
      const order = atA === a.length ? 1 : atB === b.length ? -1 : compareLatest(a, atA, b, atB);
      const card = order <= 0 ? a.json(atA, atA + 1) : b.json(atB, atB + 1);
      values.push(order <= 0 ? a.value(atA) : b.value(atB));
      starts.push(starts.at(-1)! + card.length + COMMA.length);
      pieces.push(card, COMMA);
      if (order <= 0) atA++;
      if (order >= 0) atB++;
    }
    return new SerializedCards(Buffer.concat(pieces), starts, values);
  }

  get length(): number {
    return this.values.length;
  }

  value(index: number): number {
    return this.values[index]!;
  }

  id(index: number): string {
    const at = this.starts[index]! + this.idAt;
    return this.bytes.toString('latin1', at, at + 24);
  }

  /** Cards of `serializeCards`, for a list that omits some of them. */
  entries(): CardEntry[] {
    return this.values.map((value, index) => ({
      ...{ value, id: this.id(index), authorId: this.authorId(index) },
      json: this.json(index, index + 1).toString(),
    }));
  }

  /** The first match: texts before it contain no quote without a backslash. */
  private authorId(index: number): string {
    const at = this.bytes.indexOf(AUTHOR, this.starts[index]) + AUTHOR.length + 1;
    return this.bytes.toString('latin1', at, at + 24);
  }

  /** The cards from `from` to before `to`, without brackets; a view, not a copy. */
  json(from: number, to: number): Buffer {
    return this.bytes.subarray(this.starts[from], Math.max(this.starts[from]!, this.starts[to]! - 1));
  }
}

/** Returns 0 for the same card. */
function compareLatest(a: SerializedCards, atA: number, b: SerializedCards, atB: number): number {
  const byTime = b.value(atB) - a.value(atA);
  if (byTime !== 0) return byTime;
  const [idA, idB] = [a.id(atA), b.id(atB)];
  return idA === idB ? 0 : idA > idB ? -1 : 1;
}

const COMMA = Buffer.from(',');

/** The plain fields come first, in the order of the response. */
const NAMES = [...CARD_FIELDS, 'rank'] as const;
const AT = Object.fromEntries(NAMES.map((name, index) => [name, index])) as Record<(typeof NAMES)[number], number>;

const card = new BsonFields(NAMES);
const stats = new BsonFields(POST_COUNTERS);
const ranks = new Map<string, BsonFields>();
const writer = new JsonWriter();

const label = (text: string): Buffer => Buffer.from(text);
const OPEN = label('{"id":"');
const SLUG = label('","slug":"');
const DASH = label('-');
const CLOSE_SLUG = label('"');
const PLAIN = PLAIN_CARD_FIELDS.map((name) => label(`,"${name}":`));
const THUMBNAIL_URL = label(',"thumbnailUrl":');
const THUMBNAIL = label(',"thumbnail":');
const AUTHOR = label(',"author":{"id":');
const STATS = label('},"stats":{');
const STAT_LABELS = POST_COUNTERS.map((name, index) => label(`${index === 0 ? '' : ','}"${name}":`));
const CREATED = label('},"createdAt":');
const UPDATED = label(',"updatedAt":');
const CLOSE = label('}');

/**
 * Converts raw BSON cards to the JSON of PostCards, without strings or objects. A test compares the bytes with `toPostCard`.
 * @param rankField the field of `rank` that orders the feed ('': by time)
 */
export function serializeCards({ buffer, offsets }: RawDocuments, rankField: string): SerializedCards {
  writer.reset();
  const starts = [0];
  const values: number[] = [];
  for (const offset of offsets) {
    if (values.length > 0) writer.comma();
    values.push(writeCard(buffer, offset, rankField));
    // The next card begins after a comma.
    starts.push(writer.length + 1);
  }
  return new SerializedCards(writer.copy(), starts, values);
}

function writeCard(source: Buffer, offset: number, rankField: string): number {
  card.read(source, offset);
  const { types, offsets } = card;
  const id = offsets[AT._id]!;
  writer.text(OPEN);
  writer.id(source, id);
  writer.text(SLUG);
  writer.stringContent(source, offsets[AT.slug]!);
  writer.text(DASH);
  writer.id(source, id);
  writer.text(CLOSE_SLUG);
  writer.members(source, card, PLAIN);
  writer.text(THUMBNAIL_URL);
  writer.address(source, types[AT.thumbnailUrl]!, offsets[AT.thumbnailUrl]!, filesUrlJson(), FILES_PATH.length);
  writer.text(THUMBNAIL);
  writeImage(writer, source, types[AT.thumbnail]!, offsets[AT.thumbnail]!);
  writer.text(AUTHOR);
  writer.quotedId(source, offsets[AT.authorId]!);
  writeAuthor(writer, source, offsets[AT.authorSnapshot]!);
  writer.text(STATS);
  stats.read(source, offsets[AT.stats]!);
  writer.members(source, stats, STAT_LABELS);
  writer.text(CREATED);
  writer.date(source, offsets[AT.createdAt]!);
  writer.text(UPDATED);
  writer.date(source, offsets[AT.updatedAt]!);
  writer.text(CLOSE);
  if (rankField === '') return numberAt(source, BSON_TYPE.date, offsets[AT.createdAt]!);
  return types[AT.rank] === BSON_TYPE.document ? rankOf(source, offsets[AT.rank]!, rankField) : 0;
}

function rankOf(source: Buffer, at: number, rankField: string): number {
  let fields = ranks.get(rankField);
  if (fields === undefined) ranks.set(rankField, (fields = new BsonFields([rankField])));
  fields.read(source, at);
  return fields.types[0] === 0 ? 0 : numberAt(source, fields.types[0]!, fields.offsets[0]!);
}
