import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsId, IsText, OptionalField } from '../../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import {
  MAX_REPORT_NOTE,
  REPORT_REASONS,
  REPORT_TARGET_KINDS,
  type ReportReason,
  type ReportTargetKind,
  targetOf,
} from '../report-rules.js';
import type { OwnReport } from '../report.schema.js';

const NOTE = 'Sends the same advertisement to everyone.';

export class CreateReport {
  @ApiProperty({ enum: REPORT_TARGET_KINDS, example: 'user' })
  @IsIn(REPORT_TARGET_KINDS, { message: `targetKind must be one of ${REPORT_TARGET_KINDS.join(', ')}` })
  targetKind!: ReportTargetKind;

  @ApiProperty({
    description: 'of the post, comment, image, account (`profile`: its texts) or collection (`note`: its notes)',
    example: EXAMPLE.userIds[1],
  })
  @IsId()
  targetId!: string;

  @ApiProperty({ enum: REPORT_REASONS, example: 'spam' })
  @IsIn(REPORT_REASONS, { message: `reason must be one of ${REPORT_REASONS.join(', ')}` })
  reason!: ReportReason;

  @OptionalField({ default: '', description: 'plain text, for moderators', example: NOTE })
  @TransformText(MAX_REPORT_NOTE, trimAndCompose)
  @IsText({ min: 0, max: MAX_REPORT_NOTE, message: `must be at most ${MAX_REPORT_NOTE} well-formed characters` })
  note?: string;
}

/** A report for its reporter. */
export class ReportDto {
  @ApiProperty({ enum: REPORT_TARGET_KINDS, example: 'user' })
  targetKind!: ReportTargetKind;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[1] })
  targetId!: string;

  @ApiProperty({ enum: REPORT_REASONS, example: 'spam' })
  reason!: ReportReason;

  @ApiProperty({ maxLength: MAX_REPORT_NOTE, description: 'may be empty', example: NOTE })
  note!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-11-29T10:00:00.000Z' })
  createdAt!: Date;
}

export function toReport({ caseId, reason, note, createdAt }: OwnReport): ReportDto {
  return { ...targetOf(caseId), reason, note, createdAt };
}
