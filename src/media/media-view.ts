import type { MediaDto } from './dto/media.dto.js';
import type { Media } from './media.schema.js';
import { toImageJson, toResponsiveImage } from './responsive-image.js';

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
} as const satisfies Record<Exclude<keyof Media, '_id'>, 1>;

export function toMedia(row: Media): MediaDto {
  const { url, width, height, placeholder, variants } = toImageJson(toResponsiveImage(row));
  const { _id, bytes, type: contentType, alt, createdAt } = row;
  return { id: _id.toHexString(), url, width, height, bytes, contentType, placeholder, alt, variants, createdAt };
}
