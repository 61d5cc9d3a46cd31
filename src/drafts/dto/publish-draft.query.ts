import { IsBoolean } from 'class-validator';
import { OptionalField } from '../../platform/http/validation/text-rules.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';

export class PublishDraftQuery {
  @OptionalField({
    default: false,
    description:
      'The post gets the time `importedAt` of an imported draft: it is listed at that time, and no account is notified.',
    example: false,
  })
  @ToBoolean()
  @IsBoolean({ message: 'keepDate must be true or false' })
  keepDate: boolean = false;
}
