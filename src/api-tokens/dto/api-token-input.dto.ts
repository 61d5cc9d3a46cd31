import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsIn } from 'class-validator';
import { IsOwnPassword } from '../../auth/password-rules.js';
import { type Scope, SCOPES } from '../../platform/access/token-scope.js';
import { IsText, MayBeAbsent } from '../../platform/http/validation/text-rules.js';
import { IsTitle } from '../../platform/http/validation/title.decorator.js';
import { MAX_TOKEN_NAME } from '../api-token.schema.js';

const TIME = /^20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

export class CreateApiToken {
  @ApiProperty({ description: 'for you to know it by', example: 'backup on my laptop' })
  @IsTitle(MAX_TOKEN_NAME)
  name!: string;

  @ApiProperty({
    isArray: true,
    description:
      '`read`: what I may read; the others: what I may write. `moderation` gives the token the role of its account, which ' +
      'is that of a user without it',
    example: ['read', 'posts'],
  })
  @ArrayMinSize(1)
  @ArrayMaxSize(SCOPES.length)
  @ArrayUnique()
  @IsIn(SCOPES, { each: true, message: `each of scopes must be one of ${SCOPES.join(', ')}` })
  scopes!: Scope[];

  @ApiPropertyOptional({
    description: 'in UTC; left out: it does not expire',
    example: '2099-12-31T00:00:00Z',
  })
  @MayBeAbsent()
  @IsText({ min: 20, max: 24, pattern: TIME, message: 'must be a time like 2027-01-31T00:00:00Z' })
  expiresAt?: string;

  @IsOwnPassword()
  password?: string;
}
