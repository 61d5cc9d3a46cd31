// The settings of the site that admins change while it runs: its name, and who may register. `instance` has the routes. Nothing keeps a
// copy: what shows a setting is a cached response with SITE_TAG, or reads the row.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { StoredSiteSettings, StoredSiteSettingsSchema } from './site-settings.schema.js';
import { SiteSettingsService } from './site-settings.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: StoredSiteSettings.name, schema: StoredSiteSettingsSchema }])],
  providers: [SiteSettingsService],
  exports: [SiteSettingsService],
})
export class SiteSettingsModule {}
