import { BSON_TYPE, type BsonFields, eachElement, int32, numberAt } from './bson-fields.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const SLASH = 0x2f;
const FIRST_BYTES = 64 * 1024;
const HEX = Buffer.from('0123456789abcdef');
const DAY_MS = 86_400_000;
const MAX_DAYS = 10_000;

/** For each byte: 0 unescaped, 1 as \u00xx, otherwise the letter after the backslash. */
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(1, 0, 0x20);
for (const [byte, letter] of Object.entries({ 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r', 34: '"', 92: '\\' }))
  ESCAPES[Number(byte)] = letter.charCodeAt(0);

/** `"2026-05-01T` by days since 1970. A page has few distinct days, and Date.toISOString costs several times as much. */
const openings = new Map<number, string>();

function openingOf(day: number): string {
  let opening = openings.get(day);
  if (opening === undefined) {
    opening = `"${new Date(day * DAY_MS).toISOString().split('T', 1)[0]}T`;
    if (openings.size >= MAX_DAYS) openings.clear();
    openings.set(day, opening);
  }
  return opening;
}

/**
 * Writes JSON as UTF-8 bytes from the bytes of BSON values, without strings for the garbage collector. Produces the output of
 * JSON.stringify in one reused buffer, so call `copy` before the next use.
 */
export class JsonWriter {
  private out: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  reset(): void {
    this.length = 0;
  }

  /** Copies the written bytes into a new buffer. */
  copy(): Buffer {
    const bytes = Buffer.allocUnsafe(this.length);
    this.out.copy(bytes, 0, 0, this.length);
    return bytes;
  }

  /** Writes prepared JSON text, created once with `Buffer.from`. */
  text(ready: Buffer): void {
    this.reserve(ready.length);
    const { out } = this;
    let at = this.length;
    for (let index = 0; index < ready.length; index++) out[at++] = ready[index]!;
    this.length = at;
  }

  comma(): void {
    this.reserve(1);
    this.out[this.length++] = COMMA;
  }

  /** Writes ASCII that needs no escape. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let index = 0; index < text.length; index++) this.out[this.length++] = text.charCodeAt(index);
  }

  /** Writes a scalar or an array of scalars, as JSON.stringify writes the decoded value. */
  value(source: Buffer, type: number, at: number): void {
    switch (type) {
      case BSON_TYPE.string:
        this.string(source, at);
        break;
      case BSON_TYPE.boolean:
        this.ascii(source[at] === 1 ? 'true' : 'false');
        break;
      case BSON_TYPE.objectId:
        this.quotedId(source, at);
        break;
      case BSON_TYPE.date:
        this.date(source, at);
        break;
      case BSON_TYPE.array: {
        this.ascii('[');
        const first = this.length;
        eachElement(source, at, (elementType, elementAt) => {
          if (this.length > first) this.comma();
          this.value(source, elementType, elementAt);
        });
        this.ascii(']');
        break;
      }
      case BSON_TYPE.null:
      case 0:
        this.ascii('null');
        break;
      default:
        this.number(numberAt(source, type, at));
    }
  }

  /** Writes the fields of a document, each after its label, with `null` for a missing field. */
  members(source: Buffer, fields: BsonFields, labels: readonly Buffer[]): void {
    for (let index = 0; index < labels.length; index++) {
      this.text(labels[index]!);
      this.value(source, fields.types[index]!, fields.offsets[index]!);
    }
  }

  string(source: Buffer, at: number): void {
    this.reserve(2);
    this.out[this.length++] = QUOTE;
    this.stringContent(source, at);
    this.out[this.length++] = QUOTE;
  }

  /** Writes a text or null. In a path (a text that begins with a slash), `base` replaces the first `skipped` bytes. */
  address(source: Buffer, type: number, at: number, base: Buffer, skipped: number): void {
    if (type !== BSON_TYPE.string || source[at + 4] !== SLASH) return this.value(source, type, at);
    this.reserve(1);
    this.out[this.length++] = QUOTE;
    this.text(base);
    this.stringContent(source, at, skipped);
    this.out[this.length++] = QUOTE;
  }

  /** Writes a string without quotes, and reserves room for a closing quote. @param skipped bytes to omit at the beginning */
  stringContent(source: Buffer, at: number, skipped = 0): void {
    const end = at + 3 + int32(source, at);
    this.reserve((end - at) * 6 + 1);
    const { out } = this;
    let to = this.length;
    for (let from = at + 4 + skipped; from < end; from++) {
      const byte = source[from]!;
      const escape = ESCAPES[byte]!;
      if (escape === 0) out[to++] = byte;
      else {
        out[to++] = 0x5c;
        if (escape === 1) {
          out[to++] = 0x75;
          out[to++] = 0x30;
          out[to++] = 0x30;
          out[to++] = HEX[byte >> 4]!;
          out[to++] = HEX[byte & 15]!;
        } else out[to++] = escape;
      }
    }
    this.length = to;
  }

  /** Writes an ObjectId as 24 hex digits, without quotes. */
  id(source: Buffer, at: number): void {
    this.reserve(24);
    for (let index = at; index < at + 12; index++) {
      const byte = source[index]!;
      this.out[this.length++] = HEX[byte >> 4]!;
      this.out[this.length++] = HEX[byte & 15]!;
    }
  }

  quotedId(source: Buffer, at: number): void {
    this.reserve(26);
    this.out[this.length++] = QUOTE;
    this.id(source, at);
    this.out[this.length++] = QUOTE;
  }

  number(value: number): void {
    if (Number.isInteger(value) && value >= 0 && value <= 0x7fffffff && !Object.is(value, -0)) this.digits(value);
    else this.ascii(Number.isFinite(value) ? String(value === 0 ? 0 : value) : 'null');
  }

  /** Writes a BSON date as the RFC 3339 text of Date.prototype.toISOString, with quotes. */
  date(source: Buffer, at: number): void {
    const ms = numberAt(source, BSON_TYPE.date, at);
    const day = Math.floor(ms / DAY_MS);
    const rest = ms - day * DAY_MS;
    this.ascii(openingOf(day));
    this.reserve(16);
    this.padded(Math.floor(rest / 3_600_000), 2, ':');
    this.padded(Math.floor(rest / 60_000) % 60, 2, ':');
    this.padded(Math.floor(rest / 1_000) % 60, 2, '.');
    this.padded(rest % 1_000, 3, 'Z');
    this.out[this.length++] = QUOTE;
  }

  private padded(value: number, width: number, after: string): void {
    let rest = value;
    for (let at = this.length + width - 1; at >= this.length; at--) {
      const tens = Math.floor(rest / 10);
      this.out[at] = 0x30 + rest - tens * 10;
      rest = tens;
    }
    this.length += width;
    this.out[this.length++] = after.charCodeAt(0);
  }

  private digits(value: number): void {
    let width = 1;
    for (let bound = 10; value >= bound; bound *= 10) width++;
    this.reserve(width);
    let rest = value | 0;
    for (let at = this.length + width - 1; at >= this.length; at--) {
      const tens = (rest / 10) | 0;
      this.out[at] = 0x30 + rest - tens * 10;
      rest = tens;
    }
    this.length += width;
  }

  private reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.out.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.out.length * 2));
    this.out.copy(larger, 0, 0, this.length);
    this.out = larger;
  }
}
