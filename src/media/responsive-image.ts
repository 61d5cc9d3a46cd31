import { filesUrl } from '../common/own-files.js';
import { fileKey, parseFileKey } from './file-key.js';
import type { Media } from './media.schema.js';

/** An immutable image, as its holders store it. */
export type ResponsiveImage = {
  /** key of the full-size file */
  key: string;
  width: number;
  height: number;
  /** widths of the smaller sizes */
  widths: number[];
  placeholder: string;
};

/** length of `<id>-<secret>`, the common part of an image's file names */
export const STEM_LENGTH = 24 + 1 + 16;

export type ImageJson = {
  url: string;
  width: number;
  height: number;
  variants: { width: number; url: string }[];
  placeholder: string;
};

/** The fields of a `ResponsiveImage`. */
type Source = Pick<Media, '_id' | 'secret' | 'type' | 'width' | 'height' | 'placeholder'> & {
  variants: { width: number }[];
};

export function toResponsiveImage(row: Source): ResponsiveImage {
  const { _id, secret, type, width, height, variants, placeholder } = row;
  return {
    key: fileKey(_id, secret, type, null),
    width,
    height,
    widths: variants.map((one) => one.width),
    placeholder,
  };
}

export function toImageJson({ key, width, height, widths, placeholder }: ResponsiveImage): ImageJson {
  const stem = `${filesUrl()}/${key.slice(0, STEM_LENGTH)}`;
  const variants = widths.map((each) => ({ width: each, url: `${stem}-${each}.webp` }));
  return { url: `${filesUrl()}/${key}`, width, height, variants, placeholder };
}

/** Returns the image of a URL from `images`, which are keyed by hex id. */
export function imageAt(
  address: string | null | undefined,
  images: ReadonlyMap<string, ResponsiveImage>,
): ResponsiveImage | undefined {
  const key = parseFileKey(address?.slice(address.lastIndexOf('/') + 1) ?? '');
  const image = key === null ? undefined : images.get(key.id.toHexString());
  return image?.key.startsWith(`${key!.id.toHexString()}-${key!.secret}`) ? image : undefined;
}
