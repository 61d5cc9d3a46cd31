import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, ValidateIf, ValidateNested } from 'class-validator';
import { IsLine } from '../platform/http/validation/line.decorator.js';
import { AcceptsUnknownFields } from '../platform/http/validation/accepts-unknown-fields.decorator.js';
import { IsId, IsText, OptionalField } from '../platform/http/validation/text-rules.js';
import { IsHttpsUrl, IsImageUrl } from '../platform/http/validation/web-url.decorator.js';
import { IsBio, IsFullName, IsLinkTitle, MAX_HEADLINE, MAX_INTERESTS, MAX_LINKS } from '../users/profile-rules.js';

const MAX_INTEREST = 100;
/** no image, or an image of the client itself */
const DEFAULT_IMAGE = /^(?:$|\/defaults\/)/;

export function isDefaultImage(value: unknown): boolean {
  return typeof value === 'string' && DEFAULT_IMAGE.test(value);
}

@AcceptsUnknownFields()
export class FollowBody {
  @ApiProperty({ description: 'of the account to follow, or no longer' })
  @IsId()
  targetUserId!: string;
}

export class ContactLink {
  @ApiProperty()
  @IsLinkTitle()
  title!: string;

  @ApiProperty()
  @IsHttpsUrl()
  url!: string;
}

/** Absent fields stay unchanged. */
@AcceptsUnknownFields()
export class UpdateUser {
  @OptionalField()
  @IsFullName()
  fullName?: string;

  @ApiPropertyOptional({ description: 'empty, or an image of the client itself: none' })
  @ValidateIf((_, value) => value !== undefined && !isDefaultImage(value))
  @IsImageUrl()
  profilePicture?: string;

  @OptionalField()
  @IsLine(MAX_HEADLINE)
  designation?: string;

  @OptionalField()
  @IsBio()
  aboutMe?: string;

  @OptionalField({ type: [String], description: 'kept as tags' })
  @IsArray()
  @ArrayMaxSize(MAX_INTERESTS, { message: 'Maximum 8 topics are allowed.' })
  @IsText({ min: 1, max: MAX_INTEREST, message: 'must be topics' }, { each: true })
  interestedIn?: string[];

  @OptionalField({ type: [ContactLink] })
  @IsArray()
  @ArrayMaxSize(MAX_LINKS, { message: `$property must hold at most ${MAX_LINKS} links` })
  @IsObject({ each: true, message: 'must be objects with title and url' })
  @ValidateNested({ each: true })
  @Type(() => ContactLink)
  contactInformation?: ContactLink[];

  @OptionalField({ type: Object, description: '`emailNotification` and five others; absent ones stay unchanged' })
  @IsObject()
  notifications?: Record<string, unknown>;
}
