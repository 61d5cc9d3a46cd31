import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn } from 'class-validator';
import { type Role, ROLES } from '../../platform/access/viewer.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsText, OptionalField, NullableField } from '../../platform/http/validation/text-rules.js';
import { ToBoolean } from '../../platform/http/validation/to-boolean.decorator.js';
import { STANDING_LEVELS, type StandingLevel } from '../../users/standing.js';
import { ListedAccountDto } from '../../users/user.dto.js';
import { DIRECTORY_SORTS, type DirectorySort } from '../../users/user-directory.service.js';
import { USERNAME_SCHEMA } from '../../users/username.js';

const NAME_PART = /^[A-Za-z0-9_]{1,16}$/;

export class ManagedAccountsQuery extends PageQuery {
  @OptionalField({ description: 'the beginning of a current username, in any case', example: 'demo_' })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value))
  @IsText({ min: 1, max: 16, pattern: NAME_PART, message: 'must be 1 to 16 of a-z, 0-9 and _' })
  q?: string;

  @OptionalField({ enum: ROLES, description: 'with this role', example: 'moderator' })
  @IsIn(ROLES, { message: `role must be one of ${ROLES.join(', ')}` })
  role?: Role;

  @OptionalField({
    enum: STANDING_LEVELS,
    description: 'restricted accounts, also after the end of the restriction; not with `q` or `role`',
    example: 'suspended',
  })
  @IsIn(STANDING_LEVELS, { message: `standing must be one of ${STANDING_LEVELS.join(', ')}` })
  standing?: StandingLevel;

  @OptionalField({
    enum: DIRECTORY_SORTS,
    description: '`username` with `q`, else `newest`; the others are not allowed with `q`',
    example: 'username',
  })
  @IsIn(DIRECTORY_SORTS, { message: `sort must be one of ${DIRECTORY_SORTS.join(', ')}` })
  sort?: DirectorySort;
}

export class ManagedAccountQuery {
  @NullableField({ default: false, description: 'for admins: with the e-mail address', example: false })
  @ToBoolean()
  @IsBoolean({ message: 'email must be true or false' })
  email: boolean = false;
}

export class ManagedAccountPage extends PageOf(ListedAccountDto) {}

/** An account for moderators and admins. */
export class ManagedAccountDto extends ListedAccountDto {
  @ApiProperty({
    type: 'array',
    items: USERNAME_SCHEMA,
    maxItems: 1_000,
    description: 'earlier usernames, oldest first',
    example: ['lovelace'],
  })
  previousUsernames!: string[];

  @ApiProperty({
    type: String,
    format: 'email',
    maxLength: 254,
    nullable: true,
    description:
      'for admins with `email=true`, which the log records; otherwise null, as for an account that cannot sign in',
    example: null,
  })
  email!: string | null;

  @ApiProperty({ description: 'the address is verified', example: true })
  isEmailVerified!: boolean;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'the last sign-in; null: never',
    example: '2026-11-24T10:00:00.000Z',
  })
  lastSignInAt!: Date | null;
}
