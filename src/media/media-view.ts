import type { MediaDto } from './dto/media.dto.js';
import { allFields } from '../platform/mongo/lean-reads.js';
import { type Media, MediaSchema } from './media.schema.js';
import { toImageJson, toResponsiveImage } from './responsive-image.js';

export const MEDIA_FIELDS = allFields(MediaSchema);

export function toMedia(row: Media): MediaDto {
  const { url, width, height, placeholder, variants } = toImageJson(toResponsiveImage(row));
  const { _id, bytes, type: contentType, alt, createdAt } = row;
  return { id: _id.toHexString(), url, width, height, bytes, contentType, placeholder, alt, variants, createdAt };
}
