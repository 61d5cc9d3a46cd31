import { BSON_TYPE, BsonFields, eachElement, numberAt } from '../common/bson-fields.js';
import type { JsonWriter } from '../common/json-writer.js';
import { filesUrlJson } from '../common/own-files.js';
import { STEM_LENGTH } from './responsive-image.js';

const NAMES = ['key', 'width', 'height', 'widths', 'placeholder'] as const;
const AT = { key: 0, width: 1, height: 2, widths: 3, placeholder: 4 } as const;
const imageFields = new BsonFields(NAMES);

const label = (text: string): Buffer => Buffer.from(text);
const OPEN = label('{"url":"');
const SLASH = label('/');
const WIDTH = label('","width":');
const HEIGHT = label(',"height":');
const VARIANTS = label(',"variants":[');
const VARIANT = label('{"width":');
const VARIANT_URL = label(',"url":"');
const DASH = label('-');
const CLOSE_VARIANT = label('.webp"}');
const PLACEHOLDER = label('],"placeholder":');
const CLOSE = label('}');

/** Writes the JSON of a `ResponsiveImage` in BSON, or null, with the same bytes as `toImageJson`. */
export function writeImage(writer: JsonWriter, source: Buffer, type: number, at: number): void {
  if (type !== BSON_TYPE.document) return writer.value(source, BSON_TYPE.null, at);
  imageFields.read(source, at);
  const { types, offsets } = imageFields;
  const files = filesUrlJson();
  const key = offsets[AT.key]!;
  writer.text(OPEN);
  writer.text(files);
  writer.text(SLASH);
  writer.stringContent(source, key);
  writer.text(WIDTH);
  writer.value(source, types[AT.width]!, offsets[AT.width]!);
  writer.text(HEIGHT);
  writer.value(source, types[AT.height]!, offsets[AT.height]!);
  writer.text(VARIANTS);
  let isFirst = true;
  eachElement(source, offsets[AT.widths]!, (widthType, widthAt) => {
    const width = numberAt(source, widthType, widthAt);
    if (!isFirst) writer.comma();
    isFirst = false;
    writer.text(VARIANT);
    writer.number(width);
    writer.text(VARIANT_URL);
    writer.text(files);
    writer.text(SLASH);
    // A BSON string starts with its length in 4 bytes.
    writer.text(source.subarray(key + 4, key + 4 + STEM_LENGTH));
    writer.text(DASH);
    writer.number(width);
    writer.text(CLOSE_VARIANT);
  });
  writer.text(PLACEHOLDER);
  writer.value(source, types[AT.placeholder]!, offsets[AT.placeholder]!);
  writer.text(CLOSE);
}
