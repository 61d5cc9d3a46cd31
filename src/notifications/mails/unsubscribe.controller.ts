import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { Access } from '../../platform/access/access.decorator.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { ExampleNeeds } from '../../platform/http/openapi/example-needs.decorator.js';
import { IgnoresForm } from '../../platform/http/accepts-file.decorator.js';
import type { TextResponse } from '../../platform/http/text-response.js';
import { UNSUBSCRIBE_TOKEN } from './unsubscribe-links.js';
import { UnsubscribeService } from './unsubscribe.service.js';

const TOKEN_SCHEMA = {
  type: 'string',
  maxLength: UNSUBSCRIBE_TOKEN.max,
  pattern: UNSUBSCRIBE_TOKEN.pattern.source,
  example: EXAMPLE.unsubscribeToken,
} as const;
const Token = ApiParam({
  name: 'key',
  description: 'of a mail',
  ...TOKEN_SCHEMA,
});
const Page = ApiOkResponse({
  content: {
    'text/html': {
      schema: { type: 'string', maxLength: 10_000 },
      example: '<!doctype html>\n<html lang="en">\n<p>Stop mails of the kind "Your digest"?</p>\n</html>\n',
    },
  },
});

/** Links in mails, which work without signing in. */
@ApiTags('notifications')
@Controller('mail/unsubscribe')
@Access('public')
export class UnsubscribeController {
  constructor(private readonly service: UnsubscribeService) {}

  @Get(':key')
  @Token
  @ExampleNeeds('the link of a mail, which the server encrypts')
  @ApiOperation({
    summary: 'Get the page of an unsubscribe link',
    description: 'An HTML form; opening it changes nothing.',
  })
  @Page
  @ApiProblems('not_found')
  getUnsubscribePage(@Param('key') token: string): Promise<TextResponse> {
    return this.service.page(token);
  }

  @Post(':key')
  @HttpCode(200)
  @IgnoresForm()
  @Token
  @ApiOperation({
    summary: 'Stop mails of one kind',
    description: 'With one click (RFC 8058), also by the form of the page. Idempotent; the body does not matter.',
  })
  @Page
  @ApiProblems('not_found')
  unsubscribe(@Param('key') token: string): Promise<TextResponse> {
    return this.service.unsubscribe(token);
  }
}
