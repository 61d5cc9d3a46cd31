import { IsIn } from 'class-validator';
import { IsTitle } from '../platform/http/validation/line.decorator.js';
import { IsWebUrl } from '../platform/http/validation/web-url.decorator.js';
import { OptionalField, NullableField } from '../platform/http/validation/text-rules.js';
import { CONTENT_FORMATS, type ContentFormat } from './content-format.js';
import { Labels } from './labels.dto.js';
import { MAX_SUBTITLE } from './post-rules.js';

/** The fields of posts and drafts besides their text. */
export class PostLabels extends Labels {
  @NullableField({
    type: String,
    nullable: true,
    description: 'below the title, and in link cards and feeds in place of the beginning of the text',
    example: 'What it can do, and what it cannot',
  })
  @IsTitle(MAX_SUBTITLE)
  subtitle?: string | null;

  @NullableField({
    type: String,
    nullable: true,
    description: 'URL of the first publication, which search engines show',
    example: 'https://blog.example.org/notes-on-the-analytical-engine',
  })
  @IsWebUrl('https:', 'http:')
  canonicalUrl?: string | null;

  @OptionalField({
    enum: CONTENT_FORMATS,
    default: 'markdown',
    description: 'of `content`; `html` is stored as Markdown, and `dropped` of the response names what was dropped',
    example: 'markdown',
  })
  @IsIn(CONTENT_FORMATS, { message: `contentFormat must be one of ${CONTENT_FORMATS.join(', ')}` })
  contentFormat?: ContentFormat;
}
