import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsObject, ValidateIf, ValidateNested } from 'class-validator';
import { IsHttpsUrl, IsImageUrl } from '../../platform/http/validation/web-url.decorator.js';
import { IsTagList } from '../../platform/http/validation/tags.decorator.js';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsId, IsText, OptionalField, NullableField } from '../../platform/http/validation/text-rules.js';
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
  @OptionalField({ description: 'language of mails, as a BCP 47 tag', example: 'en-GB' })
  @IsText({
    min: 2,
    max: 30,
    pattern: LANGUAGE_PATTERN,
    message: 'must be a BCP 47 language tag like en or pt-BR',
  })
  language?: string;

  @OptionalField({
    description: 'whether `GET /v1/feed/for-you` is made for the account; false deletes what it stores',
    example: true,
  })
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
  @OptionalField({
    description: 'lowercased on input; the earlier name stays reserved and redirects to the profile',
    example: 'ada_lovelace',
  })
  @IsUsername()
  username?: string;

  @OptionalField({ description: 'letters of any script', example: 'Ada Lovelace' })
  @IsFullName()
  fullName?: string;

  @OptionalField({ example: 'Notes on engines and poetry.' })
  @IsBio()
  bio?: string;

  @OptionalField({ description: 'one line', example: 'Reads looms like books' })
  @IsLine(MAX_HEADLINE)
  headline?: string;

  @OptionalField({ description: 'one line', example: 'London' })
  @IsLine(MAX_LOCATION)
  location?: string;

  @OptionalField({
    type: [String],
    description: 'tags, stored in lower case without duplicates; replaces the earlier list',
    example: ['mathematics', 'weaving'],
  })
  @IsTagList(MAX_INTERESTS)
  interests?: string[];

  @OptionalField({
    type: [UpdateLink],
    description: 'replaces the earlier list',
    example: [{ title: 'My notebook', url: 'https://example.org/notebook' }],
  })
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

  @NullableField({
    type: String,
    nullable: true,
    description: 'the id of an image of yours; takes precedence over `profilePicture`, null does not',
    example: null,
  })
  @IsId()
  profilePictureMediaId?: string | null;

  @OptionalField()
  @IsObject()
  @ValidateNested()
  @Type(() => UpdateSettings)
  settings?: UpdateSettings;
}
