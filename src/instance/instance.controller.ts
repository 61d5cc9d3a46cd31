import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { MAX_CONTENT_LENGTH } from '../comments/comment-rules.js';
import { AppConfig } from '../config/app-config.js';
import { MAX_BYTES, MAX_UPLOAD_BYTES } from '../media/media-limits.js';
import { Access } from '../platform/access/access.decorator.js';
import { MAX_CONTENT, MAX_SUBTITLE, MAX_TITLE } from '../posts/post-rules.js';
import { InstanceDto } from './instance.dto.js';

@ApiTags('sign-in')
@Controller('instance')
export class InstanceController {
  constructor(private readonly config: AppConfig) {}

  @Get()
  @Access('public')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({
    summary: 'Get the site',
    description:
      'Its name, who may register, its languages, limits and sign-in providers. Responses may be five minutes old.',
  })
  @ApiOkResponse({ type: InstanceDto })
  getInstance(): InstanceDto {
    const { site, registration, auth, rateLimit } = this.config;
    return {
      name: site.name,
      registration: registration.mode,
      languages: site.languages,
      limits: {
        titleLength: MAX_TITLE,
        subtitleLength: MAX_SUBTITLE,
        contentLength: MAX_CONTENT,
        commentLength: MAX_CONTENT_LENGTH,
        uploadBytes: MAX_UPLOAD_BYTES,
        imageBytes: MAX_BYTES,
        readsPerMinute: rateLimit.readsPerMinute,
        writesPerMinute: rateLimit.writesPerMinute,
      },
      providers: Object.keys(auth.oidcProviders).sort(),
    };
  }
}
