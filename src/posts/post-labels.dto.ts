import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsTitle } from '../platform/http/validation/line.decorator.js';
import { IsWebUrl } from '../platform/http/validation/web-url.decorator.js';
import { Labels } from './labels.dto.js';
import { MAX_SUBTITLE } from './post-rules.js';

/** The fields of posts and drafts besides their text. */
export class PostLabels extends Labels {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'below the title, and in link cards and feeds in place of the beginning of the text',
    example: 'What it can do, and what it cannot',
  })
  @IsOptional()
  @IsTitle(MAX_SUBTITLE)
  subtitle?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'URL of the first publication, which search engines show',
    example: 'https://blog.example.org/notes-on-the-analytical-engine',
  })
  @IsOptional()
  @IsWebUrl('https:', 'http:')
  canonicalUrl?: string | null;
}
