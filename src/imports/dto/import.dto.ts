import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { type ArchiveImport, IMPORT_STATES, type ImportState, MAX_PROBLEMS } from '../import.schema.js';
import { MAX_LISTED } from '../imports.service.js';

const TIME = '2026-11-24T10:00:00.000Z';

export class ImportCountsDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'posts and problems that were read', example: 12 })
  read!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'new drafts', example: 10 })
  drafts!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'posts of an earlier import', example: 1 })
  repeated!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'images that texts show from this server', example: 24 })
  images!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'requests for images to other sites', example: 4 })
  fetched!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'its drafts that were published', example: 0 })
  published!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'also those that `problems` omits', example: 1 })
  problems!: number;
}

export class ImportProblemDto {
  @ApiProperty({ maxLength: 300, description: 'file or post of the archive', example: 'posts/looms.html' })
  entry!: string;

  @ApiProperty({ maxLength: 64, example: 'tags_dropped' })
  code!: string;

  @ApiProperty({ maxLength: 500, example: 'Tags that were dropped: a, b' })
  detail!: string;
}

export class ImportDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.importId })
  id!: string;

  @ApiProperty({
    enum: IMPORT_STATES,
    description: '`ready`: its drafts exist; `failed`: see `failure`',
    example: 'ready',
  })
  state!: ImportState;

  @ApiProperty({
    type: String,
    maxLength: 2_048,
    nullable: true,
    description: 'of the page or feed, after redirects; null for a file',
    example: null,
  })
  address!: string | null;

  @ApiProperty({
    type: String,
    maxLength: 64,
    nullable: true,
    description: 'found by content; null until then',
    example: 'ghost',
  })
  format!: string | null;

  @ApiProperty({
    type: String,
    maxLength: 64,
    nullable: true,
    description: 'code of the error that ended the last work: `unknown_format`, `invalid_archive`',
    example: null,
  })
  failure!: string | null;

  @ApiProperty()
  counts!: ImportCountsDto;

  @ApiProperty({ type: [ImportProblemDto], maxItems: MAX_PROBLEMS, description: 'the first ones' })
  problems!: ImportProblemDto[];

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: Date;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    description: 'The server forgets the import then. Its drafts stay.',
    example: '2026-12-24T10:00:00.000Z',
  })
  expiresAt!: Date;
}

export class ImportListDto {
  @ApiProperty({ type: [ImportDto], maxItems: MAX_LISTED })
  data!: ImportDto[];
}

export function toImport(row: ArchiveImport): ImportDto {
  const { _id, state, address, format, failure, counts, problems, createdAt, expiresAt } = row;
  return { id: _id.toHexString(), state, address, format, failure, counts, problems, createdAt, expiresAt };
}
