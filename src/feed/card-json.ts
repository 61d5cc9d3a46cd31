/** A card as JSON text, with the two things a cursor needs. */
export type CardFragment = { json: string; id: string; value: number };

type Author = { username: string; fullName: string; profilePicture: string };

/** What one BSON card holds, as JSON text; reused for every card, so reading a page allocates strings only. */
class CardReader {
  private buffer: Buffer = Buffer.alloc(0);
  private rankField = '';
  id = '';
  value = 0;
  title = '""';
  slug = '';
  type = '""';
  tags = '[]';
  contentPreview = '""';
  readTime = 1;
  thumbnailUrl = 'null';
  isPublic = 'true';
  isPremium = 'false';
  isEdited = 'false';
  authorId = '';
  author: Author = { username: '""', fullName: '""', profilePicture: 'null' };
  stats = '{}';
  createdAt = '';
  updatedAt = '';

  read(buffer: Buffer, rankField: string): void {
    this.buffer = buffer;
    this.rankField = rankField;
    this.value = 0;
    this.walk(0, (name, type, at) => this.field(name, type, at));
  }

  private field(name: string, type: number, at: number): void {
    switch (name) {
      case '_id':
        this.id = this.buffer.toString('hex', at, at + 12);
        break;
      case 'title':
        this.title = this.json(type, at);
        break;
      case 'slug':
        this.slug = this.text(at);
        break;
      case 'type':
        this.type = this.json(type, at);
        break;
      case 'tags':
        this.tags = this.list(at);
        break;
      case 'contentPreview':
        this.contentPreview = this.json(type, at);
        break;
      case 'readTime':
        this.readTime = this.number(type, at);
        break;
      case 'thumbnailUrl':
        this.thumbnailUrl = this.json(type, at);
        break;
      case 'isPublic':
        this.isPublic = this.json(type, at);
        break;
      case 'isPremium':
        this.isPremium = this.json(type, at);
        break;
      case 'isEdited':
        this.isEdited = this.json(type, at);
        break;
      case 'authorId':
        this.authorId = this.buffer.toString('hex', at, at + 12);
        break;
      case 'authorSnapshot':
        this.walk(at, (key, fieldType, fieldAt) => {
          if (key === 'username' || key === 'fullName' || key === 'profilePicture')
            this.author[key] = this.json(fieldType, fieldAt);
        });
        break;
      case 'stats': {
        let text = '{';
        this.walk(at, (key, fieldType, fieldAt) => {
          text += `${text === '{' ? '' : ','}"${key}":${this.number(fieldType, fieldAt)}`;
        });
        this.stats = `${text}}`;
        break;
      }
      case 'rank':
        this.walk(at, (key, fieldType, fieldAt) => {
          if (key === this.rankField) this.value = this.number(fieldType, fieldAt);
        });
        break;
      case 'createdAt':
        this.createdAt = this.date(at);
        break;
      case 'updatedAt':
        this.updatedAt = this.date(at);
        break;
      default:
        break;
    }
  }

  /** Calls back for each element of the document that starts at `start`. */
  private walk(start: number, visit: (name: string, type: number, at: number) => void): void {
    const { buffer } = this;
    const end = start + buffer.readInt32LE(start) - 1;
    let at = start + 4;
    while (at < end) {
      const type = buffer[at]!;
      let nameEnd = at + 1;
      while (buffer[nameEnd] !== 0) nameEnd++;
      const name = buffer.toString('latin1', at + 1, nameEnd);
      const valueAt = nameEnd + 1;
      visit(name, type, valueAt);
      at = valueAt + this.size(type, valueAt);
    }
  }

  private size(type: number, at: number): number {
    switch (type) {
      case 0x01: // double
      case 0x09: // date
      case 0x11: // timestamp
      case 0x12: // int64
        return 8;
      case 0x02: // string
        return 4 + this.buffer.readInt32LE(at);
      case 0x03: // document
      case 0x04: // array
        return this.buffer.readInt32LE(at);
      case 0x05: // binary
        return 5 + this.buffer.readInt32LE(at);
      case 0x07: // ObjectId
        return 12;
      case 0x08: // boolean
        return 1;
      case 0x0a: // null
        return 0;
      case 0x10: // int32
        return 4;
      default:
        throw new TypeError(`a card holds an unexpected BSON type 0x${type.toString(16)}`);
    }
  }

  private text(at: number): string {
    return this.buffer.toString('utf8', at + 4, at + 3 + this.buffer.readInt32LE(at));
  }

  private number(type: number, at: number): number {
    switch (type) {
      case 0x10:
        return this.buffer.readInt32LE(at);
      case 0x01:
        return this.buffer.readDoubleLE(at);
      case 0x12:
        return Number(this.buffer.readBigInt64LE(at));
      default:
        throw new TypeError(`a card holds BSON type 0x${type.toString(16)} where a number belongs`);
    }
  }

  private json(type: number, at: number): string {
    switch (type) {
      case 0x02:
        return JSON.stringify(this.text(at));
      case 0x08:
        return this.buffer[at] === 1 ? 'true' : 'false';
      case 0x0a:
        return 'null';
      default:
        return String(this.number(type, at));
    }
  }

  private list(at: number): string {
    let text = '[';
    this.walk(at, (_key, type, valueAt) => {
      text += (text === '[' ? '' : ',') + this.json(type, valueAt);
    });
    return `${text}]`;
  }

  private date(at: number): string {
    return new Date(Number(this.buffer.readBigInt64LE(at))).toISOString();
  }
}

const reader = new CardReader();

/**
 * Turns one raw BSON card into the JSON of a PostCard, without an object in between.
 * The shape is `toPostCard`'s, to the byte; a test holds the two equal.
 * @param rankField the field of `rank` the feed is ordered by ('' for none)
 */
export function cardFragment(bson: Uint8Array, rankField: string): CardFragment {
  reader.read(Buffer.isBuffer(bson) ? bson : Buffer.from(bson.buffer, bson.byteOffset, bson.byteLength), rankField);
  const { id, author } = reader;
  const json =
    `{"id":"${id}","slug":"${reader.slug}-${id}","type":${reader.type},"title":${reader.title},"tags":${reader.tags},` +
    `"contentPreview":${reader.contentPreview},"readTime":${reader.readTime},"thumbnailUrl":${reader.thumbnailUrl},` +
    `"isPublic":${reader.isPublic},"isPremium":${reader.isPremium},"isEdited":${reader.isEdited},` +
    `"author":{"id":"${reader.authorId}","username":${author.username},"fullName":${author.fullName},` +
    `"profilePicture":${author.profilePicture}},"stats":${reader.stats},` +
    `"createdAt":"${reader.createdAt}","updatedAt":"${reader.updatedAt}"}`;
  return { json, id, value: reader.value };
}
