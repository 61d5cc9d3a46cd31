import { ApiProperty, OmitType } from '@nestjs/swagger';
import { EXAMPLE } from '../common/examples.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { PageOf } from '../platform/http/pagination/page.js';
import {
  type ActionKind,
  ACTION_KINDS,
  type ActorRole,
  ACTOR_ROLES,
  type TargetKind,
  TARGET_KINDS,
} from './action-kinds.js';
import { MAX_PRIVATE_NOTE, MAX_PUBLIC_REASON } from './action-texts.js';
import { MAX_DETAIL } from './moderation-action.schema.js';
import type { LoggedAction } from './moderation-log.service.js';
import { type Reason, REASONS } from './reasons.js';

const TIME = '2026-11-24T10:00:00.000Z';

/** An action for moderators. */
export class ModerationActionDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.actionId })
  id!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description:
      'the account that performed the action; null: the operator with the CLI, the system, or a name that the site does not show',
    example: '6650c3a2f1d2b3c4d5e6f7b1',
  })
  actorId!: string | null;

  @ApiProperty({ enum: ACTOR_ROLES, description: 'its role at that time', example: 'moderator' })
  actorRole!: ActorRole;

  @ApiProperty({ enum: ACTION_KINDS, example: 'remove' })
  kind!: ActionKind;

  @ApiProperty({ enum: TARGET_KINDS, example: 'comment' })
  targetKind!: TargetKind;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f70b' })
  targetId!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'of content: the account it belongs to; of an action on an account: the account',
    example: '6650c3a2f1d2b3c4d5e6f709',
  })
  ownerId!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: MAX_DETAIL,
    description: 'as `user -> moderator`, `removes everything`; of a rule: its kind and action',
    example: null,
  })
  detail!: string | null;

  @ApiProperty({ type: String, enum: [...REASONS, null], nullable: true, example: 'spam' })
  reasonCode!: Reason | null;

  @ApiProperty({
    maxLength: MAX_PUBLIC_REASON,
    description: 'for the affected account; may be empty',
    example: 'The same advertisement, again.',
  })
  publicReason!: string;

  @ApiProperty({ maxLength: MAX_PRIVATE_NOTE, description: 'for moderators; may be empty', example: '' })
  privateNote!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, nullable: true, description: 'the end of a restriction', example: null })
  until!: Date | null;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 35,
    description: 'the case that the action closed',
    example: null,
  })
  caseId!: string | null;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'the action that this one undoes',
    example: null,
  })
  reverses!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: Date;
}

export class ModerationActionPage extends PageOf(ModerationActionDto) {}

/** An action for the affected account, and for visitors of a public log. */
export class DisclosedActionDto extends OmitType(ModerationActionDto, ['detail', 'privateNote', 'caseId'] as const) {}

export class DisclosedActionPage extends PageOf(DisclosedActionDto) {}

export function toModerationAction(action: LoggedAction): ModerationActionDto {
  const { actorId, privateNote, detail, caseId } = action;
  const fields = { actorId: actorId?.toHexString() ?? null, detail, privateNote, caseId };
  return { ...toDisclosedAction(action, false), ...fields };
}

/** @param showsNames whether the response contains the id of the moderator */
export function toDisclosedAction(
  { _id, actorId, targetId, ownerId, reverses, ...row }: LoggedAction,
  showsNames: boolean,
): DisclosedActionDto {
  return {
    id: _id.toHexString(),
    actorId: showsNames ? (actorId?.toHexString() ?? null) : null,
    actorRole: row.actorRole,
    kind: row.kind,
    targetKind: row.targetKind,
    targetId: targetId.toHexString(),
    ownerId: ownerId?.toHexString() ?? null,
    reasonCode: row.reasonCode,
    publicReason: row.publicReason,
    until: row.until,
    reverses: reverses?.toHexString() ?? null,
    createdAt: row.createdAt,
  };
}
