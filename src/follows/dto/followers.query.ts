import { IsBoolean } from 'class-validator';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';

export class FollowersQuery extends PageQuery {
  @NullableField({ default: false, description: 'only followers whom you follow; needs a sign-in' })
  @ToBoolean()
  @IsBoolean({ message: 'known must be true or false' })
  known: boolean = false;
}
