import type { MediaDto } from './dto/media.dto.js';
import { fileKey } from './file-key.js';
import type { MediaRow } from './media.schema.js';

export const MEDIA_FIELDS = {
  ownerId: 1,
  sha256: 1,
  secret: 1,
  state: 1,
  type: 1,
  width: 1,
  height: 1,
  bytes: 1,
  variants: 1,
  placeholder: 1,
  alt: 1,
  createdAt: 1,
  sweepAt: 1,
} as const satisfies Record<Exclude<keyof MediaRow, '_id'>, 1>;

/** @param filesUrl what the addresses of files begin with */
export function toMedia(row: MediaRow, filesUrl: string): MediaDto {
  const { _id, secret, type, width, height, bytes, placeholder, alt, createdAt } = row;
  const urlOf = (ofWidth: number | null): string => `${filesUrl}/${fileKey(_id, secret, type, ofWidth)}`;
  const variants = row.variants.map((variant) => ({ width: variant.width, url: urlOf(variant.width) }));
  const about = { width, height, bytes, contentType: type, placeholder, alt };
  return { id: _id.toHexString(), url: urlOf(null), ...about, variants, createdAt };
}
