import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsWebUrl } from '../platform/http/validation/web-url.decorator.js';
import { Labels } from './labels.dto.js';

/** The fields of posts and drafts besides their text. */
export class PostLabels extends Labels {
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
