import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { type ActionKind, ACTION_KINDS, type TargetKind, TARGET_KINDS } from '../../moderation/action-kinds.js';
import { MAX_PUBLIC_REASON } from '../../moderation/action-texts.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { SLUG_ADDRESS } from '../../posts/slugged-resource.js';
import { REPORT_TARGET_KINDS, type ReportTargetKind } from '../../reports/report-rules.js';
import { AuthorDto } from '../../users/author.dto.js';
import { UnreadDto } from '../unread.dto.js';
import { NOTIFICATION_ID } from '../notification-id.js';
import { NOTIFICATION_KINDS, type NotificationKind } from '../notification-kinds.js';

const TIME = '2026-05-01T09:30:00.000Z';
const TITLE = { type: String, maxLength: 200 } as const;
const { length } = NOTIFICATION_ID;
export const NOTIFICATION_ID_SCHEMA = {
  type: 'string',
  minLength: length,
  maxLength: length,
  pattern: NOTIFICATION_ID.pattern.source,
  example: EXAMPLE.notificationId,
} as const;

/** A post or collection. */
export class NotifiedTargetDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.postId })
  id!: string;

  @ApiProperty({ ...SLUG_ADDRESS, example: `notes-on-the-analytical-engine-${EXAMPLE.postId}` })
  slug!: string;

  @ApiProperty({ ...TITLE, example: EXAMPLE.postTitle })
  title!: string;
}

export class NotifiedCommentDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.commentId })
  id!: string;

  @ApiProperty({ maxLength: 1_000, description: 'Markdown', example: 'The third table settles it.' })
  content!: string;
}

export class NotifiedDraftDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.draftId })
  id!: string;

  @ApiProperty({ ...TITLE, example: EXAMPLE.postTitle })
  title!: string;

  @ApiProperty({ maxLength: 64, description: 'the code of the error', example: 'draft_incomplete' })
  failure!: string;
}

export class NotifiedActionDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.actionId })
  id!: string;

  @ApiProperty({ enum: ACTION_KINDS, example: 'remove' })
  kind!: ActionKind;

  @ApiProperty({ enum: TARGET_KINDS, example: 'post' })
  targetKind!: TargetKind;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.postId })
  targetId!: string;

  @ApiProperty({ maxLength: MAX_PUBLIC_REASON, example: 'The same advertisement, again.' })
  publicReason!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, nullable: true, description: 'the end of a restriction', example: null })
  until!: string | null;
}

/** An open case, for moderators. */
export class NotifiedCaseDto {
  @ApiProperty({ maxLength: 40, description: 'of the case', example: `user-${EXAMPLE.userIds[1]}` })
  id!: string;

  @ApiProperty({ enum: REPORT_TARGET_KINDS, example: 'user' })
  targetKind!: ReportTargetKind;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[1] })
  targetId!: string;

  @ApiProperty({ ...TITLE, description: 'as in the case', example: 'demo_reader' })
  title!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 1 })
  reportsCount!: number;
}

/** The current state of a group: all actions of one kind on one target on one day (UTC). */
export class NotificationDto {
  @ApiProperty(NOTIFICATION_ID_SCHEMA)
  id!: string;

  @ApiProperty({ enum: NOTIFICATION_KINDS, example: 'comment' })
  kind!: NotificationKind;

  @ApiProperty({ type: NotifiedTargetDto, nullable: true })
  post!: NotifiedTargetDto | null;

  @ApiProperty({
    type: NotifiedCommentDto,
    nullable: true,
    description: 'the latest comment or reply; for `like_comment` and `mention`, the liked or mentioning comment',
  })
  comment!: NotifiedCommentDto | null;

  @ApiProperty({ type: NotifiedTargetDto, nullable: true, description: 'only for `collected`: the latest collection' })
  collection!: NotifiedTargetDto | null;

  @ApiProperty({ type: NotifiedDraftDto, nullable: true, description: 'only for `draft_failed`' })
  draft!: NotifiedDraftDto | null;

  @ApiProperty({ type: NotifiedActionDto, nullable: true, description: 'only for `moderation`' })
  action!: NotifiedActionDto | null;

  @ApiProperty({ type: NotifiedCaseDto, nullable: true, description: 'only for `case`, which moderators get' })
  case!: NotifiedCaseDto | null;

  @ApiProperty({ type: [AuthorDto], maxItems: 3, description: 'the latest accounts' })
  actors!: AuthorDto[];

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, maximum: 100, description: 'number of accounts, up to 100', example: 12 })
  actorsCount!: number;

  @ApiProperty({ description: 'true if there may be more than `actorsCount`', example: false })
  isCapped!: boolean;

  @ApiProperty({ example: false })
  isRead!: boolean;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, description: 'time of the latest addition', example: TIME })
  updatedAt!: string;
}

export class NotificationPage extends PageOf(NotificationDto) {
  @ApiProperty()
  unread!: UnreadDto;
}
