import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageOf } from '../../platform/http/pagination/page.js';
import { MAX_LIMIT, PageQuery, IsLimit } from '../../platform/http/pagination/page.query.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';
import { TopWriterDto } from '../../users/user.dto.js';
import { WRITER_WINDOWS, type WriterWindow } from '../writer-list.schema.js';

const DEFAULT_LIMIT = 5;

export class TopWritersQuery extends PageQuery {
  @ApiPropertyOptional({ default: DEFAULT_LIMIT, description: 'number of items on a page', example: 5 })
  @IsLimit(MAX_LIMIT)
  override limit: number = DEFAULT_LIMIT;

  @NullableField({
    enum: WRITER_WINDOWS,
    description:
      'the last 7, 30 or 365 days, by views + 4 × likes + 6 × comments + 8 × new followers; without it, by likes per post of all time',
  })
  @IsIn(WRITER_WINDOWS)
  window?: WriterWindow;
}

/** parameters of the cached page with their defaults, in the order of the canonical key */
export const TOP_WRITERS_DEFAULTS = { window: '', limit: String(DEFAULT_LIMIT), cursor: '' };

export class TopWritersPage extends PageOf(TopWriterDto) {}
