import { HttpCode, Post, UseGuards } from '@nestjs/common';
import { Encryptor } from '../common/encryptor.js';
import { AppConfig } from '../config/app-config.js';
import { MAX_UPLOAD_BYTES } from '../media/media-limits.js';
import { GUEST } from '../media/media-quota.js';
import { MediaUploadsService } from '../media/media-uploads.service.js';
import { toMedia } from '../media/media-view.js';
import { Access } from '../platform/access/access.decorator.js';
import { ReceivedFile, AcceptsFile } from '../platform/http/accepts-file.decorator.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import type { HandlerResult, Envelope } from './envelope.js';
import { OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { SiteOriginGuard } from './site-origin.guard.js';

const BARE: Envelope = { success: (fields) => fields, error: (error) => ({ error }) };

/** Images without an account, because the client sends no token. The first post with an image claims it; others are deleted after a day. */
@OpenCanvasController()
@Access('public')
export class OpenCanvasUploadsController {
  private readonly encryptor: Encryptor;

  constructor(
    private readonly uploads: MediaUploadsService,
    { auth }: AppConfig,
  ) {
    this.encryptor = new Encryptor(auth.tokenSecrets, 'opencanvas-upload');
  }

  @Post('api/uploadImage')
  @ReplacedBy('/v1/media', BARE)
  @HttpCode(200)
  @RateLimit('guestUploads')
  @UseGuards(SiteOriginGuard)
  @AcceptsFile('image', MAX_UPLOAD_BYTES, 'JPEG, PNG, WebP, AVIF or GIF, by its content')
  async uploadImage(@ReceivedFile() path: string): Promise<HandlerResult> {
    const { id, url } = toMedia(await this.uploads.upload(GUEST, path));
    return { directLink: url, imgDeleteHash: this.encryptor.encrypt(id).toString('base64url') };
  }
}
