import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsWebAddress, OptionalField } from '../../platform/http/validation/text-rules.js';
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
  @IsWebAddress()
  url!: string;
}

export class DeleteMediaQuery {
  @OptionalField({ default: false, description: 'also while something refers to it', example: true })
  @ToBoolean()
  @IsBoolean({ message: 'force must be true or false' })
  force: boolean = false;
}
