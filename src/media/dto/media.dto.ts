import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { FILE_TYPES, type FileType } from '../file-key.js';
import { MAX_ALT } from '../media-limits.js';

const EXAMPLE = 'https://api.example/v1/media/files/6650c3a2f1d2b3c4d5e6f70c-9f86d081884c7d65';
const FILE_URL = { type: String, format: 'uri-reference', maxLength: 600 } as const;
const SIDE = { type: 'integer', format: 'int32', minimum: 1, maximum: 16_383 } as const;

export class MediaVariantDto {
  @ApiProperty({ ...SIDE, example: 640 })
  width!: number;

  @ApiProperty({ ...FILE_URL, example: `${EXAMPLE}-640.webp` })
  url!: string;
}

export class MediaDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f70c' })
  id!: string;

  @ApiProperty({
    ...FILE_URL,
    description: 'of the image in full size; a path when the server has no public address',
    example: `${EXAMPLE}.jpg`,
  })
  url!: string;

  @ApiProperty({ ...SIDE, example: 4_032 })
  width!: number;

  @ApiProperty({ ...SIDE, example: 3_024 })
  height!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'size of the full-size file in bytes', example: 1_482_113 })
  bytes!: number;

  @ApiProperty({ enum: FILE_TYPES, description: 'type of the full-size file', example: 'image/jpeg' })
  contentType!: FileType;

  @ApiProperty({
    maxLength: 2_000,
    description: 'a WebP of at most 16 pixels a side as a data URI, to show blurred until the image has loaded',
    example: 'data:image/webp;base64,UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=',
  })
  placeholder!: string;

  @ApiProperty({ maxLength: MAX_ALT, example: 'The third table, in her own hand' })
  alt!: string;

  @ApiProperty({
    type: [MediaVariantDto],
    maxItems: 4,
    description:
      'WebP, the smallest first: 320, 640, 1280 and 1920 pixels wide, up to the width of the image; none for an animation',
  })
  variants!: MediaVariantDto[];

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-11-24T10:00:00.000Z' })
  createdAt!: Date;
}

export class MediaPageDto extends PageOf(MediaDto) {}
