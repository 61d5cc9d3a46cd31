import { IsIn } from 'class-validator';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { OptionalField } from '../../platform/http/validation/text-rules.js';

export class DraftsQuery extends PageQuery {
  @OptionalField({ enum: ['trashed'], description: 'only posts that you deleted, last deleted first' })
  @IsIn(['trashed'], { message: 'state must be trashed' })
  state?: 'trashed';
}
