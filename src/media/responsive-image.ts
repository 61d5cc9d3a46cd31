import { filesUrl } from '../common/own-files.js';
import { fileKey, parseFileKey } from './file-key.js';
import type { Media } from './media.schema.js';

/** An image as its holders store it; it never changes. */
export type ShownPicture = {
  /** of the full-size file */
  key: string;
  width: number;
  height: number;
  /** of the smaller sizes */
  widths: number[];
  placeholder: string;
};

/** Of a key, id and secret: the common part of an image's file names. */
export const STEM_LENGTH = 24 + 1 + 16;

export type PictureJson = {
  url: string;
  width: number;
  height: number;
  variants: { width: number; url: string }[];
  placeholder: string;
};

/** The fields of a `ShownPicture`. */
type Source = Pick<Media, '_id' | 'secret' | 'type' | 'width' | 'height' | 'placeholder'> & {
  variants: { width: number }[];
};

export function toShownPicture(row: Source): ShownPicture {
  const { _id, secret, type, width, height, variants, placeholder } = row;
  return {
    key: fileKey(_id, secret, type, null),
    width,
    height,
    widths: variants.map((one) => one.width),
    placeholder,
  };
}

export function toPictureJson({ key, width, height, widths, placeholder }: ShownPicture): PictureJson {
  const stem = `${filesUrl()}/${key.slice(0, STEM_LENGTH)}`;
  const variants = widths.map((each) => ({ width: each, url: `${stem}-${each}.webp` }));
  return { url: `${filesUrl()}/${key}`, width, height, variants, placeholder };
}

/** The image of a URL among the found ones, by hex id. */
export function pictureAt(
  address: string | null | undefined,
  pictures: ReadonlyMap<string, ShownPicture>,
): ShownPicture | undefined {
  const key = parseFileKey(address?.slice(address.lastIndexOf('/') + 1) ?? '');
  const picture = key === null ? undefined : pictures.get(key.id.toHexString());
  return picture?.key.startsWith(`${key!.id.toHexString()}-${key!.secret}`) ? picture : undefined;
}
