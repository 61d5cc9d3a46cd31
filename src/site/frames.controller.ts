import { Controller, Get, Req, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Access } from '../platform/access/access.decorator.js';
import { IgnoresQuery } from '../platform/http/validation/query.guard.js';
import type { TextResponse } from '../platform/http/text-response.js';
import { FRAME_PATHS } from './frame-paths.js';
import { SitePagesService } from './site-pages.service.js';

/** The pages that run in the browser. A token of a mail is in the fragment of the URL, which does not reach the server. */
@ApiExcludeController()
@Controller({ version: VERSION_NEUTRAL })
@Access('public')
@IgnoresQuery()
export class FramesController {
  constructor(private readonly pages: SitePagesService) {}

  @Get([...FRAME_PATHS])
  getFrame(@Req() request: FastifyRequest): Promise<TextResponse> {
    return this.pages.frame(request.url);
  }
}
