import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import {
  type ActionKind,
  ACTION_KINDS,
  type ActorRole,
  ACTOR_ROLES,
  type TargetKind,
  TARGET_KINDS,
} from '../action-kinds.js';
import { MAX_DETAIL, type ModerationAction } from '../moderation-action.schema.js';

export class ModerationActionDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f7b0' })
  id!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'the account that performed the action; null: the operator, with the CLI',
    example: '6650c3a2f1d2b3c4d5e6f7b1',
  })
  actorId!: string | null;

  @ApiProperty({ enum: ACTOR_ROLES, description: 'its role at that time', example: 'moderator' })
  actorRole!: ActorRole;

  @ApiProperty({ enum: ACTION_KINDS, example: 'delete' })
  kind!: ActionKind;

  @ApiProperty({ enum: TARGET_KINDS, example: 'comment' })
  targetKind!: TargetKind;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f70b' })
  targetId!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'of content: the account it belongs to',
    example: '6650c3a2f1d2b3c4d5e6f709',
  })
  ownerId!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: MAX_DETAIL,
    description: 'as `user -> moderator`',
    example: null,
  })
  detail!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-11-24T10:00:00.000Z' })
  createdAt!: Date;
}

export class ModerationActionPage extends PageOf(ModerationActionDto) {}

export function toModerationAction({ _id, actorId, targetId, ownerId, ...row }: ModerationAction): ModerationActionDto {
  return {
    id: _id.toHexString(),
    actorId: actorId?.toHexString() ?? null,
    actorRole: row.actorRole,
    kind: row.kind,
    targetKind: row.targetKind,
    targetId: targetId.toHexString(),
    ownerId: ownerId?.toHexString() ?? null,
    detail: row.detail,
    createdAt: row.createdAt,
  };
}
