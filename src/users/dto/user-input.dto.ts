import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsObject, IsOptional, ValidateIf, ValidateNested } from 'class-validator';
import { IsHttpsUrl, IsImageUrl } from '../../platform/http/validation/web-url.decorator.js';
import { IsTagList } from '../../platform/http/validation/tags.decorator.js';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsId, IsText, IsOptionalNotNull } from '../../platform/http/validation/text-rules.js';
import {
  IsBio,
  IsFullName,
  IsLinkTitle,
  IsUsername,
  LANGUAGE_PATTERN,
  MAX_HEADLINE,
  MAX_INTERESTS,
  MAX_LINKS,
  MAX_LOCATION,
} from '../profile-rules.js';

export class UpdateSettings {
  @ApiPropertyOptional({ description: 'language of mails, as a BCP 47 tag', example: 'en-GB' })
  @IsOptionalNotNull()
  @IsText({
    min: 2,
    max: 30,
    pattern: LANGUAGE_PATTERN,
    message: 'must be a BCP 47 language tag like en or pt-BR',
  })
  language?: string;

  @ApiPropertyOptional({
    description: 'whether `GET /v1/feed/for-you` is made for the account; false deletes what it stores',
    example: true,
  })
  @IsOptionalNotNull()
  @IsBoolean()
  personalised?: boolean;
}

export class UpdateLink {
  @ApiProperty({ example: 'My notebook' })
  @IsLinkTitle()
  title!: string;

  @ApiProperty({
    description: 'https, without credentials; stored in normalized form',
    example: 'https://example.org/notebook',
  })
  @IsHttpsUrl()
  url!: string;
}

/** Missing fields stay unchanged. */
export class UpdateProfile {
  @ApiPropertyOptional({
    description: 'lowercased on input; the earlier name stays reserved and redirects to the profile',
    example: 'ada_lovelace',
  })
  @IsOptionalNotNull()
  @IsUsername()
  username?: string;

  @ApiPropertyOptional({ description: 'letters of any script', example: 'Ada Lovelace' })
  @IsOptionalNotNull()
  @IsFullName()
  fullName?: string;

  @ApiPropertyOptional({ example: 'Notes on engines and poetry.' })
  @IsOptionalNotNull()
  @IsBio()
  bio?: string;

  @ApiPropertyOptional({ description: 'one line', example: 'Reads looms like books' })
  @IsOptionalNotNull()
  @IsLine(MAX_HEADLINE)
  headline?: string;

  @ApiPropertyOptional({ description: 'one line', example: 'London' })
  @IsOptionalNotNull()
  @IsLine(MAX_LOCATION)
  location?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'tags, stored in lower case without duplicates; replaces the earlier list',
    example: ['mathematics', 'weaving'],
  })
  @IsOptionalNotNull()
  @IsTagList(MAX_INTERESTS)
  interests?: string[];

  @ApiPropertyOptional({
    type: [UpdateLink],
    description: 'replaces the earlier list',
    example: [{ title: 'My notebook', url: 'https://example.org/notebook' }],
  })
  @IsOptionalNotNull()
  @IsArray()
  @ArrayMaxSize(MAX_LINKS, { message: `$property must hold at most ${MAX_LINKS} links` })
  @IsObject({ each: true, message: 'must be objects with title and url' })
  @ValidateNested({ each: true })
  @Type(() => UpdateLink)
  links?: UpdateLink[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'https, without credentials, or the address of an image of yours; null removes it',
    example: 'https://images.example.org/ada.jpg',
  })
  @ValidateIf((_, value) => value !== undefined && value !== null)
  @IsImageUrl()
  profilePicture?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'the id of an image of yours; takes precedence over `profilePicture`, null does not',
    example: null,
  })
  @IsOptional()
  @IsId()
  profilePictureMediaId?: string | null;

  @ApiPropertyOptional()
  @IsOptionalNotNull()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateSettings)
  settings?: UpdateSettings;
}
