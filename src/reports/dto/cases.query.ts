import { IsIn } from 'class-validator';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { OptionalField, NullableField } from '../../platform/http/validation/text-rules.js';
import { CASE_STATES, type CaseState, REPORT_TARGET_KINDS, type ReportTargetKind } from '../report-rules.js';

const CASE_SORTS = ['weight', 'oldest'] as const;
type CaseSort = (typeof CASE_SORTS)[number];

export class CasesQuery extends PageQuery {
  @NullableField({ enum: CASE_STATES, default: 'open', description: '`open`: claimed or not', example: 'closed' })
  @IsIn(CASE_STATES, { message: 'state must be open or closed' })
  state: CaseState = 'open';

  @OptionalField({ enum: REPORT_TARGET_KINDS, description: 'about targets of this kind', example: 'post' })
  @IsIn(REPORT_TARGET_KINDS, { message: `kind must be one of ${REPORT_TARGET_KINDS.join(', ')}` })
  kind?: ReportTargetKind;

  @NullableField({
    enum: CASE_SORTS,
    default: 'weight',
    description: '`weight`: highest sum of weights first; `oldest`: earliest first report first',
    example: 'oldest',
  })
  @IsIn(CASE_SORTS, { message: 'sort must be weight or oldest' })
  sort: CaseSort = 'weight';
}
