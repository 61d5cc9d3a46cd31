import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateIf, ValidateNested } from 'class-validator';
import { IsHttpsUrl } from '../../platform/http/validation/https-url.decorator.js';
import { IsText, MayBeAbsent } from '../../platform/http/validation/text-rules.js';
import { IsBio, IsFullName, IsUsername, LANGUAGE_PATTERN } from '../profile-rules.js';

export class UpdateSettings {
  @ApiPropertyOptional({ description: 'BCP 47 language tag', example: 'en-GB' })
  @MayBeAbsent()
  @IsText({
    min: 2,
    max: 30,
    pattern: LANGUAGE_PATTERN,
    message: 'must be a BCP 47 language tag like en or pt-BR',
  })
  language?: string;
}

/** Fields left out stay as they are. */
export class UpdateProfile {
  @ApiPropertyOptional({
    description: 'lowercased on input; the earlier name stays yours and leads on to the profile',
    example: 'ada_lovelace',
  })
  @MayBeAbsent()
  @IsUsername()
  username?: string;

  @ApiPropertyOptional({ description: 'any script', example: 'Ada Lovelace' })
  @MayBeAbsent()
  @IsFullName()
  fullName?: string;

  @ApiPropertyOptional({ example: 'Notes on engines and poetry.' })
  @MayBeAbsent()
  @IsBio()
  bio?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'https, without credentials; stored as the URL standard writes it; null takes it away',
    example: 'https://images.example.org/ada.jpg',
  })
  @ValidateIf((_, value) => value !== undefined && value !== null)
  @IsHttpsUrl()
  profilePicture?: string | null;

  @ApiPropertyOptional({ type: UpdateSettings })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateSettings)
  settings?: UpdateSettings;
}
