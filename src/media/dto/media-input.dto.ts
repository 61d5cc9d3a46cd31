import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsText, IsOptionalNotNull } from '../../platform/http/validation/text-rules.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';
import { MAX_ALT } from '../media-limits.js';

export class UpdateMedia {
  @ApiProperty({
    description: 'description of the image for people who cannot see it',
    example: 'The third table, in her own hand',
  })
  @IsLine(MAX_ALT)
  alt!: string;
}

export class ImportMedia {
  @ApiProperty({
    description: 'URL of an image on a public host; at most 5 MB, downloaded within 10 seconds',
    example: 'https://images.example.org/engine.jpg',
  })
  @IsText({
    min: 10,
    max: 2_048,
    pattern: /^https?:\/\/[!-~]+$/,
    message: 'must be an http(s) address of at most 2048 characters',
  })
  url!: string;
}

export class DeleteMediaQuery {
  @ApiPropertyOptional({ default: false, description: 'also while something refers to it', example: true })
  @IsOptionalNotNull()
  @ToBoolean()
  @IsBoolean({ message: 'force must be true or false' })
  force: boolean = false;
}
