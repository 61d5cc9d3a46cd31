import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../common/examples.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { MAX_FULL_NAME } from './profile-rules.js';
import { USERNAME_SCHEMA } from './username.js';

export const FULL_NAME_SCHEMA = { type: 'string', minLength: 1, maxLength: MAX_FULL_NAME } as const;

/** The author of a post or comment. */
export class AuthorDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[0] })
  id!: string;

  @ApiProperty({ ...USERNAME_SCHEMA, example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ ...FULL_NAME_SCHEMA, example: 'Ada Lovelace' })
  fullName!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.fileUrl, nullable: true, example: 'https://images.example.org/ada.jpg' })
  profilePicture!: string | null;
}
