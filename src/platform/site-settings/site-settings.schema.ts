import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import { REGISTRATION_MODES, type RegistrationMode } from '../../config/env.schema.js';
import { declareValidator, exactShape } from '../mongo/collection-validator.js';
import { schemaOptions } from '../mongo/schema-options.js';

export const MAX_SITE_NAME = 100;
/** of the only row */
export const SITE_SETTINGS_ID = ObjectId.createFromHexString('000000000000000000000001');
/** cache tag of responses with a setting */
export const SITE_TAG = 'site';

/** The settings that admins have stored. The row exists from the first change on. */
@Schema(schemaOptions('site_settings'))
export class StoredSiteSettings {
  _id!: ObjectId;
  /** null: the default */
  @Prop({ type: String, default: null, maxlength: MAX_SITE_NAME }) name!: string | null;
  @Prop({ type: String, enum: [...REGISTRATION_MODES, null], default: null }) registration!: RegistrationMode | null;
  @Prop({ required: true }) updatedAt!: Date;
}

export const StoredSiteSettingsSchema = SchemaFactory.createForClass(StoredSiteSettings);

declareValidator(StoredSiteSettingsSchema, exactShape(StoredSiteSettingsSchema));
