import { ApiProperty } from '@nestjs/swagger';
import { type BanReason, ERROR_CODES, type ErrorCode, type FieldError } from '../../../common/errors.js';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json; charset=utf-8';

class ProblemField {
  @ApiProperty({ maxLength: 10_000, example: 'title' })
  field!: string;

  @ApiProperty({ maxLength: 10_000, example: 'must be longer than or equal to 1 characters' })
  message!: string;
}

class ProblemBan implements BanReason {
  @ApiProperty({ description: 'of the moderator', maxLength: 500, example: 'An advertisement.' })
  reason!: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    maxLength: 24,
    nullable: true,
    description: 'null: until a moderator lifts it',
    example: '2099-12-31T00:00:00.000Z',
  })
  until!: string | null;

  @ApiProperty({
    nullable: true,
    type: 'string',
    maxLength: 200,
    description: '`MODERATION_CONTACT` of the site',
    example: 'moderators@example.org',
  })
  contact!: string | null;
}

/** RFC 9457 problem details, the body of every error. */
export class Problem {
  @ApiProperty({ format: 'uri', maxLength: 100, example: 'urn:opencanvas:problem:invalid_input' })
  type!: string;

  @ApiProperty({ maxLength: 100, example: 'The request is invalid' })
  title!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 400, maximum: 599, example: 400 })
  status!: number;

  @ApiProperty({
    description: 'stable code of the error, for programs',
    enum: Object.keys(ERROR_CODES),
    example: 'invalid_input',
  })
  code!: string;

  @ApiProperty({ maxLength: 1_100_000, example: 'title must be longer than or equal to 1 characters' })
  detail!: string;

  @ApiProperty({
    description: 'path of the request; `/` if it was refused before routing',
    maxLength: 200,
    example: '/v1/posts',
  })
  instance!: string;

  @ApiProperty({
    description: 'quote it when you report a problem',
    maxLength: 64,
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    example: 'req-4f9a-1',
  })
  requestId!: string;

  @ApiProperty({ type: [ProblemField], required: false, maxItems: 1_000 })
  errors?: FieldError[];

  @ApiProperty({
    description: 'only with `second_factor_required`: for `POST /v1/auth/login/second-factor`, valid for five minutes',
    required: false,
    minLength: 43,
    maxLength: 43,
    pattern: '^[A-Za-z0-9_-]{43}$',
    example: 'dQ2v7b1Yk0x3mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU',
  })
  mfaToken?: string;

  @ApiProperty({ type: ProblemBan, required: false, description: 'only with `account_banned`' })
  ban?: ProblemBan;
}

export function problemOf(
  code: ErrorCode,
  detail: string,
  instance: string,
  requestId: string,
  errors?: FieldError[],
  { mfaToken, ban }: { mfaToken?: string | undefined; ban?: BanReason | undefined } = {},
): Problem {
  const [status, title] = ERROR_CODES[code];
  const problem: Problem = { type: `urn:opencanvas:problem:${code}`, title, status, code, detail, instance, requestId };
  if (errors !== undefined && errors.length > 0) problem.errors = errors;
  if (mfaToken !== undefined) problem.mfaToken = mfaToken;
  if (ban !== undefined) problem.ban = ban;
  return problem;
}
