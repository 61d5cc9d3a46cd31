import { ApiProperty, IntersectionType, PartialType } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { NewAdminBody } from '../../auth/new-admin.dto.js';
import { REGISTRATION_MODES, type RegistrationMode } from '../../config/env.schema.js';
import { IsTitle } from '../../platform/http/validation/line.decorator.js';
import { IsText } from '../../platform/http/validation/text-rules.js';
import { MAX_SITE_NAME } from '../../platform/site-settings/site-settings.schema.js';

class SiteSettingsBody {
  @ApiProperty({ description: 'of the site, in pages, mails, feeds and cards', example: 'OpenCanvas' })
  @IsTitle(MAX_SITE_NAME)
  name!: string;

  @ApiProperty({ enum: REGISTRATION_MODES, description: 'as in `GET /v1/instance`', example: 'open' })
  @IsIn(REGISTRATION_MODES, { message: `registration must be one of ${REGISTRATION_MODES.join(', ')}` })
  registration!: RegistrationMode;
}

/** Missing fields stay unchanged. */
export class UpdateInstance extends PartialType(SiteSettingsBody, { skipNullProperties: false }) {}

export class SetupBody extends IntersectionType(NewAdminBody, UpdateInstance) {
  @ApiProperty({ description: 'printed by the server at its start', example: '3yqk0T0yQ0mVfJ2x8V6o3w' })
  @IsText({ min: 1, max: 100, message: 'must be 1 to 100 characters' })
  code!: string;
}
