import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EXAMPLE } from '../common/examples.js';
import { publicUrl } from '../common/own-files.js';
import { versionedEtag } from '../platform/http/if-match.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { PageOf } from '../platform/http/pagination/page.js';
import { allFields } from '../platform/mongo/lean-reads.js';
import { decompressBody } from '../rendering/body-codec.js';
import { DROPPED, DroppedElementDto } from '../posts/dropped-element.dto.js';
import { MAX_CONTENT } from '../posts/post-rules.js';
import { VISIBILITIES, type Visibility } from '../posts/post-types.js';
import { LABEL_PROJECTION, labelsOf } from '../posts/stored-labels.js';
import { RevisionCardDto } from '../revisions/revision.dto.js';
import { AuthorDto } from '../users/author.dto.js';
import { type Draft, DRAFT_STATES, DraftSchema, type DraftState } from './draft.schema.js';

const ID = EXAMPLE.draftId;
const TIME = '2026-05-01T09:30:00.000Z';

/** path parameter with the id of a draft */
export const DraftId = IdParam({ name: 'id', description: 'of the draft', example: ID });
/** path parameter with the id of a deleted post */
export const TrashedDraftId = IdParam({
  name: 'id',
  description: 'of a draft of state `trashed`',
  example: EXAMPLE.trashedDraftId,
});

/** A draft in a list. */
export class DraftCardDto extends RevisionCardDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: ID })
  id!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'the post that it edits; null for a new post, and if that post was deleted',
    example: null,
  })
  postId!: string | null;

  @ApiProperty({
    enum: DRAFT_STATES,
    description:
      '`failed`: it was scheduled and could not be published; `trashed`: a post that you deleted at `savedAt`; `id` is its id',
    example: 'open',
  })
  state!: DraftState;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'time of the scheduled publication',
    example: null,
  })
  publishAt!: string | null;

  @ApiProperty({
    type: String,
    maxLength: 64,
    nullable: true,
    description: 'code of the error that prevented its publication',
    example: null,
  })
  failure!: string | null;

  @ApiProperty({
    enum: VISIBILITIES,
    nullable: true,
    description: 'of the post when it is published; null: `public` for a new post, unchanged for an edit',
    example: null,
  })
  visibility!: Visibility | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, nullable: true, description: 'expiry of its share link', example: null })
  sharedUntil!: string | null;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'the import of an archive that created it',
    example: null,
  })
  importId!: string | null;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'of an imported text: when it was published elsewhere',
    example: null,
  })
  importedAt!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: string;

  @ApiPropertyOptional({ type: [DroppedElementDto], ...DROPPED })
  dropped?: DroppedElementDto[];
}

/** A card as plain data, because it may come from another process. */
export type DraftCard = Omit<Pick<DraftCardDto, keyof DraftCardDto>, 'dropped'>;

export class DraftPageDto extends PageOf(DraftCardDto) {}

export class DraftDto extends DraftCardDto {
  @ApiProperty({ maxLength: MAX_CONTENT, description: 'Markdown', example: '# Notes\n' })
  content!: string;
}

export class SharedDraftDto extends RevisionCardDto {
  @ApiProperty({ maxLength: MAX_CONTENT, description: 'Markdown', example: '# Notes\n' })
  content!: string;

  @ApiProperty()
  author!: AuthorDto;
}

export class DraftLinkDto {
  @ApiProperty({
    maxLength: 100,
    pattern: '^/v1/shared-drafts/[A-Za-z0-9_-]{43}$',
    description: 'only in this response; anyone who has it can read the draft',
    example: '/v1/shared-drafts/3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s',
  })
  path!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  expiresAt!: string;
}

const CARD_FIELDS = {
  authorId: 1,
  postId: 1,
  ...LABEL_PROJECTION,
  rawLength: 1,
  version: 1,
  state: 1,
  publishAt: 1,
  failure: 1,
  share: 1,
  visibility: 1,
  importId: 1,
  importedAt: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;
export const DRAFT_CARD_FIELDS = CARD_FIELDS;
export const DRAFT_FIELDS = allFields(DraftSchema);

export type DraftCardRow = Pick<Draft, '_id' | keyof typeof CARD_FIELDS>;

export function toDraftCard(row: DraftCardRow): DraftCardDto {
  const { version, state, failure } = row;
  return {
    id: row._id.toHexString(),
    postId: row.postId?.toHexString() ?? null,
    ...{ version, ...labelsOf(row), thumbnailUrl: publicUrl(row.thumbnailUrl) },
    ...{ bytes: row.rawLength, savedAt: row.updatedAt.toISOString() },
    state,
    publishAt: row.publishAt?.toISOString() ?? null,
    failure,
    visibility: row.visibility ?? null,
    sharedUntil: row.share?.expiresAt.toISOString() ?? null,
    importId: row.importId?.toHexString() ?? null,
    importedAt: row.importedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

export function contentOf(row: Pick<Draft, 'codec' | 'rawLength' | 'bytes'>): string {
  return decompressBody({ ...row, bytes: row.bytes.buffer });
}

/** Returns the same ETag for all responses with this version and state. */
export function draftEtag({ version, id, postId, state, publishAt, sharedUntil }: DraftCardDto): string {
  return versionedEtag(version, [id, postId, state, publishAt, sharedUntil]);
}

export function createdHeaders(draft: DraftCardDto): Record<string, string> {
  return { location: `/v1/drafts/${draft.id}`, etag: draftEtag(draft) };
}
