import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, IsUrl, Matches, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import { IsBio, IsFullName, IsUsername, MayBeAbsent } from '../profile-rules.js';

const MAX_BIO_LENGTH = 500;

export class UpdateSettings {
  @ApiPropertyOptional({
    description: 'BCP 47 language tag',
    pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
    example: 'en-GB',
  })
  @MayBeAbsent()
  @Matches(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, {
    message: 'language must be a BCP 47 language tag like en or pt-BR',
  })
  language?: string;
}

/** Fields left out stay as they are. */
export class UpdateProfile {
  @ApiPropertyOptional({
    description: 'lowercased on input; the earlier name stays yours and leads on to the profile',
    pattern: '^(?![0-9]+$)[a-z0-9_]{4,16}$',
    example: 'ada_lovelace',
  })
  @MayBeAbsent()
  @IsUsername()
  username?: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: 64, description: 'any script', example: 'Ada Lovelace' })
  @MayBeAbsent()
  @IsFullName()
  fullName?: string;

  @ApiPropertyOptional({ maxLength: MAX_BIO_LENGTH, example: 'Notes on engines and poetry.' })
  @MayBeAbsent()
  @IsBio(MAX_BIO_LENGTH)
  bio?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    nullable: true,
    maxLength: 2048,
    description: 'https only; null takes it away',
    example: 'https://images.example.org/ada.jpg',
  })
  @ValidateIf((_, value) => value !== undefined && value !== null)
  @IsUrl(
    { protocols: ['https'], require_protocol: true, disallow_auth: true },
    { message: 'profilePicture must be an https URL without credentials' },
  )
  @MaxLength(2048)
  profilePicture?: string | null;

  @ApiPropertyOptional({ type: UpdateSettings })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateSettings)
  settings?: UpdateSettings;
}
