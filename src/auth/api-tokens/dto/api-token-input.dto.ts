import { ApiProperty } from '@nestjs/swagger';
import { IsOwnPassword } from '../../password-rules.js';
import { type Scope, SCOPES } from '../../../platform/access/token-scope.js';
import { IsSubsetOf, OptionalField } from '../../../platform/http/validation/text-rules.js';
import { IsTime } from '../../../platform/http/validation/time.decorator.js';
import { IsTitle } from '../../../platform/http/validation/line.decorator.js';
import { MAX_TOKEN_NAME } from '../api-token.schema.js';

export class CreateApiToken {
  @ApiProperty({ description: 'name by which its owner recognizes it', example: 'backup on my laptop' })
  @IsTitle(MAX_TOKEN_NAME)
  name!: string;

  @ApiProperty({
    isArray: true,
    description:
      '`read` allows reads; each other scope allows writes. With `moderation` the token has the role of its account, ' +
      'otherwise that of a user. `operations` is for monitoring, and needs to be the only scope, or beside `moderation`',
    example: ['read', 'posts'],
  })
  @IsSubsetOf(SCOPES)
  scopes!: Scope[];

  @OptionalField({
    description: 'RFC 3339 with an offset; a token without it does not expire',
    example: '2099-12-31T00:00:00Z',
  })
  @IsTime()
  expiresAt?: string;

  @IsOwnPassword()
  password?: string;
}
