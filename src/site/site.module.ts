// The site: pages for people, rendered by the built `web/` from responses of the API. The module owns no rows and calls no service of
// another room: InternalReads asks the routes. No other module calls this one.
import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/app-config.js';
import { FramesController } from './frames.controller.js';
import { SiteController } from './site.controller.js';
import { SitePagesService } from './site-pages.service.js';

@Module({})
export class SiteModule {
  static with({ isOn, hasMailPages }: AppConfig['site']): DynamicModule {
    const controllers = [...(hasMailPages ? [FramesController] : []), ...(isOn ? [SiteController] : [])];
    return { module: SiteModule, controllers, providers: [SitePagesService] };
  }
}
