// The site: pages for people, rendered by the built `web/` from responses of the API. The module owns no rows and calls no service of
// another room: InternalReads asks the routes. No other module calls this one.
import { Module, type Type } from '@nestjs/common';
import { SiteController } from './site.controller.js';
import { SitePagesService } from './site-pages.service.js';

@Module({ controllers: [SiteController], providers: [SitePagesService] })
export class SiteModule {
  static when(isOn: boolean): Type[] {
    return isOn ? [SiteModule] : [];
  }
}
